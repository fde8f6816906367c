"""Answers being generated: batches, stop, limits on how many there are, admission control, and several readers."""

import asyncio
import math
import threading
from collections import Counter, deque
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager, suppress
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, Generic, TypeVar

from anyio import CapacityLimiter
from anyio.to_thread import run_sync

from assistant.errors import NotedError
from assistant.types import Scope

T = TypeVar("T")
MOST_AT_ONCE = 128
SECONDS_UNREAD = 10.0
_MOST_READERS = 4
_SECONDS_UNTIL_SIGNALS = 0.5  # a signal that arrives just before a wait is handled only after it


class TooManyAnswers(NotedError):
    code = "too_many_answers"


class StillAnswering(NotedError):
    code = "still_answering"


class Run:
    """One answer being generated, in batches at least `seconds` apart.

    A thread of the run takes the events from the assistant, since the next may take as long as the model thinks and
    Stop must not wait for it. That thread also closes the assistant's generator.
    """

    def __init__(self, seconds: float = 0.0, name: str = "") -> None:
        self.name = name
        self.stopped = False
        self._seconds = seconds
        self._left = threading.Event()
        # None wakes the reader. A signal handler may put it while it interrupts the reader.
        self._coming, self._ended = SimpleQueue[Any](), SimpleQueue[None]()
        self._pumping: threading.Thread | None = None
        self._error: Exception | None = None

    def stop(self) -> None:
        """Stop the run, from any thread or signal handler. The model stops at its next token."""
        self.stopped = True
        self._coming.put(None)

    def batches(self, events: Iterator[T]) -> Iterator[list[T]]:
        """Yield the events in batches until the run is stopped. Raises the errors of `events`."""
        pumping = threading.Thread(target=self._pump, args=(events,), name="run", daemon=True)
        pumping.start()  # reads nothing if the run was stopped before
        self._pumping = pumping
        due, is_last = 0.0, False
        try:
            while not (is_last or self.stopped):
                batch = list[T]()
                with suppress(Empty):
                    event = self._coming.get(timeout=_SECONDS_UNTIL_SIGNALS)
                    with suppress(Empty):  # wake once for a batch, not for each event
                        self._ended.get(timeout=max(0.0, due - monotonic()))
                    while event is not None:
                        batch.append(event)
                        event = self._coming.get_nowait()
                    is_last = True
                if batch and not self.stopped:
                    due = monotonic() + self._seconds
                    yield batch
            if self._error is not None and not self.stopped:
                raise self._error
        finally:
            self.stopped = True

    def batches_in_loop(self, events: Iterator[T]) -> AsyncGenerator[list[T], None]:
        """Yield `batches` in an event loop."""
        return iterate_in_threads(self.batches(events), self.stop)

    def ended(self, seconds: float) -> None:
        """Wait until the stopped turn is recorded, for `seconds` at most."""
        if self._pumping is not None:
            self._pumping.join(seconds)

    def leave(self) -> None:
        """Stop the run and wake `left`."""
        self.stop()
        self._left.set()

    def left(self, seconds: float) -> None:
        """Wait until the client has left the run, for `seconds` at most."""
        self._left.wait(seconds)

    def _pump(self, events: Iterator[Any]) -> None:
        try:
            while not self.stopped and (event := next(events, None)) is not None:
                self._coming.put(event)
        except Exception as failure:  # re-raised for the reader
            self._error = failure
        finally:
            close = getattr(events, "close", None)
            if close is not None:
                close()
            self._coming.put(None)
            self._ended.put(None)


async def iterate_in_threads(items: Iterator[T], stop: Callable[[], object]) -> AsyncGenerator[T, None]:
    """Yield items in an event loop, each awaited in a thread; call `stop`, which wakes a waiting one, at the end."""
    threads = CapacityLimiter(math.inf)  # places bound them
    try:
        while (item := await run_sync(next, items, None, abandon_on_cancel=True, limiter=threads)) is not None:
            yield item
    finally:
        stop()


class Runs:
    """Admission control of runs: one per user and page, and `most` in total.

    Users who are not `is_known` get at most three quarters of all places, and those of one address a quarter, so that
    unread answers of one client block nobody else. No known user gets more than a quarter.
    """

    def __init__(
        self, most: int = MOST_AT_ONCE, seconds: float = 0.1, is_known: Callable[[Scope], bool] = lambda _scope: True
    ) -> None:
        self.most = most
        self._seconds = seconds
        self.is_known = is_known
        self._changing = threading.Lock()
        self._going: dict[tuple[str, str], Run] = {}
        self._by_party: Counter[str] = Counter()  # known users, and addresses of newcomers
        self._newcomers = 0
        self._stopped_early: deque[tuple[str, str]] = deque(maxlen=most)  # by user and name, stopped before they began

    @contextmanager
    def begin(self, scope: Scope, page: str, name: str = "") -> Iterator[Run]:
        """Hold a run of this user and page during the block; it may be stopped already.

        Raises StillAnswering: there is one already; TooManyAnswers.
        """
        key, is_new = (scope.person, page), not self.is_known(scope)
        party = scope.address if is_new else scope.person
        quarter = max(1, self.most // 4)
        with self._changing:
            if key in self._going:
                raise StillAnswering
            is_full = len(self._going) >= self.most or self._by_party[party] >= quarter
            if is_full or (is_new and self._newcomers >= 3 * quarter):
                raise TooManyAnswers
            self._by_party[party] += 1
            self._newcomers += is_new
            run = self._going[key] = Run(self._seconds, name)
            run.stopped = (scope.person, name) in self._stopped_early
        try:
            yield run
        finally:
            with self._changing:
                del self._going[key]
                self._by_party -= Counter([party])
                self._newcomers -= is_new
            run.leave()

    def stopped(self, scope: Scope, page: str) -> Run | None:
        """Return the run of this user and page if it is stopped but has not ended."""
        with self._changing:
            run = self._going.get((scope.person, page))
        return run if run and run.stopped else None

    def stop(self, scope: Scope, name: str) -> None:
        """Stop the user's run with this name, on whichever page.

        A stop may arrive before its run begins, which then begins stopped.
        """
        with self._changing:
            going = [run for where, run in self._going.items() if where[0] == scope.person and run.name == name]
            if not going:
                self._stopped_early.append((scope.person, name))
        for run in going:
            run.stop()


class Admission:
    """Queue of new answers; running ones come first, since a start takes far more processor time than a word.

    Each waits until the event loop wakes up at most `late` seconds late from a sleep of `look`, for `longest` at most.
    """

    def __init__(self, look: float = 0.02, late: float = 0.005, longest: float = 0.5) -> None:
        self._look, self._late, self._longest = look, late, longest
        self._queue = asyncio.Lock()

    async def turn(self) -> None:
        """Return when the next answer may start."""
        loop = asyncio.get_running_loop()
        async with self._queue:
            until = loop.time() + self._longest
            while (due := loop.time() + self._look) < until:
                await asyncio.sleep(self._look)
                if loop.time() - due <= self._late:
                    return


class SharedStream(Generic[T]):
    """The updates of a run, each cumulative, for the page that began it and for pages that connect later.

    A page that reloads leaves it without readers for a moment, so it is cancelled only after `seconds` without any.
    """

    def __init__(self, name: str, updates: AsyncGenerator[T, None], seconds: float = SECONDS_UNREAD) -> None:
        self.name = name
        self.latest: T | None = None
        self._seconds = seconds
        self._readers = 0
        self._came = asyncio.Event()
        self.task = asyncio.create_task(self._take(updates))
        self.task.add_done_callback(lambda _task: self._came.set())

    @property
    def has_room(self) -> bool:
        """Return True if another page may read; the number of readers is limited."""
        return self._readers < _MOST_READERS

    async def read(self) -> AsyncGenerator[T, None]:
        """Yield the latest update and later ones; some may be skipped. Raises the errors of the run."""
        self._readers += 1
        seen: T | None = None
        try:
            while self.latest is not seen or not self.task.done():
                came = self._came
                if self.latest is seen:
                    await came.wait()
                elif (seen := self.latest) is not None:
                    yield seen
            self.task.result()
        finally:
            self._readers -= 1
            asyncio.get_running_loop().call_later(self._seconds, self._end_unread)

    async def _take(self, updates: AsyncGenerator[T, None]) -> None:
        async with aclosing(updates):
            async for self.latest in updates:
                came, self._came = self._came, asyncio.Event()
                came.set()

    def _end_unread(self) -> None:
        if not self._readers:
            self.task.cancel()
