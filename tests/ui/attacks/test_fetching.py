"""No request makes the server open a connection, such as for a file with an address in any wrapping."""

import itertools
import socket
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.people.api_client import ApiClient, token_for
from tests.support.people.page_client import PageClient, address_of
from ui.page.page import PageApp

pytestmark = pytest.mark.promise("no-fetching")

META = {"_type": "gradio.FileData"}
ADDRESSES = ("http://127.0.0.1:{port}/x", "http://nowhere.invalid/x")


def wrapped(file: dict[str, Any]) -> tuple[Any, ...]:
    return file, [file], [[{"deep": [file]}]]


@pytest.fixture
def connections() -> Iterator[list[Any]]:
    """Record connections and name lookups of this process, except those of the test's client."""
    seen: list[Any] = []
    is_over = threading.Event()
    asking = threading.get_ident()

    def note(event: str, told: tuple[Any, ...]) -> None:
        is_connecting = event in {"socket.connect", "socket.getaddrinfo"}
        if is_connecting and threading.get_ident() != asking and not is_over.is_set():
            seen.append((event, str(told)))

    sys.addaudithook(note)  # audit hooks cannot be removed; it records nothing after the test
    yield seen
    is_over.set()


@pytest.fixture
def listening() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_page_fetches_no_input(listening: int, connections: list[Any], embedded_url: str, built_page: PageApp) -> None:
    page = PageClient(embedded_url).open()
    for names, address in itertools.product(built_page.names, ADDRESSES):
        path = address.format(port=listening)
        file = {"path": path, "url": path, "meta": META}
        told = {"file": file, "text": file, "bytes": file, "search": file, "told": file, "question": path, **file}
        for data in (told, *wrapped(file)):
            answer = page.http.post(address_of(".".join(names)), json=page.body(data) | {"files": [file]})
            assert answer.status_code == 200, names
    page.close()
    assert not connections


def test_programs_fetch_no_input(listening: int, connections: list[Any], embedded_url: str, embedded_home: Any) -> None:
    file = {"path": ADDRESSES[0].format(port=listening), "meta": META}
    with ApiClient(embedded_url, token_for("ann", embedded_home)) as program:
        for url in (file["path"], f"{file['path']}.png", "file:///etc/passwd"):
            picture = {"type": "image_url", "image_url": {"url": url}}
            body = {"messages": [{"role": "user", "content": [{"type": "text", "text": "x"}, picture]}]}
            assert program.http.post("/v1/chat/completions", json=body).status_code == 400
        assert program.post("ask", question=file).status_code in {400, 422}
    assert not connections
