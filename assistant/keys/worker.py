"""Write further keys in a background thread, which neither an answer nor "Saved" waits for.

The queue is in the ledger (`KeyWork`), so no work is lost when a call fails or the process dies: the thread polls it.
While the model or the store is down, it pauses with exponential backoff.
"""

import logging
import math
import queue
from collections import Counter
from dataclasses import dataclass
from time import monotonic

from assistant.background import BackgroundWork
from assistant.errors import ContentRefused, ContextFull, EmptyReply, ModelError, NotedError, StoreError
from assistant.ports import KeyWork, KeyWriter

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Schedule:
    """Intervals in seconds, and retries."""

    look: float = 30.0  # between two polls of the ledger
    settle: float = 120.0  # from the first sight of an entry until its work, since the answer comes first
    pause: float = 30.0  # after a failure of model or store; doubled each further time
    longest_pause: float = 3600.0
    tries: int = 3  # of one entry with unusable replies, until the next start


DEFAULT_SCHEDULE = Schedule()


class KeyWorker:
    """Worker that lets a model write keys for waiting entries. Thread-safe."""

    def __init__(self, writer: KeyWriter, work: KeyWork, schedule: Schedule = DEFAULT_SCHEDULE) -> None:
        self._writer = writer
        self._work = work
        self._schedule = schedule
        self._soon: queue.Queue[str] = queue.Queue()
        self._background = BackgroundWork("key-worker", self._do_all)
        self._next_look = monotonic()
        self._seen: dict[str, float] | None = None  # first sight of waiting entries; None before the first poll
        self._failed: Counter[str] = Counter()  # unusable replies, by entry
        self._put_off: Counter[str] = Counter()  # tries that led to a pause, by entry
        self._outages = 0  # in a row
        self._paused_until = 0.0

    def start(self) -> None:
        """Start the thread, unless it is started; it continues the work of an earlier process."""
        self._background.start()

    def soon(self, entry_id: str) -> None:
        """Queue an entry whose turn is over. Does not block."""
        self._soon.put(entry_id)
        self._background.wake()

    def settle(self) -> None:
        """Wait until each entry from `soon` was tried, unless the thread is not started."""
        if self._background.is_started:
            self._soon.join()

    def close(self) -> None:
        """Stop the thread, also in the middle of a call; unfinished work stays in the queue."""
        self._background.close()

    def _do_all(self) -> float:
        """Process entries from `soon`, poll the ledger if it is time, and return the seconds until the next poll."""
        while not self._soon.empty():
            self._try(self._soon.get())
            self._soon.task_done()
        if monotonic() >= self._next_look:
            self._look()
            self._next_look = monotonic() + self._schedule.look
        return max(0.0, self._next_look - monotonic())

    def _look(self) -> None:
        """Process waiting entries of the ledger: at once if older than this process, else after `settle` seconds."""
        if monotonic() < self._paused_until:
            return
        try:
            waiting = self._work.wanting()
        except StoreError as error:
            _log.warning("The entries that wait for keys could not be read; trying again later. %s", error)
            return
        now, seen = monotonic(), self._seen or {}
        first = -math.inf if self._seen is None else now
        self._seen = {entry_id: seen.get(entry_id, first) for entry_id in waiting}
        # Entries that led to a pause come last, since they may have caused it.
        for entry_id, since in sorted(self._seen.items(), key=lambda seen: self._put_off[seen[0]]):
            if now - since >= self._schedule.settle and self._failed[entry_id] < self._schedule.tries:
                self._try(entry_id)

    def _try(self, entry_id: str) -> None:
        """Write the keys of one entry, unless the worker pauses or closes, and count failures."""
        if self._background.closing.is_set() or monotonic() < self._paused_until:
            return
        try:
            if (entry := self._work.wants(entry_id)) is None:
                return
            written = self._writer(entry, self._work.earlier(entry), self._background.closing.is_set)
            if self._background.closing.is_set():
                return
            if not written.keys:
                self._not_usable(entry_id, "the reply held no keys")
            elif not self._work.written(entry_id, written):
                _log.info("Keys of the entry %s are not wanted any more.", entry_id)
            self._outages = 0
        except NotedError as error:
            # The model was reached, but refuses this prompt.
            if type(error) in {ModelError, ContentRefused, ContextFull, EmptyReply}:
                self._not_usable(entry_id, str(error))
                return
            self._put_off[entry_id] += 1
            seconds = min(self._schedule.longest_pause, self._schedule.pause * 2.0 ** min(self._outages, 32))
            self._outages += 1
            self._paused_until = monotonic() + seconds
            _log.info("Keys are written later, in %.0f s at the earliest: %s", seconds, error)
        except Exception:  # the thread survives unexpected errors
            self._not_usable(entry_id, "something unforeseen happened")
            _log.exception("Keys of the entry %s could not be written.", entry_id)

    def _not_usable(self, entry_id: str, why: str) -> None:
        self._failed[entry_id] += 1
        _log.warning("No keys for the entry %s, try %d: %s", entry_id, self._failed[entry_id], why)
