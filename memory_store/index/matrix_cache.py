"""What people lately asked about, in memory: one segment for each person's own texts, and one for what is shared.

A segment is loaded when it is first needed and dropped when its rows change, so that each question is compared with all
texts in a few milliseconds. Only the newest few are kept.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection

from memory_store.segment import Segment

_MOST_SEGMENTS = 64

Load = Callable[[], Segment | None]
Version = tuple[str, int]
"""Name of what is read, and its version."""


class Mirror:
    """Segments by owner. `SHARED` is the owner of what is shared."""

    def __init__(self) -> None:
        self._version: Version = ("", -1)
        self._segments: OrderedDict[tuple[str, str], Segment | None] = OrderedDict()
        self._lock = threading.Lock()

    def segment(self, version: Version, owner: tuple[str, str], load: Load) -> Segment | None:
        """The segment of an owner, loaded where it is not there. None where it is too large to be held.

        Args:
            version: of the table that `load` reads. Another one than before drops everything.
            owner: scope and owner of the rows.
            load: reads it from the table.
        """
        with self._lock:
            if version != self._version:
                self._segments.clear()
                self._version = version
            if owner in self._segments:
                self._segments.move_to_end(owner)
                return self._segments[owner]
        loaded = load()
        with self._lock:
            if version == self._version:
                self._segments[owner] = loaded
                while len(self._segments) > _MOST_SEGMENTS:
                    self._segments.popitem(last=False)
        return loaded

    def changed(
        self, before: Version, after: Version, entry_ids: Collection[str], owners: Collection[tuple[str, str]]
    ) -> None:
        """A write of this process: only the segments that it touched are dropped.

        Args:
            before: version of the table before it; where the segments are of another one, they stay as they are.
            after: version of the table after it.
            entry_ids: the entries whose rows were replaced.
            owners: of the rows in their place.
        """
        gone = set(entry_ids)
        with self._lock:
            if self._version != before:
                return
            self._version = after
            for owner, segment in list(self._segments.items()):
                if owner in owners or segment is None or not gone.isdisjoint(segment.entry_ids):
                    del self._segments[owner]
