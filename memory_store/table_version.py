"""Which version of the table of the index is the newest. Every question asks, and LanceDB's answer takes a while."""

from __future__ import annotations

from pathlib import Path
from time import time_ns
from typing import TYPE_CHECKING

from memory_store.object_store import is_folder

if TYPE_CHECKING:
    from lancedb.table import LanceTable

_VERSIONS = "_versions"  # LanceDB adds a file for each
_SETTLED = 1_000_000_000  # nanoseconds; within less, a folder may change again and bear the same time


class NewestVersion:
    """Asks LanceDB where a version was added or removed since it was last asked, and elsewhere only the file system.

    Args:
        uri: of the index. In an object store, LanceDB is asked every time.
    """

    def __init__(self, uri: str) -> None:
        self._folder = Path(uri) if is_folder(uri) else None
        self._known: tuple[str, int, int] | None = None

    def __call__(self, table: LanceTable) -> int:
        """The number of the newest version.

        Raises:
            OSError, RuntimeError, ValueError: the table cannot be read.
        """
        if self._folder is None:
            return table.version
        changed = (self._folder / f"{table.name}.lance" / _VERSIONS).stat().st_mtime_ns
        known = self._known
        if known is not None and known[:2] == (table.name, changed):
            return known[2]
        version = table.version
        self._known = (table.name, changed, version) if time_ns() - changed > _SETTLED else None
        return version
