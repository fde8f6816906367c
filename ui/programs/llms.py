"""`/llms.txt`, linked as `/?view=api`: the operations as plain text, for programs and language models."""

from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from ui.actions.operation import Operation
from ui.actions.table import FOR_PROGRAMS, GROUPS

_INTRODUCTION = """# Noted

> A chat assistant that shows how it understood each question, and learns when it is corrected.

Every call speaks for one user, whose token it sends as `Authorization: Bearer TOKEN`. The page *Memory* makes
tokens, and so does `noted token`.

- Over HTTP: `POST api/NAME` with the arguments as a JSON object; `GET api/openapi.json` describes them all.
- In Python: `gradio_client.Client(URL, headers={"Authorization": "Bearer TOKEN"}).predict(…, api_name="/NAME")`.
- In assistants that speak MCP: `mcp`.
"""


def llms_text(_request: Request) -> Response:
    """Return name, arguments and first sentence of each operation that programs may call."""
    parts = [_INTRODUCTION]
    for group, operations in GROUPS.items():
        lines = [_line(one) for one in operations if one.name in FOR_PROGRAMS]
        if lines:
            parts.append("\n".join([f"## {group}", "", *lines, ""]))
    return PlainTextResponse("\n".join(parts))


def _line(operation: Operation[Any, Any]) -> str:
    fields = operation.arguments.model_fields.items()
    arguments = ", ".join(name if field.is_required() else f"[{name}]" for name, field in fields)
    summary = operation.description.partition("\n")[0]
    return f"- `{operation.name}({arguments})`: {summary}"
