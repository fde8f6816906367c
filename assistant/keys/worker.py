"""Write further keys in the background, in one daemon thread that neither an answer nor "Saved" waits for.

The work stands in the ledger (`KeyWork`), so nothing is lost when a call fails or the process dies: the thread looks
there when it starts, and now and then. While the model or the store is down it pauses, longer each time.
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
    """How often things are tried, in seconds."""

    look: float = 30.0  # between two looks into the ledger
    settle: float = 120.0  # from when an entry is seen there until it is taken: the answer comes first
    pause: float = 30.0  # after the model or the store could not be reached; doubled each further time
    longest_pause: float = 3600.0
    tries: int = 3  # of one entry for which nothing usable comes, until the next start


DEFAULT_SCHEDULE = Schedule()


class KeyWorker:
    """Lets a model write the keys that entries wait for. Safe to call from any thread."""

    def __init__(self, writer: KeyWriter, work: KeyWork, schedule: Schedule = DEFAULT_SCHEDULE) -> None:
        self._writer = writer
        self._work = work
        self._schedule = schedule
        self._soon: queue.Queue[str] = queue.Queue()
        self._background = BackgroundWork("key-worker", self._do_all)
        self._next_look = monotonic()
        self._seen: dict[str, float] | None = None  # when what waits was first seen; None before the first look
        self._failed: Counter[str] = Counter()  # tries that gave nothing usable, by entry
        self._put_off: Counter[str] = Counter()  # tries after which it paused, by entry
        self._outages = 0  # in a row
        self._paused_until = 0.0

    def start(self) -> None:
        """Begin, with what an earlier process left undone. Called again, it does nothing."""
        self._background.start()

    def soon(self, entry_id: str) -> None:
        """Write the keys of an entry now: the turn in which it was saved is over. Return at once."""
        self._soon.put(entry_id)
        self._background.wake()

    def settle(self) -> None:
        """Wait until each entry that `soon` was told of was tried. Return at once where nothing was started."""
        if self._background.is_started:
            self._soon.join()

    def close(self) -> None:
        """Stop, also in the middle of a call; what is not written stays to be done."""
        self._background.close()

    def _do_all(self) -> float:
        """Take what was told of, and now and then what waits in the ledger; return when to look there again."""
        while not self._soon.empty():
            self._try(self._soon.get())
            self._soon.task_done()
        if monotonic() >= self._next_look:
            self._look()
            self._next_look = monotonic() + self._schedule.look
        return max(0.0, self._next_look - monotonic())

    def _look(self) -> None:
        """Take up what waits in the ledger: at once if it was there before the start, else once it has settled."""
        if monotonic() < self._paused_until:
            return
        try:
            waiting = self._work.wanting()
        except StoreError as error:
            _log.warning("What waits for keys could not be read; it is tried again. %s", error)
            return
        now, seen = monotonic(), self._seen or {}
        first = -math.inf if self._seen is None else now
        self._seen = {entry_id: seen.get(entry_id, first) for entry_id in waiting}
        # What others wait behind may be what a model stumbles over each time.
        for entry_id, since in sorted(self._seen.items(), key=lambda seen: self._put_off[seen[0]]):
            if now - since >= self._schedule.settle and self._failed[entry_id] < self._schedule.tries:
                self._try(entry_id)

    def _try(self, entry_id: str) -> None:
        """Write the keys of one entry, unless the worker pauses or closes; note a failure."""
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
            # A plain ModelError: the model was reached, and refuses this very prompt.
            if type(error) in {ModelError, ContentRefused, ContextFull, EmptyReply}:
                self._not_usable(entry_id, str(error))
                return
            self._put_off[entry_id] += 1
            seconds = min(self._schedule.longest_pause, self._schedule.pause * 2.0 ** min(self._outages, 32))
            self._outages += 1
            self._paused_until = monotonic() + seconds
            _log.info("Keys are written later, in %.0f s at the earliest: %s", seconds, error)
        except Exception:  # the thread outlives what nobody foresaw
            self._not_usable(entry_id, "something unforeseen happened")
            _log.exception("Keys of the entry %s could not be written.", entry_id)

    def _not_usable(self, entry_id: str, why: str) -> None:
        self._failed[entry_id] += 1
        _log.warning("No keys for the entry %s, try %d: %s", entry_id, self._failed[entry_id], why)
