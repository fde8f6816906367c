"""The API for programs: bearer tokens, routes, and REST.

A request without a token is refused, unless the host allows everyone: then it is an anonymous visitor, by cookie. The
page's sign-in does not count.

`POST /api/NAME` with a JSON object of arguments returns a JSON object. With `Accept: text/event-stream`, partial
results arrive as server-sent events. `GET /api/openapi.json` describes it, and `/llms.txt`, linked as `/?view=api`, as
plain text for programs and language models. MCP runs its calls by `stream_results`, too.
"""

import asyncio
import importlib
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from functools import partial
from types import MappingProxyType
from typing import Any

import anyio
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as Connection

from assistant import errors
from assistant.settings import Settings
from assistant.types import Scope
from memory_store.ledger.tokens import LedgerTokens
from ui.actions.call import Call
from ui.actions.operation import Operation
from ui.actions.table import FOR_PROGRAMS, GROUPS
from ui.server.identity import PERSON, VISITOR, Visitors, scope_of
from ui.server.request_policy import API_PATH, HttpMiddleware, bearer
from ui.server.services import Services
from ui.streaming.runs import TooManyAnswers, iterate_in_threads

OFF, TOKENS, EVERYONE = "off", "tokens", "everyone"
_UNKNOWN_CALLER = (
    "Please send a valid token, as in `Authorization: Bearer TOKEN`. "
    "The page Memory makes one, and so does `noted token`."
)
_STREAM = "text/event-stream"
_STATUS: tuple[tuple[type[errors.NotedError], int], ...] = (
    (errors.InputError, 422),
    (errors.NoIdentity, 401),
    (errors.NotAllowed, 403),
    (errors.NotFound, 404),
    (errors.TooOften, 429),
    (TooManyAnswers, 503),
    (errors.StoreError, 503),
    (errors.ModelError, 502),
)
_OPENAI_ERRORS = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
_INTRODUCTION = """# Noted

> A chat assistant that shows how it understood each question, and learns when it is corrected.

Every call speaks for one user, whose token it sends as `Authorization: Bearer TOKEN`. The page *Memory* makes
tokens, and so does `noted token`.

- Over HTTP: `POST api/NAME` with the arguments as a JSON object; `GET api/openapi.json` describes them all.
- In any chat client, by the OpenAI protocol: the address of this server with `v1`, the token as its key.
- In assistants that speak MCP: `mcp`.
"""
KEPT_NOWHERE = MappingProxyType({"cache-control": "no-store", "x-accel-buffering": "no"})
_FAILED = {"application/json": {"schema": {"type": "object", "properties": {"detail": {"type": "string"}}}}}


def choose_access(settings: Settings) -> str:
    """Return the callers that the API allows: nobody, those with a token, or everyone. Raises SettingsError."""
    if settings.api not in {OFF, TOKENS, EVERYONE}:
        raise errors.SettingsError(f"NOTED_API must be {OFF}, {TOKENS} or {EVERYONE}, not {settings.api!r}.")
    return settings.api


def token_makers(settings: Settings) -> Callable[[Scope], bool]:
    """Return a predicate for users who may make tokens: all but visitors, unless the API is off."""
    somebody_may = choose_access(settings) != OFF
    return lambda scope: somebody_may and not scope.person.startswith(VISITOR)


def status_of(error: errors.NotedError) -> int:
    """Return the HTTP status of an error."""
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


def refuse(connection: Connection, status: int, sentence: str, code: str | None = None) -> JSONResponse:
    """Return the response that says in one sentence why nothing was done; in OpenAI's form below `/v1/`."""
    body: dict[str, Any] = {"detail": sentence}
    if connection["path"].startswith("/v1/"):
        kind = _OPENAI_ERRORS.get(status, "server_error" if status >= 500 else "invalid_request_error")
        body = {"error": {"message": sentence, "type": kind, "param": None, "code": code}}
    return JSONResponse(body, status)


class ApiMiddleware(HttpMiddleware):
    """Middleware that writes the user of a program into each API request, or refuses it; others are passed on.

    Without `visitors`, every request needs the token of a user whom the sign-in `knows`.
    """

    def __init__(
        self, app: ASGIApp, tokens: LedgerTokens, visitors: Visitors | None, knows: Callable[[str], bool]
    ) -> None:
        super().__init__(app)
        self._tokens, self._visitors, self._knows = tokens, visitors, knows

    async def serve(self, connection: Connection, receive: Receive, send: Send) -> None:
        app, person = self._app, None
        if API_PATH.match(connection["path"]):
            secret = bearer(connection)
            try:
                if secret is not None:
                    person = await run_in_threadpool(self._tokens.person, secret)
                    person = person if person and self._knows(person) else None
                elif self._visitors and (person := self._visitors(connection)) is None:
                    person, send = self._visitors.welcome(connection, send)
            except errors.NotedError as error:
                app = refuse(connection, 503, str(error))
            else:
                if person is None:
                    app = refuse(connection, 401, _UNKNOWN_CALLER)
                    app.headers["www-authenticate"] = "Bearer"
        await app({**connection, PERSON: person} if person else connection, receive, send)


