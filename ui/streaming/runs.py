"""Runs: answers that are being written. Each can be stopped, and hands on what has come at a steady pace."""

import asyncio
import threading
from collections import Counter, deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from assistant.errors import NotedError
from assistant.events import Event
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
    """One answer being written, in batches of so many seconds at least.

    The events are taken from the assistant in a thread of the run, because the next one may take as long as a model
    thinks, and *Stop* shall not wait for it. Closing the assistant's generator is left to that thread too.
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
        """End the run, from any thread or signal handler. The model stops with the next word that it sends."""
        self.stopped = True
        self._wake()

    async def wait_for(self, turn: Coroutine[Any, Any, None]) -> None:
        """Wait for the run's turn to begin, but not once it is stopped: then it has little left to do."""
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

    def batches(self, events: Iterator[Event]) -> Iterator[list[Event]]:
        """The events, in order, those together that came meanwhile, until the run is stopped. Raises as they do."""
        inbox: ThreadInbox[Event] = ThreadInbox(self._seconds)
        with self._pumped(events, inbox):
            is_last = False
            while not (is_last or self.stopped):
                batch, is_last = inbox.take()
                if batch and not self.stopped:
                    yield batch

    async def batches_in_loop(self, events: Iterator[Event]) -> AsyncGenerator[list[Event], None]:
        """`batches`, for an event loop."""
        inbox: LoopInbox[Event] = LoopInbox(self._seconds)
        with self._pumped(events, inbox):
            is_last = False
            while not (is_last or self.stopped):
                batch, is_last = await inbox.take()
                if batch and not self.stopped:
                    yield batch

    async def work(self, job: Callable[[], T], has_left: Callable[[], Awaitable[bool]]) -> T:
        """What a job comes to, done in a thread of its own; raises as it does.

        The run is stopped where `has_left` says that nobody waits for it any more, and lasts until the job has ended.
        """
        done: Future[T] = Future()

        def do() -> None:
            try:
                done.set_result(job())
            except Exception as failure:  # whatever it is, who waits gets it
                done.set_exception(failure)

        threading.Thread(target=do, name="run", daemon=True).start()
        waiting = asyncio.wrap_future(done)
        while not waiting.done():
            await asyncio.wait([waiting], timeout=_SECONDS_BETWEEN_LOOKS)
            self.stopped = self.stopped or (not waiting.done() and await has_left())
        return waiting.result()

    def ended(self, seconds: float) -> None:
        """Wait until what was stopped is recorded, for so many seconds at most."""
        if self._pumping is not None:
            self._pumping.join(seconds)

    def leave(self) -> None:
        """Nobody waits for it any more."""
        self.stop()
        self._over.set()

    def left(self, seconds: float) -> None:
        """Wait until nobody waits for it any more, for so many seconds at most."""
        self._over.wait(seconds)

    @contextmanager
    def _pumped(self, events: Iterator[Event], inbox: Inbox[Event]) -> Iterator[None]:
        """The events go into the inbox within the block, which raises what they raised, where it ends by itself."""
        self._wake = inbox.close
        self._pumping = threading.Thread(target=self._pump, args=(events, inbox), name="run", daemon=True)
        self._pumping.start()
        try:
            yield
            if self._error is not None and not self.stopped:
                raise self._error
        finally:
            self.stopped = True

    def _pump(self, events: Iterator[Event], inbox: Inbox[Event]) -> None:
        try:
            while not self.stopped and (event := next(events, None)) is not None:
                inbox.put(event)
        except Exception as failure:  # whatever it is, the reader gets it
            self._error = failure
        finally:
            close = getattr(events, "close", None)
            if close is not None:
                close()
            inbox.close()


class Runs:
    """The runs going on: one at most for each page that a person has open, and `most` for everybody together, of which
    those who are not `known` get three quarters, and of one address one: whoever lets answers wait unread keeps nobody
    out but themselves. Nobody who is known gets more than a quarter either, and they begin first.
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
        self._stopped_early: deque[tuple[str, str]] = deque(maxlen=most)  # by person and name, before they began

    @contextmanager
    def begin(self, scope: Scope, page: str, name: str = "") -> Iterator[Run]:
        """A run of this person in this page; it has ended when the block is left. It may be stopped already.

        Raises StillAnswering: there is one already, or TooManyAnswers.
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
        """The run of this person in this page, where it was stopped and has not ended yet."""
        with self._changing:
            run = self._going.get((scope.person, page))
        return run if run and run.stopped else None

    def stop(self, scope: Scope, name: str) -> None:
        """Stop the run of this person that has this name, wherever it is followed.

        A stop may come before the run that it names, which then is stopped from the beginning.
        """
        with self._changing:
            going = [run for where, run in self._going.items() if where[0] == scope.person and run.name == name]
            if not going:
                self._stopped_early.append((scope.person, name))
        for run in going:
            run.stop()
