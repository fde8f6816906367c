"""REST API: `POST /api/NAME` with a JSON object of arguments returns a JSON object.

With `Accept: text/event-stream`, partial results arrive as server-sent events. `GET /api/openapi.json` describes it,
and `/llms.txt`, linked as `/?view=api`, as plain text for programs and language models.
"""

import json
from collections.abc import AsyncIterator, Mapping
from types import MappingProxyType
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse

from assistant.errors import InputError, ModelError, NoIdentity, NotAllowed, NotedError, NotFound, StoreError, TooOften
from ui.actions.operation import Operation
from ui.actions.table import FOR_PROGRAMS, GROUPS
from ui.programs.transport import cancel_on_disconnect, last_result, stream_results
from ui.server.identity import scope_of
from ui.server.services import Services
from ui.streaming.runs import TooManyAnswers

_STREAM = "text/event-stream"
_STATUS: tuple[tuple[type[NotedError], int], ...] = (
    (InputError, 422),
    (NoIdentity, 401),
    (NotAllowed, 403),
    (NotFound, 404),
    (TooOften, 429),
    (TooManyAnswers, 503),
    (StoreError, 503),
    (ModelError, 502),
)
_INTRODUCTION = """# Noted

> A chat assistant that shows how it understood each question, and learns when it is corrected.

Every call speaks for one user, whose token it sends as `Authorization: Bearer TOKEN`. The page *Memory* makes
tokens, and so does `noted token`.

- Over HTTP: `POST api/NAME` with the arguments as a JSON object; `GET api/openapi.json` describes them all.
- In Python: `gradio_client.Client(URL, headers={"Authorization": "Bearer TOKEN"}).predict(…, api_name="/NAME")`.
- In assistants that speak MCP: `mcp`.
"""
_KEPT_NOWHERE = MappingProxyType({"cache-control": "no-store", "x-accel-buffering": "no"})


async def answer(services: Services, request: Request) -> Response:
    """Respond to a call of an operation."""
    try:
        sent = json.loads(await request.body() or b"{}")
    except ClientDisconnect:
        return Response()
    except (ValueError, RecursionError):
        sent = None  # refused like any other value that is not an object
    name, response = request.path_params["name"], Response()
    with cancel_on_disconnect(request.receive):
        try:
            scope = scope_of(request.scope)
            if _STREAM in request.headers.get("accept", ""):
                coming = stream_results(services, name, scope, sent)
                response = StreamingResponse(_events(await anext(coming), coming), media_type=_STREAM)
            else:
                response = JSONResponse(await last_result(services, name, scope, sent))
        except NotedError as error:
            status = next((status for kind, status in _STATUS if isinstance(error, kind)), 500)
            response = JSONResponse({"detail": str(error)}, status)
    response.headers.update(_KEPT_NOWHERE)
    return response


def describe(request: Request) -> Response:
    """Respond with the OpenAPI description, for the address of this server."""
    return JSONResponse(openapi() | {"servers": [{"url": request.scope.get("root_path") or "/"}]})


async def _events(first: dict[str, Any], rest: AsyncIterator[dict[str, Any]]) -> AsyncIterator[str]:
    yield _event("result", first)
    try:
        async for result in rest:
            yield _event("result", result)
    except NotedError as error:
        yield _event("error", {"detail": str(error)})
    else:
        yield _event("end", {})


def _event(name: str, value: Mapping[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(value, ensure_ascii=False)}\n\n"


def openapi() -> dict[str, Any]:
    """Return the OpenAPI 3.1 description."""
    schemas: dict[str, Any] = {}
    tags = {one.name: tag for tag, group in GROUPS.items() for one in group}
    scheme = {"token": {"type": "http", "scheme": "bearer"}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Noted", "version": "1"},
        "security": [{"token": []}],
        "paths": {f"/api/{name}": {"post": _described(one, tags[name], schemas)} for name, one in FOR_PROGRAMS.items()},
        "components": {"securitySchemes": scheme, "schemas": schemas},
    }


def _described(operation: Operation[Any, Any], tag: str, schemas: dict[str, Any]) -> dict[str, Any]:
    place = "#/components/schemas/{model}"
    arguments = operation.arguments.model_json_schema(ref_template=place)
    result = operation.result.json_schema(ref_template=place, mode="serialization")
    for schema in (arguments, result):
        schemas |= schema.pop("$defs", {})
    content = {"application/json": {"schema": result}} | ({_STREAM: {}} if operation.streams else {})
    failed = {"application/json": {"schema": {"type": "object", "properties": {"detail": {"type": "string"}}}}}
    return {
        "operationId": operation.name,
        "tags": [tag],
        "summary": operation.description.partition("\n")[0],
        "description": operation.description,
        "requestBody": {"required": True, "content": {"application/json": {"schema": arguments}}},
        "responses": {
            "200": {"description": "The result.", "content": content},
            "default": {"description": "Why not, in one sentence.", "content": failed},
        },
    }


def llms_text(_request: Request) -> Response:
    """Return name, arguments and first sentence of each operation that programs may call."""
    parts = [_INTRODUCTION]
    for group, operations in GROUPS.items():
        lines = [_llms_line(one) for one in operations if one.name in FOR_PROGRAMS]
        if lines:
            parts.append("\n".join([f"## {group}", "", *lines, ""]))
    return PlainTextResponse("\n".join(parts))


def _llms_line(operation: Operation[Any, Any]) -> str:
    fields = operation.arguments.model_fields.items()
    arguments = ", ".join(name if field.is_required() else f"[{name}]" for name, field in fields)
    summary = operation.description.partition("\n")[0]
    return f"- `{operation.name}({arguments})`: {summary}"
