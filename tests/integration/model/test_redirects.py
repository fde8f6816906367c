"""A server that redirects gets no prompt sent elsewhere, for any protocol, chat or embeddings."""

from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from assistant.errors import ModelMoved
from assistant.models.remote.embeddings import RemoteEmbedder
from assistant.models.remote.event_loop import EventLoopThread
from assistant.models.remote.remote import RemoteModel
from assistant.types import Message, MessageRole

pytestmark = pytest.mark.promise("no-redirects")

PROMPT = (Message(MessageRole.USER, "a private prompt"),)


@pytest.fixture(params=[302, 307])
def asked(request: pytest.FixtureRequest) -> Iterator[list[str]]:
    """Yield the requested paths of a server that redirects to another address of itself; first its own address."""

    class Redirects(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            asked.append(self.path)
            self.send_response(request.param if not self.path.startswith("/stolen") else 200)
            self.send_header("location", f"http://127.0.0.2:{server.server_port}/stolen")
            self.send_header("content-length", "0")
            self.end_headers()

        def do_GET(self) -> None:
            self.do_POST()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("0.0.0.0", 0), Redirects)  # noqa: S104  as another host too
    asked = [f"http://127.0.0.1:{server.server_port}"]
    Thread(target=server.serve_forever, daemon=True).start()
    yield asked
    server.shutdown()
    server.server_close()


NAMES = ("openai/x", "anthropic/x", "ollama_chat/x", "gemini/x", "mistral/x")


@pytest.mark.parametrize("name", NAMES)
def test_model_follows_no_redirect(name: str, asked: list[str]) -> None:
    with closing(EventLoopThread()) as loop:
        model = RemoteModel(name, api_key="k" * 20, api_base=asked[0], loop=loop)
        with pytest.raises(ModelMoved):
            list(model.stream(PROMPT))
    assert len(asked) > 1
    assert not [path for path in asked if path.startswith("/stolen")]


@pytest.mark.parametrize("name", ["openai/x", "mistral/x"])
def test_embedder_follows_no_redirect(name: str, asked: list[str]) -> None:
    with pytest.raises(ModelMoved):
        RemoteEmbedder(name, api_key="k" * 20, api_base=asked[0]).encode(["a private text"])
    assert len(asked) > 1
    assert not [path for path in asked if path.startswith("/stolen")]
