"""All active keys of the index in memory, without their vectors, so that spellings can be compared with every one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assistant.types import Scope
from memory_store.lookup import IndexedKey
from memory_store.schema import PRIVATE, SHARED
from memory_store.scoping import person_of


class Mirror:
    """A picture of the index at one version of its table. A newer version gets a new picture.

    Args:
        version: version of the table.
        rows: its active rows. A row whose scope is unknown is nobody's.
    """

    def __init__(self, version: int, rows: Iterable[Mapping[str, Any]]) -> None:
        self.version = version
        self._private: dict[str, list[IndexedKey]] = defaultdict(list)
        self._shared: list[IndexedKey] = []
        self._readable: dict[str, tuple[IndexedKey, ...]] = {}
        for row in rows:
            key = IndexedKey(row["key_id"], row["entry_id"], row["owner"], row["text"], row["normalised"])
            if row["scope"] == SHARED:
                self._shared.append(key)
            elif row["scope"] == PRIVATE:
                self._private[key.owner].append(key)

    def keys(self, scope: Scope) -> Sequence[IndexedKey]:
        """What the person may read. The very same sequence as long as the index stays as it is."""
        person = person_of(scope)
        if person not in self._readable:
            self._readable[person] = (*self._private.get(person, ()), *self._shared)
        return self._readable[person]
