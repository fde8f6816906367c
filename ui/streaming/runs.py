"""Runs: answers being generated, in batches, with stop and admission control."""

import asyncio
import threading
from collections import Counter, deque
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from queue import Empty, SimpleQueue
from time import monotonic
from typing import TypeVar

from assistant.errors import NotedError
from assistant.types import Scope

T = TypeVar("T")
MOST_AT_ONCE = 128
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
        self._over = threading.Event()
        self._wake: Callable[[], object] = lambda: None
        self._pumping: threading.Thread | None = None
        self._error: Exception | None = None

    def stop(self) -> None:
        """Stop the run, from any thread or signal handler. The model stops at its next token."""
        self.stopped = True
        self._wake()

    def batches(self, events: Iterator[T]) -> Iterator[list[T]]:
        """Yield the events in batches until the run is stopped. Raises the errors of `events`."""
        coming: SimpleQueue[T | None] = SimpleQueue()  # a signal handler may interrupt a reader and put None
        due, is_last = 0.0, False
        with self._pumped(events, coming.put, partial(coming.put, None)):
            while not (is_last or self.stopped):
                batch, wait = list[T](), _SECONDS_UNTIL_SIGNALS
                with suppress(Empty):
                    while (event := coming.get(timeout=wait)) is not None:
                        batch.append(event)
                        wait = max(0.0, due - monotonic())
                    is_last = True
                if batch and not self.stopped:
                    due = monotonic() + self._seconds
                    yield batch

    async def batches_in_loop(self, events: Iterator[T]) -> AsyncGenerator[list[T], None]:
        """Yield `batches` in an event loop, which is woken once per batch."""
        loop = asyncio.get_running_loop()
        items, came, over = deque[T](), asyncio.Event(), asyncio.Event()

        def call(tell: Callable[[], None]) -> None:
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(tell)

        def put(event: T) -> None:
            items.append(event)
            if len(items) == 1:  # else the loop is about to take all
                call(came.set)

        def end() -> None:
            call(over.set)
            call(came.set)

        due, is_last = 0.0, False
        with self._pumped(events, put, end):
            while not (is_last or self.stopped):
                await came.wait()
                with suppress(TimeoutError):
                    async with asyncio.timeout_at(due):
                        await over.wait()
                came.clear()
                is_last, batch = over.is_set(), list[T]()
                while items:  # until it is empty: `put` wakes the loop for the first one only
                    batch.append(items.popleft())
                if batch and not self.stopped:
                    due = loop.time() + self._seconds
                    yield batch

    def ended(self, seconds: float) -> None:
        """Wait until the stopped turn is recorded, for `seconds` at most."""
        if self._pumping is not None:
            self._pumping.join(seconds)

    def leave(self) -> None:
        """Stop the run and wake `left`."""
        self.stop()
        self._over.set()

    def left(self, seconds: float) -> None:
        """Wait until the client has left the run, for `seconds` at most."""
        self._over.wait(seconds)

    @contextmanager
    def _pumped(self, events: Iterator[T], put: Callable[[T], None], end: Callable[[], None]) -> Iterator[None]:
        """Put the events from a thread during the block, and raise their error at its end unless stopped."""
        self._wake = end
        self._pumping = threading.Thread(target=self._pump, args=(events, put, end), name="run", daemon=True)
        self._pumping.start()
        try:
            yield
            if self._error is not None and not self.stopped:
                raise self._error
        finally:
            self.stopped = True

    def _pump(self, events: Iterator[T], put: Callable[[T], None], end: Callable[[], None]) -> None:
        try:
            while not self.stopped and (event := next(events, None)) is not None:
                put(event)
        except Exception as failure:  # re-raised for the reader
            self._error = failure
        finally:
            close = getattr(events, "close", None)
            if close is not None:
                close()
            end()


class Runs:
    """Admission control of runs: one per user and page, and `most` in all.

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
        with self._changing:
            if key in self._going:
                raise StillAnswering
            quarter = max(1, self.most // 4)
            if len(self._going) >= self.most or self._by_party[party] >= quarter:
                raise TooManyAnswers
            if is_new and self._newcomers >= 3 * quarter:
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