class McpEndpoint:
    """The MCP app, which is loaded by its first request."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._app: ASGIApp | None = None

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        if self._app is None:
            module = await run_in_threadpool(importlib.import_module, "ui.programs.mcp_api")
            self._app = module.make_app(self._services)
        await self._app(connection, receive, send)


def api_routes(services: Services) -> Sequence[Route]:
    """Return the routes of REST, MCP and `/llms.txt`."""
    return (
        Route("/llms.txt", llms_text),
        Route("/api/openapi.json", describe),
        Route("/api/{name}", partial(answer, services), methods=["POST"]),
        Route("/mcp", McpEndpoint(services), methods=["POST"]),
    )


async def stream_results(
    services: Services, connection: Connection, name: str, sent: object
) -> AsyncGenerator[dict[str, Any], None]:
    """Call an operation for the user of a connection; yield its result, or its results while it works.

    Each call is counted. A streaming call takes a place among the answers and stops when the client disconnects;
    others pass admission control (`WorkPool`). Raises the errors of the operation; NotFound if programs may not call
    this name.
    """
    operation, scope = FOR_PROGRAMS.get(name), scope_of(connection)
    if operation is None:
        raise errors.NotFound("operation.unknown")
    call = Call(services, scope)
    results = operation.results(call, sent)
    if not operation.streams:
        yield await services.work.do(lambda _is_left: next(results), scope)
        return
    async with aclosing(stream_call(call, results)) as coming:
        async for result in coming:
            yield result


def stream_call(call: Call, results: Iterator[dict[str, Any]]) -> AsyncGenerator[dict[str, Any], None]:
    """Count a call, and yield its results from threads; the call is stopped when the generator is closed."""
    call.services.work.count(call.scope)
    return iterate_in_threads(results, call.stop)


async def last_result(services: Services, connection: Connection, name: str, sent: object) -> dict[str, Any]:
    """Return the last of the results, which are cumulative."""
    last: dict[str, Any] = {}
    async for result in stream_results(services, connection, name, sent):
        last = result
    return last


@contextmanager
def cancel_on_disconnect(receive: Receive) -> Iterator[None]:
    """Cancel the block when the client disconnects; the request body must have been read."""

    async def cancel_when_gone() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        work.cancel()

    with anyio.CancelScope() as work:
        watching = asyncio.ensure_future(cancel_when_gone())
        try:
            yield
        finally:
            watching.cancel()


async def answer(services: Services, request: Request) -> Response:
    """Respond to a call of an operation."""
    try:
        sent = json.loads(await request.body() or b"{}")
    except ClientDisconnect:
        return Response()
    except (ValueError, RecursionError):
        sent = None  # refused like any other value that is not an object
    called, response = (services, request.scope, request.path_params["name"], sent), Response()
    with cancel_on_disconnect(request.receive):
        try:
            if _STREAM in request.headers.get("accept", ""):
                coming = stream_results(*called)
                response = StreamingResponse(_events(await anext(coming), coming), media_type=_STREAM)
            else:
                response = JSONResponse(await last_result(*called))
        except errors.NotedError as error:
            response = refuse(request.scope, status_of(error), str(error))
    response.headers.update(KEPT_NOWHERE)
    return response


async def _events(first: dict[str, Any], rest: AsyncIterator[dict[str, Any]]) -> AsyncIterator[str]:
    """Yield results as server-sent events `result`, then `end`, or `error` with a sentence."""

    def event(name: str, value: dict[str, Any]) -> str:
        return f"event: {name}\ndata: {json.dumps(value, ensure_ascii=False)}\n\n"

    yield event("result", first)
    try:
        async for result in rest:
            yield event("result", result)
    except errors.NotedError as error:
        yield event("error", {"detail": str(error)})
    else:
        yield event("end", {})


def describe(request: Request) -> Response:
    """Respond with the OpenAPI description, for the address of this server."""
    return JSONResponse(openapi() | {"servers": [{"url": request.scope.get("root_path") or "/"}]})


def openapi() -> dict[str, Any]:
    """Return the OpenAPI 3.1 description."""
    schemas: dict[str, Any] = {}
    groups = ((one, topic) for topic, group in GROUPS.items() for one in group if one.name in FOR_PROGRAMS)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Noted", "version": "1"},
        "security": [{"token": []}],
        "paths": {f"/api/{one.name}": {"post": _described(one, topic, schemas)} for one, topic in groups},
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}, "schemas": schemas},
    }


def _described(operation: Operation[Any, Any], topic: str, schemas: dict[str, Any]) -> dict[str, Any]:
    """Return an operation as OpenAPI, and add its types to `schemas`."""
    place = "#/components/schemas/{model}"
    arguments = operation.arguments.model_json_schema(ref_template=place)
    result = operation.result.json_schema(ref_template=place, mode="serialization")
    for schema in (arguments, result):
        schemas |= schema.pop("$defs", {})
    content = {"application/json": {"schema": result}} | ({_STREAM: {}} if operation.streams else {})
    return {
        "operationId": operation.name,
        "tags": [topic],
        "summary": operation.summary,
        "description": operation.description,
        "requestBody": {"required": True, "content": {"application/json": {"schema": arguments}}},
        "responses": {
            "200": {"description": "The result.", "content": content},
            "default": {"description": "Why not, in one sentence.", "content": _FAILED},
        },
    }


def llms_text(_request: Request) -> Response:
    """Return name, arguments and first sentence of each operation that programs may call."""
    lines = [_INTRODUCTION]
    for topic, group in GROUPS.items():
        operations = [one for one in group if one.name in FOR_PROGRAMS]
        lines += [f"\n## {topic}\n"] if operations else []
        for one in operations:
            fields = one.arguments.model_fields.items()
            arguments = ", ".join(name if field.is_required() else f"[{name}]" for name, field in fields)
            lines.append(f"- `{one.name}({arguments})`: {one.summary}")
    return PlainTextResponse("\n".join(lines))
