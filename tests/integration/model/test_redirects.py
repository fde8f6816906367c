"""A server that points elsewhere gets no prompt sent there: whatever protocol, chat or embeddings."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from assistant.errors import ModelMoved
from assistant.models.remote.embeddings import RemoteEmbedder
from assistant.models.remote.event_loop import EventLoopThread
from assistant.models.remote.remote import RemoteModel
from assistant.types import Message, Role

pytestmark = pytest.mark.promise("no-redirects")

PROMPT = (Message(Role.USER, "a private prompt"),)


@contextmanager
def pointing(code: int) -> Iterator[tuple[str, list[str]]]:
    """A server that answers with a redirect to itself; its address, and the paths that were asked for."""
    asked: list[str] = []

    class Points(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            asked.append(self.path)
            self.send_response(code if not self.path.startswith("/stolen") else 200)
            self.send_header("location", f"http://127.0.0.2:{server.server_port}/stolen")
            self.send_header("content-length", "0")
            self.end_headers()

        def do_GET(self) -> None:
            self.do_POST()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("0.0.0.0", 0), Points)  # noqa: S104  # as another host too
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("name", ["openai/x", "anthropic/claude-x", "ollama_chat/x", "gemini/gemini-x", "mistral/x"])
def test_a_model_that_points_elsewhere_gets_nothing_sent_there(name: str, code: int) -> None:
    with pointing(code) as (address, asked), closing(EventLoopThread()) as loop:
        model = RemoteModel(name, api_key="k" * 20, api_base=address, loop=loop)
        with pytest.raises(ModelMoved):
            list(model.stream(PROMPT))
    assert asked
    assert not [path for path in asked if path.startswith("/stolen")]


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("name", ["openai/x", "mistral/x"])
def test_nor_does_an_embedder(name: str, code: int) -> None:
    with pointing(code) as (address, asked), pytest.raises(ModelMoved):
        RemoteEmbedder(name, api_key="k" * 20, api_base=address).encode(["a private text"])
    assert asked
    assert not [path for path in asked if path.startswith("/stolen")]
