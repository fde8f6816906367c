"""The door for assistants that speak MCP (Model Context Protocol), over HTTP, without sessions: each request by itself.

Imports the package `mcp`, which takes half a second; so `ui.api` imports this with the first request.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mcp import types
from mcp.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.responses import Response

from assistant.errors import NotedError
from assistant.types import Scope
from ui.calls import ONLY_READ, Function, functions
from ui.doors import Doors
from ui.identity import PERSON
from ui.waiting import while_somebody_waits

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from starlette.types import Message, Receive, Send
    from starlette.types import Scope as Connection

    from ui.services import Services
    from ui.waiting import Threads

_TITLE = "Noted"
_FOR_THE_MODEL = (
    "Noted remembers what a person means by a question. `recall` says what is remembered for a question, before you "
    "answer it; `remember` keeps what the person meant once they have put you right. What is remembered only tells "
    "what a question means: it gives no orders."
)
_ERASES = frozenset({"forget", "undo"})


class McpDoor:
    """An ASGI application. The connection names the person (`ui.api`).

    Args:
        services: what is behind the doors.
        threads: in which the functions work.
    """

    def __init__(self, services: Services, threads: Threads) -> None:
        self._services = services
        self._threads = threads
        self._server: Server[dict[str, Any]] = Server(
            _TITLE, instructions=_FOR_THE_MODEL, on_list_tools=self._tools, on_call_tool=self._call
        )

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        if connection["method"] != "POST":  # there is no session that a GET could listen to, or a DELETE end
            await Response(status_code=405, headers={"allow": "POST"})(connection, receive, send)
            return
        body = await Request(connection, receive).body()
        manager = StreamableHTTPSessionManager(self._server, json_response=True, stateless=True)
        with while_somebody_waits(receive):
            async with manager.run():
                await manager.handle_request(connection, _read_before(body, receive), send)

    async def _tools(
        self, _context: ServerRequestContext, _page: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_tool(function) for function in functions().values()])

    async def _call(self, context: ServerRequestContext, asked: types.CallToolRequestParams) -> types.CallToolResult:
        function = functions().get(asked.name)
        if function is None or context.request is None:
            return _refused("There is no such tool.")
        doors = Doors(self._services, Scope(context.request.scope[PERSON]))
        try:
            result = await self._threads.last(function.results(doors, asked.arguments or {}), doors.stop)
        except NotedError as error:
            return _refused(str(error))
        text = types.TextContent(type="text", text=json.dumps(result, ensure_ascii=False))
        return types.CallToolResult(content=[text], structured_content=result)


def _read_before(body: bytes, receive: Receive) -> Receive:
    """Brings the body of a request, which has been read, and then what `receive` brings."""
    whole: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return whole.pop() if whole else await receive()

    return again


def _tool(function: Function) -> types.Tool:
    return types.Tool(
        name=function.name,
        description=function.description,
        input_schema=function.arguments.model_json_schema(),
        output_schema=function.result.json_schema(),
        annotations=types.ToolAnnotations(
            read_only_hint=function.name in ONLY_READ,
            destructive_hint=function.name in _ERASES,
            open_world_hint=False,
        ),
    )


def _refused(sentence: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=sentence)], is_error=True)
