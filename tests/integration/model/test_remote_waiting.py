"""A model over HTTP that loads, is slow, is abandoned or never ends; and leaks between calls."""

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator

import pytest

from assistant import errors
from assistant.events import Phase, Sign
from assistant.models.remote.remote import RemoteModel
from assistant.types import Message, MessageRole, ReplyStatus, Scope, TurnState
from tests.support.memory.loop import last, reply
from tests.support.servers import faults
from tests.support.servers.chat_server import Body, ChatServer, Exchange
from tests.support.servers.faults import Fault
from ui.server.services import Services

MESSAGES = (Message(MessageRole.USER, "A plover."),)


@pytest.fixture
def model(server: ChatServer) -> Iterator[RemoteModel]:
    model = RemoteModel("openai/any", api_base=server.url, first_token_seconds=5, backoff_seconds=0.01)
    yield model
    model.close()


def refuses(status: int, body: Body, **headers: str) -> Callable[[Exchange], None]:
    return lambda exchange: exchange.json(status, body, **headers)


def in_a_stream(exchange: Exchange) -> None:
    exchange.begin()
    exchange.event('{"error": {"code": 503, "message": "Loading model"}}')


LLAMA = refuses(503, {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}})
LOADING = {
    "llama.cpp": LLAMA,
    "Hugging Face": refuses(503, {"error": "Model any is currently loading", "estimated_time": 20.0}, Retry_After="0"),
    "vLLM": refuses(503, {"detail": "The model is not ready yet."}),
    "in a stream": in_a_stream,
}


@pytest.mark.parametrize("name", LOADING)
def test_loading_server_is_waited_for(name: str, server: ChatServer, model: RemoteModel) -> None:
    server.replies(*[LOADING[name]] * 5, "It has loaded.")
    assert "".join(model.stream(MESSAGES)) == "It has loaded."
    assert len(server.requests) == 6


@pytest.mark.parametrize("begins", [False, True], ids=["before the first word", "during the answer"])
def test_slow_server_here_is_waited_for(
    server: ChatServer, model: RemoteModel, monkeypatch: pytest.MonkeyPatch, *, begins: bool
) -> None:
    monkeypatch.setattr("assistant.models.remote.remote._SECONDS", 0.3)
    go_on = threading.Event()

    def slow(exchange: Exchange) -> None:
        exchange.begin()
        exchange.text("It is " if begins else "")
        go_on.wait()
        exchange.text("slow.")
        exchange.finish()

    server.replies(slow, slow)
    pieces = list[str]()
    for piece in model.stream(MESSAGES):
        pieces.append(piece)
        if sum(not (one or isinstance(one, Sign)) for one in pieces) == 4:  # a second without text
            go_on.set()
    assert "".join(pieces) == ("It is slow." if begins else "slow.")
    assert any(isinstance(piece, Sign) and piece.phase is Phase.READING for piece in pieces)
    go_on.clear()
    monkeypatch.setattr("assistant.models.remote.remote.is_this_machine", lambda _host: False)
    elsewhere = RemoteModel("openai/any", api_base=server.url)
    with pytest.raises(errors.ModelTimeout):
        list(elsewhere.stream(MESSAGES))
    go_on.set()
    elsewhere.close()


@pytest.mark.parametrize(
    ("name", "address", "is_here"),
    [
        ("openai/any", "http://127.0.0.1:8000/v1", True),
        ("openai/any", "http://[::1]:1/v1", True), ("ollama_chat/any", None, True), ("openai/any", None, False),
        ("openai/any", "https://api.example.com/v1", False), ("openai/any", "http://192.168.0.2/v1", False),
        ("openai/any", "http://127.0.0.1.example.com/v1", False),
    ],
)  # fmt: skip
def test_server_here_is_known_by_its_address(name: str, address: str | None, *, is_here: bool) -> None:
    assert RemoteModel(name, api_base=address).is_here is is_here


