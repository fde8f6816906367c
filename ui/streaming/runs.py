"""Runs: answers being generated, in batches, with stop and admission control."""

import asyncio
import threading
from collections import Counter, deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from assistant.errors import NotedError
from assistant.types import Scope
from ui.streaming.inbox import Inbox, LoopInbox, ThreadInbox

MOST_AT_ONCE = 128
_SECONDS_BETWEEN_LOOKS = 1.0

T = TypeVar("T")


class TooManyAnswers(NotedError):
    code = "too_many_answers"


class StillAnswering(NotedError):
    code = "still_answering"


class Run:
    """One answer being generated, in batches at least `seconds` apart.

    A thread of the run takes the events from the assistant, since the next may take as long as the model thinks and
    Stop must not wait for it. That thread also closes the assistant's generator.
    """

    def __init__(self, seconds: float, name: str = "") -> None:
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

    async def wait_for(self, turn: Coroutine[Any, Any, None]) -> None:
        """Wait for admission, or until the run is stopped."""
        waiting = asyncio.create_task(turn)
        self._wake = partial(asyncio.get_running_loop().call_soon_threadsafe, waiting.cancel)
        try:
            if not self.stopped:
                await asyncio.wait([waiting])
            if waiting.done() and not waiting.cancelled():
                waiting.result()
        finally:
            self._wake = lambda: None
            waiting.cancel()

    def batches(self, events: Iterator[T]) -> Iterator[list[T]]:
        """Yield the events in batches until the run is stopped. Raises the errors of `events`."""
        inbox: ThreadInbox[T] = ThreadInbox(self._seconds)
        with self._pumped(events, inbox):
            is_last = False
            while not (is_last or self.stopped):
                batch, is_last = inbox.take()
                if batch and not self.stopped:
                    yield batch

    async def batches_in_loop(self, events: Iterator[T]) -> AsyncGenerator[list[T], None]:
        """Yield `batches` in an event loop."""
        inbox: LoopInbox[T] = LoopInbox(self._seconds)
        with self._pumped(events, inbox):
            is_last = False
            while not (is_last or self.stopped):
                batch, is_last = await inbox.take()
                if batch and not self.stopped:
                    yield batch

    async def work(self, job: Callable[[], T], has_left: Callable[[], Awaitable[bool]]) -> T:
        """Run a job in its own thread and return its result. Raises the errors of the job.

        Sets `stopped` when `has_left` returns True, and returns only when the job ends.
        """
        done: Future[T] = Future()

        def do() -> None:
            try:
                done.set_result(job())
            except Exception as failure:  # re-raised for the waiting client
                done.set_exception(failure)

        threading.Thread(target=do, name="run", daemon=True).start()
        waiting = asyncio.wrap_future(done)
        while not waiting.done():
            await asyncio.wait([waiting], timeout=_SECONDS_BETWEEN_LOOKS)
            self.stopped = self.stopped or (not waiting.done() and await has_left())
        return waiting.result()

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
    def _pumped(self, events: Iterator[T], inbox: Inbox[T]) -> Iterator[None]:
        """Feed the events into the inbox during the block, and raise their error at its end unless stopped."""
        self._wake = inbox.close
        self._pumping = threading.Thread(target=self._pump, args=(events, inbox), name="run", daemon=True)
        self._pumping.start()
        try:
            yield
            if self._error is not None and not self.stopped:
                raise self._error
        finally:
            self.stopped = True

    def _pump(self, events: Iterator[T], inbox: Inbox[T]) -> None:
        try:
            while not self.stopped and (event := next(events, None)) is not None:
                inbox.put(event)
        except Exception as failure:  # re-raised for the reader
            self._error = failure
        finally:
            close = getattr(events, "close", None)
            if close is not None:
                close()
            inbox.close()


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
        self._known = 0
        self._changing = threading.Lock()
        self._going: dict[tuple[str, str], Run] = {}
        self._by_party: Counter[str] = Counter()
        self._stopped_early: deque[tuple[str, str]] = deque(maxlen=most)  # by user and name, stopped before they began

    @contextmanager
    def begin(self, scope: Scope, page: str, name: str = "") -> Iterator[Run]:
        """Hold a run of this user and page during the block; it may be stopped already.

        Raises StillAnswering: there is one already; TooManyAnswers.
        """
        key, is_known = (scope.person, page), self.is_known(scope)
        party = scope.person if is_known else scope.address
        with self._changing:
            if key in self._going:
                raise StillAnswering
            quarter = max(1, self.most // 4)
            newcomers = len(self._going) - self._known
            if len(self._going) >= self.most or self._by_party[party] >= quarter:
                raise TooManyAnswers
            if not is_known and newcomers >= 3 * quarter:
                raise TooManyAnswers
            self._by_party[party] += 1
            self._known += is_known
            run = self._going[key] = Run(self._seconds, name)
            run.stopped = (scope.person, name) in self._stopped_early
        try:
            yield run
        finally:
            with self._changing:
                del self._going[key]
                self._by_party -= Counter([party])
                self._known -= is_known
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
