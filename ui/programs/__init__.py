"""The ways in for programs: the operations over plain HTTP, MCP and `gradio_client`."""
