"""Fair queueing between clients: those who send few requests never wait for those who send many.

All requests share one event loop, where each step of a request waits for a step of every other. So few requests of a
client are under way at a time; its others wait, and send nothing meanwhile. Work in threads has separate places
(`WorkPool`), and so have streamed answers (`ui.streaming.runs`).
"""

import asyncio
import math
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from typing import TypeVar
from weakref import WeakValueDictionary

import anyio
from anyio.to_thread import run_sync
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as Connection

from assistant.limits import Allowance
from assistant.types import Scope
from ui.server.identity import LOCAL_PERSON, PERSON, is_new, network, scope_of_person
from ui.server.request_policy import HttpMiddleware
from ui.streaming.runs import Admission, Run, Runs, TooManyAnswers

_PLACES = 4
_PLACES_OF_ASSETS = 16
_PLACES_OF_WORK = 12  # opening the page Memory takes eight
_MANY_TOGETHER = 10  # groups have this multiple of places, or a client with many cookies would bypass the queue
_MOST_WAITING = 200
_SECONDS = 0.25
_SECONDS_BETWEEN_LOOKS = 1.0

T = TypeVar("T")
IsLeft = Callable[[], bool]
"""Return True if no client waits any more."""


class FairQueue:
    """Queue in which each party has some `places`, and each group of parties ten times as many.

    Requests that had to wait for a place also wait until the event loop is on time.
    """

    def __init__(self, places: int = _PLACES, most_waiting: int = _MOST_WAITING) -> None:
        self._most, self._most_waiting = places, most_waiting
        self._places: WeakValueDictionary[tuple[str, str], asyncio.Semaphore] = WeakValueDictionary()
        self._waiting: Counter[str] = Counter()
        self._admission = Admission()

    @asynccontextmanager
    async def place(self, party: str, group: str = "", seconds: float | None = _SECONDS) -> AsyncIterator[None]:
        """Hold a place during the block, for `seconds` at most, since long requests mostly wait for input and output.

        Raises TooManyAnswers: too many requests of the party wait.
        """
        own = self._places.setdefault(("party", party), asyncio.Semaphore(self._most))
        together = self._places.setdefault(("group", group), asyncio.Semaphore(_MANY_TOGETHER * self._most))
        if self._waiting[party] >= self._most_waiting:
            raise TooManyAnswers
        with ExitStack() as held:
            self._waiting[party] += 1
            try:
                for places in (own, together) if group else (own,):
                    has_waited = places.locked()
                    await places.acquire()
                    held.callback(places.release)
                    if has_waited:
                        await self._admission.turn()
            finally:
                self._waiting -= Counter([party])
            if seconds is not None:
                asyncio.get_running_loop().call_later(seconds, held.close)
            yield


class FairQueueMiddleware(HttpMiddleware):
    """Fair queue for requests of everybody but the local person, with a second queue for page assets.

    A party is one person, or all new visitors of an address; visitors of one address form a group.
    """

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(app)
        self._asking, self._opening = FairQueue(), FairQueue(_PLACES_OF_ASSETS)

    async def serve(self, connection: Connection, receive: Receive, send: Send) -> None:
        person = connection.get(PERSON)
        if person == LOCAL_PERSON:
            await self._app(connection, receive, send)
            return
        if person is None or is_new(person):
            party, group = f"new {network(connection)}", ""
        else:
            party, group = person, scope_of_person(person, connection).address
        is_opening = connection["method"] == "GET" and "/queue/" not in connection["path"]
        try:
            async with (self._opening if is_opening else self._asking).place(party, group):
                await self._app(connection, receive, send)
        except TooManyAnswers:
            refusal = PlainTextResponse("Too many requests. Wait a moment.", 429)
            await refusal(connection, receive, send)


class WorkPool:
    """Admission control of work in threads: a fair queue, or `runs` for jobs that ask a model."""

    def __init__(self, runs: Runs, allowance: Allowance) -> None:
        self._runs = runs
        self._line = FairQueue(_PLACES_OF_WORK)
        self.threads = anyio.CapacityLimiter(math.inf)  # places bound them
        self.count = allowance.request

    async def do(
        self,
        job: Callable[[IsLeft], T],
        scope: Scope,
        has_left: Callable[[], Awaitable[bool]] | None = None,
        *,
        asks_model: bool = False,
    ) -> T:
        """Run a job in a thread and return its result.

        A job is stopped when `has_left` returns True or this call is cancelled; it keeps its place until it ends.
        Raises TooOften; TooManyAnswers if there is no place or too many wait; and the errors of the job.
        """
        self.count(scope)
        place = AsyncExitStack()
        run = Run()
        if asks_model:
            run = place.enter_context(self._runs.begin(scope, str(uuid.uuid4())))
        elif scope.person != LOCAL_PERSON:
            party = scope.person if self._runs.is_known(scope) else f"new {scope.address}"
            await place.enter_async_context(self._line.place(party, scope.address, seconds=None))

        async def work() -> T:
            async with place:
                working = asyncio.create_task(run_sync(job, lambda: run.stopped, limiter=self.threads))
                while not working.done():
                    await asyncio.wait([working], timeout=_SECONDS_BETWEEN_LOOKS)
                    if has_left and not working.done() and await has_left():
                        run.stop()
                return working.result()

        try:
            return await asyncio.shield(asyncio.create_task(work()))
        finally:
            run.stop()
