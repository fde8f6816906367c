"""Fair queueing between clients: those who send few requests never wait for those who send many.

All requests share one event loop, where each step of a request waits for a step of every other. So a busy client
gets few places at a time, and fewer while the loop is late; clients that wait send nothing meanwhile.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as Connection

from ui.server.identity import LOCAL_PERSON, PERSON, is_new, network, scope_of_person
from ui.streaming.admission import Admission

_PLACES = 2
_FEW = 7.0
_FEW_OF_A_PAGE = 5.0
_MANY_TOGETHER = 10  # groups may have this multiple of `few`, or a client with many cookies would bypass the queue
_HALF_LIFE = 5.0  # seconds
_FORGOTTEN = 0.1
_MOST_WAITING = 200
_SECONDS = 0.25
_AT_ONCE = 16
_DOUBT = 0.1  # assets of a page whose first request was late should not be late again


class TooManyWait(Exception):
    """Raised for the last waiting request of the client with most, when too many wait."""


class RequestHistory:
    """Exponentially decaying count of requests by party."""

    def __init__(self, half_life: float = _HALF_LIFE, clock: Callable[[], float] = time.monotonic) -> None:
        self._half_life, self._clock = half_life, clock
        self._since = clock()
        self._had: dict[str, float] = {}

    def add(self, party: str) -> None:
        """Count one request of a party."""
        self._had[party] = self[party] + 1.0

    def __getitem__(self, party: str) -> float:
        seconds = self._clock() - self._since
        if seconds > 1.0:
            left = 0.5 ** (seconds / self._half_life)
            self._had = {of: had * left for of, had in self._had.items() if had * left > _FORGOTTEN}
            self._since += seconds
        return self._had.get(party, 0.0)


class FairQueue:
    """Queue with a few `places` for busy clients.

    A party with fewer than `few` recent requests passes at once, while its group has fewer than ten times that. Others
    wait for a place, given to the party with fewest recent requests, and then for `admission`.
    """

    def __init__(
        self, admission: Admission, places: int = _PLACES, few: float = _FEW, most_waiting: int = _MOST_WAITING
    ) -> None:
        self._admission, self._places, self._few, self._most_waiting = admission, places, few, most_waiting
        self._recent = RequestHistory()
        self._taken: set[object] = set()
        self._waiting: list[tuple[str, asyncio.Future[None]]] = []  # in order of arrival

    @asynccontextmanager
    async def place(self, party: str, group: str = "", seconds: float | None = _SECONDS) -> AsyncIterator[None]:
        """Hold a place during the block, for `seconds` at most, since long requests mostly wait for input and output.

        Raises TooManyWait.
        """
        has_few = self._recent[party] < self._few and self._recent[group] < _MANY_TOGETHER * self._few
        self._recent.add(party)
        if group:
            self._recent.add(group)
        if has_few:
            yield
            return
        if len(self._taken) >= self._places:
            await self._wait(party)
        place = object()
        self._taken.add(place)
        try:
            await self._admission.turn()
            if seconds is not None:
                asyncio.get_running_loop().call_later(seconds, self._leave, place)
            yield
        finally:
            self._leave(place)

    async def _wait(self, party: str) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((party, turn))
        if len(self._waiting) > self._most_waiting:
            has_most = Counter(waiting for waiting, _ in self._waiting).most_common(1)[0][0]
            last = max(place for place, (waiting, _) in enumerate(self._waiting) if waiting == has_most)
            refused = self._waiting.pop(last)[1]
            if not refused.done():
                refused.set_exception(TooManyWait())
        try:
            await turn
        except asyncio.CancelledError:
            with suppress(ValueError):
                self._waiting.remove((party, turn))
            self._call_next()  # its turn may have come already
            raise

    def _leave(self, place: object) -> None:
        if place in self._taken:
            self._taken.remove(place)
            self._call_next()

    def _call_next(self) -> None:
        waiting = [one for one in self._waiting if not one[1].done()]
        if waiting and len(self._taken) < self._places:
            called = min(waiting, key=lambda one: self._recent[one[0]])
            self._waiting.remove(called)
            called[1].set_result(None)


class FairQueueMiddleware:
    """Fair queue for requests of everybody but the local person, with a second queue for page assets.

    A party is one person, or all new visitors of an address; visitors of one address form a group.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._asking = FairQueue(Admission(at_once=_AT_ONCE))
        self._opening = FairQueue(Admission(at_once=_AT_ONCE, doubt=_DOUBT), places=_AT_ONCE, few=_FEW_OF_A_PAGE)

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        if connection["type"] != "http" or connection.get(PERSON) == LOCAL_PERSON:
            await self._app(connection, receive, send)
            return
        is_opening = connection["method"] == "GET" and "/queue/" not in connection["path"]
        try:
            async with (self._opening if is_opening else self._asking).place(*_party(connection)):
                await self._app(connection, receive, send)
        except TooManyWait:
            refusal = PlainTextResponse("Too many requests come from you. Please wait a moment.", 429)
            await refusal(connection, receive, send)


def _party(connection: Connection) -> tuple[str, str]:
    """Return the party and the group of a request."""
    person = connection.get(PERSON)
    if person is None or is_new(person):
        return f"new {network(connection)}", ""
    return person, scope_of_person(person, connection).address
