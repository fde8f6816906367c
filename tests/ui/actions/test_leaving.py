"""Streaming clients that disconnect early: the model stops, and no error is left."""

import threading
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from anyio.to_thread import run_sync
from mcp import Client as McpClient
from mcp.client.streamable_http import streamable_http_client

from assistant.types import Scope
from tests.support.people.api_client import ApiClient, token_for
from tests.support.people.raw import connect
from tests.support.servers import faults
from tests.support.servers.chat_server import ChatServer, Exchange
from tests.support.threads import run_in_thread
from tests.ui.actions.conftest import NewAccess
from ui.actions.answering import ask
from ui.actions.call import Call

QUESTION = "What is akin to quick?"
Leave = Callable[[str, str, threading.Event], None]
"""Call an interface at an address, with a token, and disconnect once the model was asked."""


@pytest.fixture
def token(remote_home: Path) -> str:
    """Return the token of a new user of `remote_url`."""
    return token_for(f"person-{uuid.uuid4()}", remote_home)


def leave_http(accept: str) -> Leave:
    def leave(url: str, token: str, asked: threading.Event) -> None:
        body = f'{{"question": "{QUESTION}"}}'
        head = f"POST /api/ask HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\nAuthorization: Bearer {token}\r\n"
        with connect(url, f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode()):
            assert asked.wait(20)

    return leave


def leave_mcp(mode: Any) -> Leave:
    def leave(url: str, token: str, asked: threading.Event) -> None:
        async def leaves() -> None:
            async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as http:
                transport = streamable_http_client(f"{url}mcp", http_client=http)
                async with McpClient(transport, mode=mode) as client, anyio.create_task_group() as calls:
                    calls.start_soon(client.call_tool, "ask", {"question": QUESTION})
                    assert await run_sync(asked.wait, 20)
                    calls.cancel_scope.cancel()

        run_in_thread(leaves())

    return leave


LEAVING = {
    "REST": leave_http("application/json"),
    "SSE": leave_http("text/event-stream"),
    "MCP": leave_mcp("auto"),
    "an earlier MCP": leave_mcp("legacy"),
}


@pytest.mark.parametrize("leave", LEAVING.values(), ids=list(LEAVING))
def test_model_stops_when_nobody_waits(remote_url: str, chat_server: ChatServer, token: str, leave: Leave) -> None:
    asked = threading.Event()

    def falls_silent(exchange: Exchange) -> None:
        asked.set()
        faults.stalls_after("<understanding>u</understanding>\n<answer>one")(exchange)

    chat_server.replies(falls_silent)
    leave(remote_url, token, asked)
    assert chat_server.requests[0].disconnected.wait(20)


def test_call_that_is_over_before_it_began_asks_nothing(embedded_access: NewAccess) -> None:
    services = embedded_access("ann").services
    call = Call(services, Scope("who leaves"))
    call.stop()
    assert list(ask.results(call, {"question": QUESTION})) == []
    (*_, answer) = ask.results(Call(services, call.scope), {"question": QUESTION})
    assert answer["state"] == "answered"


def test_an_answer_comes_in_pieces(remote_url: str, chat_server: ChatServer, token: str) -> None:
    go_on = threading.Event()
    chat_server.replies(faults.stream_until(go_on, "<understanding>u</understanding>\n<answer>one ", "two</answer>"))
    events = []
    with ApiClient(remote_url, token) as program:
        for name, told in program.stream("ask", question=QUESTION):
            events.append((name, told))
            if told.get("answer"):
                go_on.set()
    assert [name for name, _ in events][-2:] == ["result", "end"]
    so_far = [told["answer"] for name, told in events if name == "result"]
    assert any(text and text != "one two" for text in so_far)
    assert (events[-2][1]["state"], so_far[-1]) == ("answered", "one two")
