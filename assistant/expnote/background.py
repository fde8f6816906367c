"""Work that answers leave to be done: one job after the other in a daemon thread, which nothing waits for."""

from __future__ import annotations

import logging
import queue
import threading
from collections import Counter
from collections.abc import Callable

_log = logging.getLogger(__name__)

_CLOSING_SECONDS = 5.0
_MOST_WAITING = 100
_MOST_OF_ONE = 5  # that wait or are done for one person

Job = Callable[[Callable[[], bool]], None]
"""Is told what says whether it is to stop."""


class Background:
    """See the module. Safe to call from any thread; nothing is started before the first job."""

    def __init__(self) -> None:
        self._jobs: queue.Queue[tuple[str, Job] | None] = queue.Queue()
        self._of: Counter[str] = Counter()  # how many there are of each person
        self._closing = threading.Event()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    def soon(self, person: str, job: Job) -> bool:
        """Do it when those before it are done. False, and it is never done, where too many wait or all is closed.

        Of one `person`, who may flood it, few wait at once.
        """
        with self._starting:
            is_full = self._jobs.qsize() >= _MOST_WAITING or self._of[person] >= _MOST_OF_ONE
            if self._closing.is_set() or is_full:
                return False
            self._of[person] += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="lessons", daemon=True)
                self._thread.start()
            self._jobs.put((person, job))
        return True

    def settle(self) -> None:
        """Wait until all jobs are done."""
        self._jobs.join()

    def close(self) -> None:
        """Stop, also in the middle of a job that asks; what waits is not done."""
        with self._starting:
            self._closing.set()
            self._jobs.put(None)
        if self._thread is not None:
            self._thread.join(_CLOSING_SECONDS)

    def _run(self) -> None:
        while True:
            waiting = self._jobs.get()
            if waiting is None:
                self._jobs.task_done()
                return
            person, job = waiting
            try:
                if not self._closing.is_set():
                    job(self._closing.is_set)
            except Exception:  # the thread outlives what nobody foresaw
                _log.exception("Something that an answer left to be done failed.")
            finally:
                with self._starting:
                    self._of -= Counter([person])
                self._jobs.task_done()
