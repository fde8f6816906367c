"""Callers of the doors for programs who go away: the model stops, and no error is left behind."""

import logging
import subprocess
import sys
import threading
import uuid
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import httpx2
import pytest
from anyio.to_thread import run_sync
from mcp import Client as McpClient
from mcp.client.streamable_http import streamable_http_client
from ui.programs.api import Api

from assistant.papers.expnote.feedback import LessonProposals
from assistant.papers.memllm.writing import TripleProposals
from assistant.proposals import Proposals
from assistant.reasoning.reasoner import Reasoner
from memory_store.language.languages import LANGUAGES
from tests.support.beside import run_beside
from tests.support.memory.loop import ME, RIGHT, Loop
from tests.support.memory.store import small_store
from tests.support.people.api_client import ApiClient, token_for
from tests.support.people.raw import connect
from tests.support.servers import faults
from tests.support.servers.chat_server import ChatServer, Exchange
from ui.streaming.runs import Runs


@pytest.fixture
def asked(chat_server: ChatServer) -> threading.Event:
    """Is set when the model is asked, which then falls silent in the middle of its answer."""
    asked = threading.Event()

    def falls_silent(exchange: Exchange) -> None:
        asked.set()
        faults.stalls_after("<understanding>u</understanding>\n<answer>one")(exchange)

    chat_server.replies(falls_silent)
    return asked


@pytest.fixture
def token(remote_home: Path) -> str:
    """Of a person whom nobody has seen, at `remote_url`."""
    return token_for(f"person-{uuid.uuid4()}", remote_home)


@pytest.mark.parametrize("accept", ["text/event-stream", "application/json"])
def test_the_model_stops_when_nobody_waits(
    remote_url: str, chat_server: ChatServer, token: str, asked: threading.Event, accept: str
) -> None:
    head = f"POST /api/ask HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\nAuthorization: Bearer {token}\r\n"
    body = b'{"question": "What is akin to quick?"}'
    with connect(remote_url, f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body):
        assert asked.wait(20)
    assert chat_server.requests[0].disconnected.wait(20)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_model_stops_when_an_assistant_that_speaks_mcp_goes_away(
    remote_url: str, chat_server: ChatServer, token: str, asked: threading.Event, mode: Any
) -> None:
    async def leaves() -> None:
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
            transport = streamable_http_client(f"{remote_url}mcp", http_client=http)
            async with McpClient(transport, mode=mode) as client, anyio.create_task_group() as calls:
                calls.start_soon(client.call_tool, "ask", {"question": "What is akin to quick?"})
                assert await run_sync(asked.wait, 20)
                calls.cancel_scope.cancel()

    run_beside(leaves())
    assert chat_server.requests[0].disconnected.wait(20)


LEAVES = """
import sys
from gradio_client import Client
noted = Client(sys.argv[1], headers={"Authorization": f"Bearer {sys.argv[2]}"}, analytics_enabled=False, verbose=False)
for _ in noted.submit("What is akin to quick?", api_name="/ask"):
    print("heard", flush=True)
"""


def test_the_model_stops_when_a_program_with_gradio_client_goes_away(
    remote_url: str, chat_server: ChatServer, token: str, asked: threading.Event
) -> None:
    command = [sys.executable, "-c", LEAVES, f"{remote_url}api", token]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        assert asked.wait(60)
        # Gradio looks after those who have begun to listen.
        assert program.stdout
        assert program.stdout.readline() == "heard\n"
        program.kill()
    assert chat_server.requests[0].disconnected.wait(20)


def test_who_goes_away_before_it_began_is_not_answered(tmp_path: Path) -> None:
    store = small_store(tmp_path)
    loop = Loop(store, RIGHT)
    triples = Proposals(TripleProposals(store.memory, store.turn_store, Reasoner(LANGUAGES)), store.turn_store)
    lessons = Proposals(LessonProposals(store.memory), store.turn_store)
    told: Any = {"assistant": loop.assistant, "triples": triples, "lessons": lessons, "study": None, "runs": Runs()}
    services: Any = SimpleNamespace(**told)
    doors = Api(services, ME)
    answers = doors.ask("what is akin to quick ?")
    doors.stop()
    assert list(answers) == []
    assert loop.model.asked == []
    assert [answer["answer"] for answer in Api(services, ME).ask("what is akin to quick ?")][-1] == "fast"
    store.close()


@pytest.mark.parametrize("path", ["/api/ask", "/mcp"])
def test_who_goes_away_in_the_middle_of_a_request_leaves_no_error(
    embedded_url: str, embedded_home: Path, caplog: pytest.LogCaptureFixture, path: str
) -> None:
    token = token_for(f"person-{uuid.uuid4()}", embedded_home)
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
    connect(embedded_url, f"{head}Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{{".encode()).close()
    with ApiClient(embedded_url, token) as program:
        program.call("list")
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []
