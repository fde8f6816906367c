"""Write files atomically and durably, and keep the file of erasures.

The file of erasures, `erasures.jsonl`, has a line (a tombstone) for each erasure, written before the ledger erases
anything. So an erasure that a crash interrupts continues at the next start, and a restored backup repeats the erasures
since then. Lines hold random ids, or a keyed hash of a user id; never a name or a text.
"""

import errno
import json
import logging
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkstemp
from typing import Any

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
            # A power cut may have left half a line, so start a new line.
            file.write(b"\n" + json.dumps(line).encode("ascii") + b"\n")
            file.flush()
            os.fsync(file.fileno())
        if is_new:
            sync_folder(self._path.parent)

    def withdraw(self, line_ids: Iterable[str]) -> None:
        """Mark erasures as failed. If this cannot be written, the next start repeats them."""
        try:
            for line_id in line_ids:
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
                _log.error("A line of erasures.jsonl cannot be read; its erasure is not repeated.")
                continue
            if "withdrawn" in line:
                lines.pop(str(line["withdrawn"]), None)
            elif line.get("id"):
                lines[line["id"]] = line
        return list(lines.values())


@contextmanager
def replace_file(path: Path) -> Iterator[Path]:
    """Yield a temporary file, readable by its owner only, that replaces `path` if the block succeeds.

    Raises OSError if it cannot be created or moved; `path` then stays unchanged.
    """
    descriptor, name = mkstemp(prefix=f".{path.name}.", dir=path.parent)  # mode 0600
    os.close(descriptor)
    temporary = Path(name)
    try:
        yield temporary
        with temporary.open("r+b") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
        sync_folder(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def sync_folder(path: Path) -> None:
    """Sync a folder's entries to disk, if the system can."""
    with suppress(PermissionError):  # Windows opens no folders
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        except OSError as error:
            if error.errno not in {errno.EINVAL, errno.ENOTSUP, errno.ENOSYS}:  # some mounts cannot sync
                raise
        finally:
            os.close(descriptor)
