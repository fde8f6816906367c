"""A server that points elsewhere gets no prompt sent there: whatever protocol, chat or embeddings."""

from collections.abc import Callable, Iterator
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
def redirecting(code: int) -> Iterator[tuple[str, list[str]]]:
    """Answer with a redirect to itself; yield the address, and the paths that were asked for."""
    asked: list[str] = []

    class Redirects(BaseHTTPRequestHandler):
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

    server = ThreadingHTTPServer(("0.0.0.0", 0), Redirects)  # noqa: S104  # as another host too
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()


def ask(name: str, address: str) -> None:
    with closing(EventLoopThread()) as loop:
        list(RemoteModel(name, api_key="k" * 20, api_base=address, loop=loop).stream(PROMPT))


def embed(name: str, address: str) -> None:
    RemoteEmbedder(name, api_key="k" * 20, api_base=address).encode(["a private text"])


CALLS = [
    *((ask, f"{provider}/x") for provider in ("openai", "anthropic", "ollama_chat", "gemini", "mistral")),
    *((embed, f"{provider}/x") for provider in ("openai", "mistral")),
]


@pytest.mark.parametrize("code", [301, 307])
@pytest.mark.parametrize(("call", "name"), CALLS)
def test_redirect_is_not_followed(call: Callable[[str, str], None], name: str, code: int) -> None:
    with redirecting(code) as (address, asked), pytest.raises(ModelMoved):
        call(name, address)
    assert asked
    assert not [path for path in asked if path.startswith("/stolen")]
