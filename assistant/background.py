"""Run work in daemon threads: again and again, job after job, or once."""

import logging
import queue
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")
Job = Callable[[Callable[[], bool]], None]
"""Does something, and is told what says whether it is to stop."""

_log = logging.getLogger(__name__)
_CLOSING_SECONDS = 5.0
_MOST_WAITING = 100
_MOST_OF_ONE = 5  # jobs of one user that wait or are done


class BackgroundWork:
    """Work that is done again and again in a thread of its own, from `start` until `close`.

    `work` does it once, and returns after how many seconds it is to be done again, None where it waits to be woken; it
    must not raise. Long work looks at `closing`, which is set once it is to end.
    """

    def __init__(self, name: str, work: Callable[[], float | None]) -> None:
        self.closing = threading.Event()
        self._woken = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(work,), name=name, daemon=True)

    @property
    def is_started(self) -> bool:
        return self._thread.ident is not None

    def start(self) -> None:
        """Begin. Called again, it does nothing."""
        if not self.is_started:
            self._thread.start()

    def wake(self) -> None:
        """Do it at once, or once more where it is being done just now. Returns at once."""
        self._woken.set()

    def close(self) -> None:
        """Let the work end; where that takes long, it ends with the process."""
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


class BackgroundJobs:
    """Jobs that answers leave to be done, one after the other; nothing waits for them. Safe to call from any thread."""

    def __init__(self, name: str) -> None:
        self._jobs: queue.Queue[tuple[str, Job]] = queue.Queue(_MOST_WAITING)
        self._of: Counter[str] = Counter()  # jobs of each user
        self._counting = threading.Lock()
        self._work = BackgroundWork(name, self._do_all)

    def soon(self, user: str, job: Job) -> bool:
        """Do a job when those before it are done; return False, and never do it, where too many wait or all is closed.

        Of one user, who may flood it, few wait at once.
        """
        with self._counting:
            if self._work.closing.is_set() or self._of[user] >= _MOST_OF_ONE or self._jobs.full():
                return False
            self._of[user] += 1
            self._jobs.put((user, job))
            self._work.start()
        self._work.wake()
        return True

    def settle(self) -> None:
        """Wait until all jobs are done."""
        self._jobs.join()

    def close(self) -> None:
        """Stop, also in the middle of a job that asks; what waits is not done."""
        self._work.close()

    def _do_all(self) -> None:
        while not self._jobs.empty():
            user, job = self._jobs.get()
            try:
                if not self._work.closing.is_set():
                    job(self._work.closing.is_set)
            except Exception:  # the thread outlives what nobody foresaw
                _log.exception("Something that an answer left to be done failed.")
            finally:
                with self._counting:
                    self._of[user] -= 1
                    self._of += Counter()  # drops those who have none
                self._jobs.task_done()


def begin(name: str, work: Callable[[], T]) -> Future[T]:
    """Start work in a daemon thread of this name; what it returns or raises comes later."""
    outcome: Future[T] = Future()

    def run() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:  # whoever waits gets it
            outcome.set_exception(error)

    threading.Thread(target=run, name=name, daemon=True).start()
    return outcome
