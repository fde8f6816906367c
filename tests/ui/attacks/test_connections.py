"""Connections with slow requests or unread responses keep nobody else out."""

import logging
import socket
import threading
import time
from contextlib import ExitStack

import httpx2
import pytest

from tests.support.people.page_client import PageClient
from tests.support.people.raw import HALF, connect
from tests.support.people.visitors import HERE
from ui.server.connections import BoundedProtocol, OncePerMinute

pytestmark = pytest.mark.promise("slow-requests-are-closed", "too-many-connections")

_TIMES = 200  # more than the buffers of a socket
SLOW_BODY = HALF + b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
BEHIND_ANOTHER = b"GET /robots.txt HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" + SLOW_BODY
UNASKED = b"POST /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n{"
SENT = {"nothing": b"", "head": HALF, "body": SLOW_BODY, "refused": UNASKED, "behind another": BEHIND_ANOTHER}


def test_half_sent_requests_keep_nobody_out(embedded_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BoundedProtocol, "most", 500)
    with ExitStack() as open_ones:
        for number in range(2 * BoundedProtocol.most + 100):
            open_ones.enter_context(connect(embedded_url, (HALF, SLOW_BODY)[number % 2]))
        for _ in range(5):
            assert httpx2.get(embedded_url, timeout=5).status_code == 200
        page = PageClient(embedded_url).open()
        assert page.ask("What is akin to quick?")["state"] == "answered"
        page.close()


def test_address_with_few_requests_keeps_them(embedded_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BoundedProtocol, "most", 60)

    def half_sent_from(address: str) -> socket.socket:
        sent = SLOW_BODY.replace(b"Content-Type", f"X-Forwarded-For: {address}\r\nContent-Type".encode())
        return open_ones.enter_context(connect(embedded_url, sent))

    with ExitStack() as open_ones:
        few = [half_sent_from(HERE) for _ in range(3)]
        time.sleep(0.5)  # until the server has read their address
        for number in range(150):
            half_sent_from(f"198.51.100.{number % 10}")
        assert httpx2.get(embedded_url, timeout=5).status_code == 200
        assert all(map(is_open, few))


@pytest.mark.parametrize("sent", SENT.values(), ids=SENT)
@pytest.mark.parametrize("dribbles", [False, True], ids=["silent", "dribbling"])
def test_request_without_end_is_closed(
    embedded_url: str, sent: bytes, monkeypatch: pytest.MonkeyPatch, *, dribbles: bool
) -> None:
    monkeypatch.setattr(BoundedProtocol, "seconds_for_a_request", 0.5)
    with connect(embedded_url, sent) as connection:
        if dribbles:
            threading.Thread(target=dribble, args=(connection,), daemon=True).start()
        began = time.monotonic()
        while read(connection):
            assert time.monotonic() - began < 9


def test_unread_response_is_closed(embedded_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BoundedProtocol, "seconds_unread", 0.5)
    page = httpx2.get(embedded_url)
    asked = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * _TIMES
    with connect(embedded_url, asked) as connection:
        time.sleep(0.3)
        connection.sendall(b"G")
        time.sleep(1)
        received = sum(map(len, iter(lambda: read(connection), b"")))
    assert 0 < received < len(page.content) * _TIMES


def is_open(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        while connection.recv(1 << 16):
            pass
    except BlockingIOError:  # no more data
        return True
    return False


def dribble(connection: socket.socket) -> None:
    try:
        for _ in range(100):
            connection.sendall(b"x")
            time.sleep(0.1)
    except OSError:
        pass


def read(connection: socket.socket) -> bytes:
    try:
        return connection.recv(1 << 16)
    except ConnectionError:
        return b""


def test_log_repeats_nothing(caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger("tests.repeating")
    logger.addFilter(OncePerMinute())
    for number in range(1000):
        logger.warning("Connection %d was lost", number)
    logger.warning("Something else")
    assert caplog.messages == ["Connection 0 was lost", "Something else"]