def test_loading_ends_with_the_time_of_the_host(
    server: ChatServer, model: RemoteModel, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("assistant.models.remote.remote._LOADING_SECONDS", 0.2)
    server.answer = lambda body: LLAMA
    with caplog.at_level(logging.INFO), pytest.raises(errors.ModelLoading):
        list(model.stream(MESSAGES))
    assert "ModelLoading (status 503)" in caplog.text


@pytest.mark.parametrize("hidden", [False, True], ids=["text", "reasoning"])
def test_endless_reply_is_cut(connected: Callable[..., Services], server: ChatServer, *, hidden: bool) -> None:
    services = connected()

    def endless(exchange: Exchange) -> None:
        exchange.begin()
        exchange.text("" if hidden else "<understanding>You want a word</understanding>\n<answer>fas")
        for _ in range(4_000):
            exchange.delta({"reasoning_content" if hidden else "content": "x" * 50_000})

    server.replies(endless, reply("a synonym", "fast"))
    turn = last(services.assistant.ask("what is akin to quick ?", Scope("me"), "c"))
    assert len(turn.reply.raw) <= services.assistant.limits.reply
    if hidden:
        assert turn.reply.answer == "fast"  # retried once, since nothing had arrived
    else:
        assert (turn.state, turn.reply.status) == (TurnState.ANSWERED, ReplyStatus.TRUNCATED)
    assert server.requests[0].disconnected.wait(20)


@pytest.mark.parametrize("fault", [faults.stalls_after("Half an ans"), faults.never_ends])
def test_closing_the_stream_disconnects(fault: Fault, server: ChatServer, model: RemoteModel) -> None:
    server.replies(fault)
    stream = model.stream(MESSAGES)
    next(piece for piece in stream if piece)
    assert not server.requests[0].disconnected.is_set()
    stream.close()
    assert server.requests[0].disconnected.wait(10)
    assert len(server.requests) == 1


def test_closing_the_model_ends_its_streams(server: ChatServer, model: RemoteModel) -> None:
    server.replies(faults.stalls_after("Half."))
    stream = model.stream(MESSAGES)
    next(piece for piece in stream if piece)
    model.close()
    with pytest.raises(errors.ModelUnavailable):
        list(stream)
    assert server.requests[0].disconnected.wait(10)
    assert "".join(model.stream(MESSAGES)) == "An answer."  # with a new event loop


def run(script: str, server: ChatServer, **environment: str) -> str:
    command = [sys.executable, "-c", script, server.url]
    done = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=os.environ | environment
    )
    return done.stdout.strip()


CALL = """
import os, sys
contacted = set()
def watch(event, arguments):
    if event == "socket.getaddrinfo":
        contacted.add(str(arguments[0]))
    elif event == "socket.connect" and isinstance(arguments[1], tuple):
        contacted.add(str(arguments[1][0]))
sys.addaudithook(watch)

from assistant.models.remote.remote import RemoteModel
from assistant.types import Message, MessageRole
from ui.server.process import prepare_process
prepare_process()
variables = set(os.environ)  # with one more, threads of the index that read them could crash
model = RemoteModel("openai/any", api_base=sys.argv[1])
assert "litellm" not in sys.modules
model.start()
print("".join(model.stream([Message(MessageRole.USER, "A question.")])), model.window, *sorted(contacted), sep="|")
assert set(os.environ) <= variables | {"TIKTOKEN_CACHE_DIR"}  # litellm sets that one itself
"""


@pytest.mark.slow
def test_only_the_server_is_contacted(server: ChatServer) -> None:
    assert run(CALL, server) == "An answer.|8192|127.0.0.1"


LOGGED = """
import logging, sys
logging.basicConfig(level=logging.DEBUG, stream=sys.stdout)
from assistant.models.remote.embeddings import RemoteEmbedder
from assistant.models.remote.remote import RemoteModel
from assistant.types import Message, MessageRole
for name in ("openai/any", "anthropic/any", "ollama_chat/any"):
    model = RemoteModel(name, api_key="sk-secret", api_base=sys.argv[1], backoff_seconds=0.01)
    try:
        print(len("".join(model.stream([Message(MessageRole.USER, "A plover.")]))))
    except Exception as error:
        print(type(error).__name__)
    model.close()
try:
    RemoteEmbedder("openai/any", api_key="sk-secret", api_base=sys.argv[1]).encode(["A plover."])
except Exception as error:
    print(type(error).__name__)
for name in ("httpx", "httpcore.http11", "httpx2", "httpcore2.http11", "hpack.hpack", "openai._base_client", "LiteLLM"):
    logging.getLogger(name).error("plover by %s", name)
print("end")
"""


@pytest.mark.slow
def test_debug_logs_hold_no_key_and_no_prompt(server: ChatServer) -> None:
    server.replies("An answer.", faults.bad_request, faults.bad_request, faults.bad_request)
    output = run(LOGGED, server, LITELLM_LOG="DEBUG", OPENAI_LOG="debug")
    assert "DEBUG:asyncio" in output
    assert "\nend\n" in output
    assert len(server.requests) >= 4
    assert "plover" not in output
    assert "sk-secret" not in output
