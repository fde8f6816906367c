"""What calls of a remote model leak: no other server is contacted or redirected to, no log holds a prompt or key."""

import os
import subprocess
import sys
from contextlib import closing

import pytest

from assistant.errors import ModelMoved
from assistant.models.remote.remote import RemoteModel
from assistant.types import Message, MessageRole
from tests.support.servers import faults
from tests.support.servers.chat_server import ChatServer


@pytest.mark.promise("no-redirects")
@pytest.mark.parametrize("status", [302, 307])
@pytest.mark.parametrize("name", ["openai/x", "anthropic/x", "ollama_chat/x", "gemini/x", "mistral/x"])
def test_no_redirect_is_followed(name: str, status: int, server: ChatServer) -> None:
    address = f"http://127.0.0.1:{server.port}"
    with ChatServer() as elsewhere, closing(RemoteModel(name, api_key="k" * 20, api_base=address)) as model:
        server.answer = lambda _body: lambda exchange: exchange.raw(b"", status, Location=f"{elsewhere.url}/stolen")
        with pytest.raises(ModelMoved):
            list(model.stream([Message(MessageRole.USER, "a private prompt")]))
        assert server.requests
        assert elsewhere.requests == []


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
from assistant.models.remote.remote import RemoteModel
from assistant.types import Message, MessageRole
for name in ("openai/any", "anthropic/any", "ollama_chat/any"):
    model = RemoteModel(name, api_key="sk-secret", api_base=sys.argv[1], backoff_seconds=0.01)
    try:
        print(len("".join(model.stream([Message(MessageRole.USER, "A plover.")]))))
    except Exception as error:
        print(type(error).__name__)
    model.close()
for name in ("httpx", "httpcore.http11", "httpx2", "httpcore2.http11", "hpack.hpack", "openai._base_client", "LiteLLM"):
    logging.getLogger(name).error("plover by %s", name)
print("end")
"""


@pytest.mark.slow
def test_debug_logs_hold_no_key_and_no_prompt(server: ChatServer) -> None:
    server.replies("An answer.", faults.bad_request, faults.bad_request)
    output = run(LOGGED, server, LITELLM_LOG="DEBUG", OPENAI_LOG="debug")
    assert "DEBUG:asyncio" in output
    assert "\nend\n" in output
    assert len(server.requests) >= 3
    assert "plover" not in output
    assert "sk-secret" not in output
