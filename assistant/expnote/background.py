"""Work that answers leave to be done: one job after the other in a daemon thread, which nothing waits for."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable

_log = logging.getLogger(__name__)

_CLOSING_SECONDS = 5.0
_MOST_WAITING = 100

Job = Callable[[Callable[[], bool]], None]
"""Is told what says whether it is to stop."""


class Background:
    """See the module. Safe to call from any thread; nothing is started before the first job."""

    def __init__(self) -> None:
        self._jobs: queue.Queue[Job | None] = queue.Queue()
        self._closing = threading.Event()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    def soon(self, job: Job) -> bool:
        """Do it when those before it are done. False, and it is never done, where too many wait or all is closed."""
        with self._starting:
            if self._closing.is_set() or self._jobs.qsize() >= _MOST_WAITING:
                return False
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="lessons", daemon=True)
                self._thread.start()
            self._jobs.put(job)
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
            job = self._jobs.get()
            try:
                if job is None:
                    return
                if not self._closing.is_set():
                    job(self._closing.is_set)
            except Exception:  # the thread outlives what nobody foresaw
                _log.exception("Something that an answer left to be done failed.")
            finally:
                self._jobs.task_done()
