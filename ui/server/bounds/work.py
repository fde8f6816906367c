"""Admission control of requests to the page and the API: count each, queue it, and stop it when its client leaves.

Streamed answers have places of their own (`ui.streaming.runs`) and are only counted here.
"""

import asyncio
import math
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TypeVar

import anyio
from anyio.to_thread import run_sync

from assistant.ports import Allowance
from assistant.types import Scope
from ui.server.bounds.fair_queue import FairQueue, TooManyWait
from ui.server.identity import LOCAL_PERSON
from ui.streaming.runs import Run, Runs, TooManyAnswers

_PLACES = 12  # opening the page Memory takes eight
_SECONDS_BETWEEN_LOOKS = 1.0

T = TypeVar("T")
IsLeft = Callable[[], bool]
"""Return True if no client waits any more."""


async def _nobody_left() -> bool:
    return False


class WorkPool:
    """Admission control of jobs: a fair queue, or `Runs` for jobs that ask a model.

    Args:
        runs: admission control of jobs that ask a model.
        allowance: rate limit of requests.
    """

    def __init__(self, runs: Runs, allowance: Allowance) -> None:
        self._runs = runs
        self._line = FairQueue(_PLACES)
        self.threads = anyio.CapacityLimiter(math.inf)  # places bound them
        self.count = allowance.request

    async def do(
        self,
        job: Callable[[IsLeft], T],
        scope: Scope,
        has_left: Callable[[], Awaitable[bool]] = _nobody_left,
        *,
        asks_model: bool = False,
    ) -> T:
        """Run a job in a thread and return its result.

        A job is stopped when `has_left` returns True or this call is cancelled; it keeps its place until it ends.
        Raises TooOften; TooManyAnswers if there is no place or too many wait; and the errors of the job.
        """
        self.count(scope)
        place = AsyncExitStack()
        run = await place.enter_async_context(self._place(scope, asks_model=asks_model))
        working = asyncio.create_task(self._work(place, run, job, has_left))
        try:
            return await asyncio.shield(working)
        finally:
            run.stop()

    @asynccontextmanager
    async def _place(self, scope: Scope, *, asks_model: bool) -> AsyncIterator[Run]:
        if asks_model:
            with self._runs.begin(scope, str(uuid.uuid4())) as run:
                yield run
            return
        async with AsyncExitStack() as waiting:
            if scope.person != LOCAL_PERSON:
                party = scope.person if self._runs.is_known(scope) else f"new {scope.address}"
                try:
                    await waiting.enter_async_context(self._line.place(party, scope.address, seconds=None))
                except TooManyWait:
                    raise TooManyAnswers from None
            yield Run()

    async def _work(
        self, place: AsyncExitStack, run: Run, job: Callable[[IsLeft], T], has_left: Callable[[], Awaitable[bool]]
    ) -> T:
        async with place:
            working = asyncio.create_task(run_sync(job, lambda: run.stopped, limiter=self.threads))
            while not working.done():
                await asyncio.wait([working], timeout=_SECONDS_BETWEEN_LOOKS)
                run.stopped = run.stopped or (not working.done() and await has_left())
            return working.result()
