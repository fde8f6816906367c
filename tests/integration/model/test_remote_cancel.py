"""Leaving ends the call to the model at once, and many people at once do not get each other's text."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from assistant.errors import ModelUnavailable
from assistant.models.remote.remote import RemoteModel
from assistant.types import Message, Role
from tests.support.servers import faults
from tests.support.servers.chat_server import ChatServer
from tests.support.servers.faults import Fault

MESSAGES = (Message(Role.USER, "A question."),)


@pytest.fixture
def model(server: ChatServer) -> Iterator[RemoteModel]:
    model = RemoteModel("openai/any", api_base=server.url)
    yield model
    model.close()


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
    with pytest.raises(ModelUnavailable):
        list(stream)
    assert server.requests[0].disconnected.wait(10)
    assert "".join(model.stream(MESSAGES)) == "An answer."  # the loop starts again


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
from assistant.types import Message, Role
from ui.server.process import prepare_process
prepare_process()
variables = set(os.environ)  # with one more, threads of the index that read them could crash
model = RemoteModel("openai/any", api_base=sys.argv[1])
assert "litellm" not in sys.modules
model.start()
print("".join(model.stream([Message(Role.USER, "A question.")])), model.window, *sorted(contacted), sep="|")
assert set(os.environ) == variables
"""


def test_only_the_server_is_contacted(server: ChatServer) -> None:
    assert run(CALL, server) == "An answer.|8192|127.0.0.1"


LOGGED = """
import logging, sys
logging.basicConfig(level=logging.DEBUG, stream=sys.stdout)
from assistant.models.remote.embeddings import RemoteEmbedder
from assistant.models.remote.remote import RemoteModel
from assistant.types import Message, Role
for name in ("openai/any", "anthropic/any", "ollama_chat/any"):
    model = RemoteModel(name, api_key="sk-secret", api_base=sys.argv[1], backoff_seconds=0.01)
    try:
        print(len("".join(model.stream([Message(Role.USER, "A plover.")]))))
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


def test_debug_logs_hold_no_key_and_no_prompt(server: ChatServer) -> None:
    server.replies("An answer.", faults.bad_request, faults.bad_request, faults.bad_request)
    output = run(LOGGED, server, LITELLM_LOG="DEBUG", OPENAI_LOG="debug")
    assert "DEBUG:asyncio" in output
    assert "\nend\n" in output
    assert len(server.requests) >= 4
    assert "plover" not in output
    assert "sk-secret" not in output
