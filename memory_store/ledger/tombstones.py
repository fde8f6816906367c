"""`erasures.jsonl`: what was erased, written down beside the ledger before it is erased there.

So an erasure that a crash cuts off goes on at the next start, and a backup that is put back loses again what was erased
after it was made. Lines hold random ids, or a keyed hash of a person; never a name or a text. The file only grows.
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
    """The file; without a path there is none."""

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def append(self, line: Mapping[str, Any]) -> None:
        """Write a line; when this returns, it survives a power cut. Raises OSError."""
        if self._path is None:
            return
        before = self._path.read_bytes() if self._path.exists() else b""
        torn = bool(before) and not before.endswith(b"\n")  # a power cut left half a line
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "ab") as file:
            file.write(b"\n" * torn + json.dumps(line).encode("ascii") + b"\n")
            file.flush()
            os.fsync(file.fileno())
        if not before:
            sync_folder(self._path.parent)

    def withdraw(self, line_id: str) -> None:
        """Say that the erasure of a line did not happen. Where this cannot be written, it happens at the next start."""
        try:
            self.append({"withdrawn": line_id})
        except OSError as error:
            _log.warning("An erasure that failed is tried again at the next start: %s", error)

    def standing(self) -> Sequence[Line]:
        """Return all lines that were not withdrawn, oldest first. The log names those that cannot be read."""
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
