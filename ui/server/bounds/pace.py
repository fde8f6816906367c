"""Who asks much waits: requests of those who send many go through one after another, as far as there is time for them.

Each request costs the server far more than whoever sends it. A person at the page sends a few in a minute; a flood must
not keep these waiting, nor be refused where nobody else is there.
"""

import time
from collections import Counter
from collections.abc import Callable

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as Connection

from assistant.types import Scope
from ui.server.guard import NAMED_BY_CONTENT
from ui.server.identity import LOCAL_PERSON, PARTY, PERSON, network, scope_of_person
from ui.streaming.runs import Admission

_AT_ONCE = 30  # requests that wait for nobody
_HALF_LIFE = 5.0  # seconds after which half of them are forgotten
_WAITING = 50  # of one party; the next is refused
_FORGOTTEN = 0.1


class Fading:
    """Counts what each party did of late: what was done so many seconds ago counts half."""

    def __init__(self, half_life: float) -> None:
        self._half_life = half_life
        self._counts: dict[str, float] = {}
        self._since = time.monotonic()

    def add(self, party: str) -> float:
        """One more; how many there are of late."""
        now = time.monotonic()
        if now - self._since > 1.0:
            left = 0.5 ** ((now - self._since) / self._half_life)
            self._counts = {of: count * left for of, count in self._counts.items() if count * left > _FORGOTTEN}
            self._since = now
        self._counts[party] = self._counts.get(party, 0.0) + 1.0
        return self._counts[party]


class PaceMiddleware:
    """Lets through at once who asks little, and all others in one row, whenever the event loop is on time."""

    def __init__(self, app: ASGIApp, is_known: Callable[[Scope], bool]) -> None:
        self._app = app
        self._is_known = is_known
        self._recent = Fading(_HALF_LIFE)
        self._waiting: Counter[str] = Counter()
        self._row = Admission()

    async def __call__(self, connection: Connection, receive: Receive, send: Send) -> None:
        if connection["type"] == "http" and not connection["path"].startswith(NAMED_BY_CONTENT):
            party = connection[PARTY] = self._party(connection)
            if party != LOCAL_PERSON and self._recent.add(party) > _AT_ONCE and not await self._waited(party):
                refusal = PlainTextResponse("Too many requests come from you. Please wait a moment.", 429)
                await refusal(connection, receive, send)
                return
        await self._app(connection, receive, send)

    def _party(self, connection: Connection) -> str:
        person = connection.get(PERSON)
        scope = scope_of_person(person, connection) if person else Scope("nobody yet", network(connection) or "-")
        return scope.person if self._is_known(scope) else scope.address

    async def _waited(self, party: str) -> bool:
        """Whether it was this one's turn; it is not where too many of the party wait already."""
        if self._waiting[party] >= _WAITING:
            return False
        self._waiting[party] += 1
        try:
            await self._row.turn()
        finally:
            self._waiting -= Counter([party])
        return True
