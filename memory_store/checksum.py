"""A checksum over everything that a row of the ledger says; over an entry and its keys together."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any


def checksum(row: Mapping[Any, Any], keys: Iterable[Mapping[Any, Any]] = ()) -> str:
    """SHA-256 in hexadecimal digits.

    Empty values are left out, so that a column added later does not change the checksum of older rows; emptying a
    value still does.

    Args:
        row: columns of a table; `checksum` is ignored.
        keys: for an entry, columns of `memory_store.schema.keys`, in their order.
    """
    content = {"entry": _filled(row), "keys": [_filled(key) for key in keys]}
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=repr).encode("ascii")).hexdigest()


def sealed(row: Mapping[Any, Any]) -> dict[Any, Any]:
    """A row with its checksum, for any table but that of entries."""
    return {**row, "checksum": checksum(row)}


def is_whole(row: Mapping[Any, Any]) -> bool:
    """Whether a row, of any table but that of entries, is what was written. One from before checksums is."""
    return row["checksum"] is None or row["checksum"] == checksum(row)


def _filled(row: Mapping[Any, Any]) -> dict[Any, Any]:
    return {name: value for name, value in row.items() if name != "checksum" and value not in (None, "")}
