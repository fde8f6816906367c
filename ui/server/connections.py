"""Limit connections: their number, the seconds for a whole request, and the seconds that a response stays unread.

Uvicorn has no timeout for slow requests or slow readers: a thousand idle connections would lock everybody out and
flood the log.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import defaultdict
from contextlib import suppress
from functools import lru_cache
from typing import Any

import h11
from uvicorn.config import HTTP_PROTOCOLS
from uvicorn.protocols.http.h11_impl import H11Protocol

from ui.server.identity import network
from ui.server.request_policy import IMPORT

_MOST = 1_000
_FILES = 4_096
_SECONDS_BETWEEN_LOOKS = 0.1
_SECONDS_UNTIL_READ = 1.0
_LOGGERS = ("uvicorn.error", "asyncio")
_SECONDS_BETWEEN_REPEATS = 60.0


class BoundedProtocol(H11Protocol):
    """Uvicorn's HTTP protocol with timeouts and a limit on connections.

    A connection closes if its request is incomplete after `seconds_for_a_request` (restarted by each part of an
    import), or if its response stays unread for `seconds_unread`. Above `most` connections, the oldest ones of the
    address with the most are closed: first those with a half-sent request, then idle ones, then active ones. Several
    are closed at a time, since the search visits all connections. Connections of the last second are kept, since a busy
    server may not have read their requests yet; above twice `most`, even these are closed.
    """

    most = _MOST
    seconds_for_a_request = 20.0
    seconds_unread = 60.0
    _looked = 0.0

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._ends: asyncio.TimerHandle | None = None
        self._since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait(self.seconds_for_a_request)
        if len(self.connections) > self.most:
            self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait(None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._ends and self.cycle is not None and self.scope["path"] == IMPORT:
            self._wait(self.seconds_for_a_request)
        self._wait_for_the_rest()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._wait_for_the_rest()  # a pipelined request may have begun

    def pause_writing(self) -> None:
        super().pause_writing()
        self._wait(self.seconds_unread)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._wait(None)
        self._wait_for_the_rest()

    def abort(self) -> None:
        """Close the connection at once and discard unsent data."""
        self._wait(None)
        self.connections.discard(self)
        self.transport.abort()

    def _make_room(self) -> None:
        now, is_over = self.loop.time(), len(self.connections) > 2 * self.most
        if not is_over and now - BoundedProtocol._looked < _SECONDS_BETWEEN_LOOKS:
            return
        BoundedProtocol._looked = now
        since = now if is_over else now - _SECONDS_UNTIL_READ
        others = (other for other in self.connections if isinstance(other, BoundedProtocol) and other is not self)
        settled = [other for other in others if other._since <= since]
        first = min((other._rank for other in settled), default=0)
        by_address: defaultdict[str, list[BoundedProtocol]] = defaultdict(list)
        for other in sorted(settled, key=lambda other: other._since):
            if other._rank == first:
                client = other.scope["client"] if other.scope else other.client  # a proxy may not have sent it yet
                by_address[_network_of(client[0]) if client else ""].append(other)
        of_most = max(by_address.values(), key=len, default=[])
        for other in of_most[: self.most // 10 + 1]:
            other.abort()

    @property
    def _rank(self) -> int:
        """Return 0 for a half-sent request, 1 for a connection between two requests, and 2 for one at work."""
        if not self._ends:
            return 2
        is_idle = self.cycle is not None and self.conn.their_state is h11.IDLE and not self.conn.trailing_data[0]
        return int(is_idle)

    def _wait_for_the_rest(self) -> None:
        is_whole = self.cycle is not None and not self.cycle.response_complete and not self.cycle.more_body
        if is_whole and not self.flow.write_paused:  # later bytes belong to the next request
            self._wait(None)
        elif self._ends is None:  # the timeout runs from the first byte
            self._wait(self.seconds_for_a_request)

    def _wait(self, seconds: float | None) -> None:
        """Restart the timeout, to end in `seconds`; None stops it."""
        if self._ends is not None:
            self._ends.cancel()
        self._ends = self.loop.call_later(seconds, self.abort) if seconds is not None else None
        self._since = self.loop.time()


@lru_cache(maxsize=_FILES)  # with too many connections, each new one compares all others
def _network_of(host: str) -> str:
    return network({"client": (host, 0)})


class OncePerMinute(logging.Filter):
    """Log filter that passes the same message once per minute, whatever its arguments."""

    def __init__(self) -> None:
        super().__init__()
        self._said: dict[tuple[str, str], float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        now = time.monotonic()
        raised = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else ""
        said = str(record.msg)[:80], raised
        if now - self._said.get(said, -_SECONDS_BETWEEN_REPEATS) < _SECONDS_BETWEEN_REPEATS:
            return False
        if len(self._said) >= _MOST:
            self._said.clear()
        self._said[said] = now
        return True


def bound_connections() -> None:
    """Install `BoundedProtocol`, which Gradio would not accept, and the log filter in uvicorn for this process."""
    HTTP_PROTOCOLS["auto"] = f"{__name__}:{BoundedProtocol.__name__}"
    BoundedProtocol.most = min(_MOST, _files() // 4)
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(known, OncePerMinute) for known in logger.filters):
            logger.addFilter(OncePerMinute())


def _files() -> int:
    """Raise the limit of open files to 4,096 if the system allows it, and return the limit or 4,096."""
    with suppress(ImportError):  # not everywhere
        from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit, setrlimit

        soft, hard = getrlimit(RLIMIT_NOFILE)
        files = _FILES if hard == RLIM_INFINITY else min(_FILES, hard)
        if RLIM_INFINITY != soft < files:
            setrlimit(RLIMIT_NOFILE, (files, hard))
        return files
    return _FILES
