"""API for programs: the operations (`ui.actions`) over REST, MCP and the OpenAI protocol."""
