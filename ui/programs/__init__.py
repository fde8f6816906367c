"""The interfaces for programs: the operations (`ui.actions`) over plain HTTP, MCP and `gradio_client`."""
