"""A checksum over everything an entry says, keys included. Its own status, owner and scope are part of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any


def checksum(entry: Mapping[Any, Any], keys: Iterable[Mapping[Any, Any]]) -> str:
    """SHA-256 in hexadecimal digits.

    Empty values are left out, so that a column added later does not change the checksum of older entries; emptying a
    value still does.

    Args:
        entry: columns of `memory_store.schema.entries`; `checksum` is ignored.
        keys: columns of `memory_store.schema.keys`, in their order.
    """
    content = {"entry": _filled(entry), "keys": [_filled(key) for key in keys]}
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=repr).encode("ascii")).hexdigest()


def _filled(row: Mapping[Any, Any]) -> dict[Any, Any]:
    return {name: value for name, value in row.items() if name != "checksum" and value not in (None, "")}
