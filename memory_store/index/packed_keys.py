"""Keys as they lie in a column of the index, packed into one text each.

Of thousands that are compared, a few dozen are looked at; all of them as objects would take twice the memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

from memory_store.ledger.indexed_keys import IndexedKey, TextRole

_ROLES = {role.value: role for role in TextRole}


class PackedKeys(Sequence[IndexedKey]):
    """Keys by their places, unpacked when they are asked for."""

    def __init__(self, packed: Sequence[bytes]) -> None:
        self.packed = packed

    def __len__(self) -> int:
        return len(self.packed)

    @overload
    def __getitem__(self, place: int) -> IndexedKey: ...

    @overload
    def __getitem__(self, place: slice) -> list[IndexedKey]: ...

    def __getitem__(self, place: int | slice) -> IndexedKey | list[IndexedKey]:
        return unpack(self.packed[place]) if isinstance(place, slice) else unpack([self.packed[place]])[0]

    def __iter__(self) -> Iterator[IndexedKey]:
        return iter(unpack(self.packed))


def pack(key: IndexedKey) -> str:
    texts = (key.key_id, key.entry_id, key.owner, key.text, key.normalised, key.english)
    return json.dumps([key.scope, *texts, key.role.value], ensure_ascii=False, separators=(",", ":"))


def packed(keys: Iterable[IndexedKey]) -> list[bytes]:
    return [pack(key).encode("utf-8", "surrogatepass") for key in keys]


def unpack(packed: Sequence[bytes]) -> list[IndexedKey]:
    """The keys. Raises ValueError, TypeError, KeyError: one of them is none."""
    rows = json.loads(b"[%b]" % b",".join(packed))  # all at once: that is twice as fast
    if len(rows) != len(packed):
        raise ValueError("no keys")
    return [
        IndexedKey(key_id, entry_id, owner, text, normalised, english, _ROLES[role], scope)
        for scope, key_id, entry_id, owner, text, normalised, english, role in rows
    ]
