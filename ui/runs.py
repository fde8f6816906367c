"""Runs: answers that are being written. Each can be stopped, and hands on what has come at a steady pace."""

from __future__ import annotations

import queue
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from assistant.errors import NotedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assistant.events import Event
    from assistant.types import Scope


MOST_AT_ONCE = 128
# How long a run waits for the one before it, which was stopped, to end.
_SECONDS_TO_END = 5.0


class TooManyAnswers(NotedError):
    sentence = "Too many people are asking just now. Please try again in a moment."


class StillAnswering(NotedError):
    sentence = "Still answering. Please wait, or stop it first."


@dataclass(frozen=True, slots=True)
class _End:
    error: Exception | None


class _Stop:
    pass


class Run:
    """One answer being written.

    The events are taken from the assistant in a thread of the run, because the next one may take as long as a model
    thinks, and *Stop* shall not wait for it. Closing the assistant's generator is left to that thread too.

    Args:
        seconds: least time between two batches.
        name: whatever tells it from other runs of the same page.
    """

    def __init__(self, seconds: float, name: str = "") -> None:
        self.name = name
        self._seconds = seconds
        self._due = 0.0  # when the next batch may be handed on
        self._queue: queue.SimpleQueue[Event | _End | _Stop] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._pumping: threading.Thread | None = None

    @property
    def stopped(self) -> bool:
        return self._stopping.is_set()

    def stop(self) -> None:
        """End the run, from any thread. The model stops with the next word that it sends."""
        self._stopping.set()
        self._queue.put(_Stop())

    def batches(self, events: Iterator[Event]) -> Iterator[list[Event]]:
        """The events, in order, those together that came in the meantime. Ends early when the run is stopped.

        Raises:
            Exception: whatever the events raise.
        """
        self._pumping = threading.Thread(target=self._pump, args=(events,), name="run", daemon=True)
        self._pumping.start()
        try:
            while not self.stopped:
                batch, end = self._next_batch()
                if batch and not self.stopped:
                    yield batch
                if isinstance(end, _End):
                    if end.error is not None and not self.stopped:
                        raise end.error
                    return
        finally:
            self._stopping.set()

    def ended(self, seconds: float) -> None:
        """Wait until what was stopped has been recorded, for so many seconds at most."""
        if self._pumping is not None:
            self._pumping.join(seconds)

    def _next_batch(self) -> tuple[list[Event], _End | _Stop | None]:
        """What came until the pace allows the next batch (at once after a while), and what ended it, if anything."""
        batch: list[Event] = []
        while True:
            try:
                item = self._queue.get(timeout=max(0.0, self._due - monotonic()) if batch else None)
            except queue.Empty:
                # From when it was due, not from now: else each delay would stay with all that follows. One batch may
                # be made up for, so that a model as fast as this pace never waits for it.
                self._due = max(self._due + self._seconds, monotonic() - self._seconds)
                return batch, None
            if isinstance(item, _End | _Stop):
                return batch, item
            batch.append(item)

    def _pump(self, events: Iterator[Event]) -> None:
        error: Exception | None = None
        try:
            for event in events:
                self._queue.put(event)
                if self.stopped:
                    break
        except Exception as failure:  # whatever it is, the reader gets it
            error = failure
        finally:
            close = getattr(events, "close", None)
            if close is not None:
                close()
            self._queue.put(_End(error))


class Runs:
    """The runs going on, one at most for each page that a person has open.

    Args:
        most: how many may go on at once, for everybody together.
        seconds: least time between two updates of a page.
    """

    def __init__(self, most: int = MOST_AT_ONCE, seconds: float = 0.1) -> None:
        self.most = most
        self._seconds = seconds
        self._changing = threading.Condition()
        self._going: dict[tuple[str, str], Run] = {}

    @contextmanager
    def begin(self, scope: Scope, page: str, name: str = "") -> Iterator[Run]:
        """A run of this person in this page; it has ended when the block is left.

        Args:
            scope: who it is.
            page: one of their pages.
            name: by which it alone can be stopped.

        Raises:
            StillAnswering: there is one already. One that was stopped is waited for.
            TooManyAnswers: so many go on already, of whoever.
        """
        key = (scope.person, page)
        with self._changing:
            if key in self._going and self._going[key].stopped:
                self._changing.wait_for(lambda: key not in self._going, _SECONDS_TO_END)
            if key in self._going:
                raise StillAnswering
            if len(self._going) >= self.most:
                raise TooManyAnswers
            run = self._going[key] = Run(self._seconds, name)
        try:
            yield run
        finally:
            with self._changing:
                del self._going[key]
                self._changing.notify_all()
            run.stop()

    def stop(self, scope: Scope, page: str, name: str = "") -> None:
        """Stop the run of this person in this page, if there is one.

        Args:
            scope: who it is.
            page: one of their pages.
            name: which run; another that began since goes on. Empty for any.
        """
        with self._changing:
            run = self._going.get((scope.person, page))
        if run and name in ("", run.name):
            run.stop()
