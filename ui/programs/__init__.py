"""The ways in for programs: eight functions (`api`), over plain HTTP, MCP and `gradio_client`."""
