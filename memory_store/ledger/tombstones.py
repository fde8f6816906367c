"""Tombstones: `erasures.jsonl` lists erasures, each written before the ledger erases anything.

So an erasure cut off by a crash continues at the next start, and a restored backup loses again what was erased after
it was made. Lines hold random ids, or a keyed hash of a user id; never a name or a text. The file only grows.
"""

import json
import logging
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memory_store.ledger.database.durable_files import sync_folder

_log = logging.getLogger(__name__)

Line = dict[str, Any]


class Tombstones:
    """The file of erasures; without a path, nothing is written."""

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def append(self, line: Mapping[str, Any]) -> None:
        """Append a line and sync it to disk. Raises OSError."""
        if self._path is None:
            return
        is_new = not self._path.exists()
        self._path.touch(0o600)
        with self._path.open("ab") as file:
            # A power cut may have left half a line, so begin with a new one.
            file.write(b"\n" + json.dumps(line).encode("ascii") + b"\n")
            file.flush()
            os.fsync(file.fileno())
        if is_new:
            sync_folder(self._path.parent)

    def withdraw(self, line_id: str) -> None:
        """Mark an erasure as failed. If this cannot be written, the next start repeats the erasure."""
        try:
            self.append({"withdrawn": line_id})
        except OSError as error:
            _log.warning("An erasure that failed is tried again at the next start: %s", error)

    def read_active(self) -> Sequence[Line]:
        """Return all lines not withdrawn, oldest first. Skip and log unreadable lines."""
        lines: dict[str, Line] = {}
        written = self._path.read_bytes() if self._path and self._path.exists() else b""
        for raw in filter(bytes.strip, written.splitlines()):
            try:
                line = dict(json.loads(raw))
            except (ValueError, TypeError):
                _log.error("A line of erasures.jsonl cannot be read; the erasure it tells of is not applied again.")
                continue
            if "withdrawn" in line:
                lines.pop(str(line["withdrawn"]), None)
            elif line.get("id"):
                lines[line["id"]] = line
        return list(lines.values())
