"""The page and all other interfaces: API, MCP, command line. `ui.serve` composes them. Only `ui` imports Gradio."""
