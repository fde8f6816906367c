"""Run background work in daemon threads: repeatedly, as a queue, or once; and read what another thread queues."""

import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import TypeVar

T = TypeVar("T")
Job = Callable[[Callable[[], bool]], None]
"""Background job; its argument returns True once it should stop."""

_log = logging.getLogger(__name__)
_CLOSING_SECONDS, _IDLE_SECONDS = 5.0, 0.25
_MOST, _MOST_PER_USER = 100, 5  # maximum number of waiting and running jobs: in total, and per user


class BackgroundWork:
    """Thread that repeats `work`, from `start` until `close`.

    `work` returns the seconds until its next run, or None to wait for `wake`, and must not raise. Long work checks the
    event `closing`, and returns once it is set.
    """

    def __init__(self, name: str, work: Callable[[], float | None]) -> None:
        self.closing = threading.Event()
        self._woken = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(work,), name=name, daemon=True)

    @property
    def is_started(self) -> bool:
        return self._thread.ident is not None

    def start(self) -> None:
        """Start the thread if it has not been started."""
        if not self.is_started:
            self._thread.start()

    def wake(self) -> None:
        """Run the work now, or once more after the current run. Does not block."""
        self._woken.set()

    def close(self) -> None:
        """Stop the work, and wait up to 5 seconds for it. As a daemon, the thread never outlives the process."""
        self.closing.set()
        self.wake()
        if self.is_started:
            self._thread.join(_CLOSING_SECONDS)

    def _run(self, work: Callable[[], float | None]) -> None:
        while not self.closing.is_set():
            self._woken.clear()
            pause = work()
            if not self.closing.is_set():
                self._woken.wait(pause)


class BackgroundJobs(BackgroundWork):
    """Bounded queue of named jobs, run one after the other. Thread-safe. `close` drops waiting jobs."""

    def __init__(self, name: str) -> None:
        super().__init__(name, self._do_all)
        self._jobs: dict[str, tuple[str, Job]] = {}  # waiting and running: name to user and job
        self._changed = threading.Condition()

    def __contains__(self, name: str) -> bool:
        """Return True while a job of this name waits or runs."""
        return name in self._jobs

    def soon(self, name: str, user: str, job: Job) -> bool:
        """Queue a job.

        Return False if a job of this name waits or runs, if the queue is full, in total or for this user, or closed.
        """
        with self._changed:
            of_user = sum(user == other for other, _ in self._jobs.values())
            is_full = len(self._jobs) >= _MOST or of_user >= _MOST_PER_USER
            if self.closing.is_set() or name in self._jobs or is_full:
                return False
            self._jobs[name] = (user, job)
            self.start()
        self.wake()
        return True

    def settle(self) -> None:
        """Wait until all jobs are done."""
        with self._changed:
            self._changed.wait_for(lambda: not self._jobs)

    def _do_all(self) -> None:
        while self._jobs:
            name, (_, job) = next(iter(self._jobs.items()))
            try:
                if not self.closing.is_set():
                    job(self.closing.is_set)
            except Exception:  # the thread survives unexpected errors
                _log.exception("A background job failed.")
            finally:
                with self._changed:
                    del self._jobs[name]
                    self._changed.notify_all()


def begin(name: str, work: Callable[[], T]) -> Future[T]:
    """Run `work` in a new daemon thread, and return its future."""
    outcome: Future[T] = Future()

    def run() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:  # re-raised by `Future.result`
            outcome.set_exception(error)

    threading.Thread(target=run, name=name, daemon=True).start()
    return outcome


def read_pieces(pieces: SimpleQueue[str | Exception | None], idle: Callable[[], str] = str) -> Iterator[str]:
    """Yield the pieces that another thread queues, until it queues None. A queued error is raised.

    While no piece arrives, `idle()` is yielded four times a second, since a generator can only be closed at a `yield`.
    """
    while True:
        try:
            piece = pieces.get(timeout=_IDLE_SECONDS)
        except Empty:
            piece = idle()
        if piece is None:
            return
        if isinstance(piece, Exception):
            raise piece
        yield piece
