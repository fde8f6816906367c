"""Checksums of the index's files: LanceDB keeps none, so damage is found here, before LanceDB reads it.

It has to be before: one flipped bit can make it ask for more memory than there is, which ends the whole process. A file
that LanceDB has written never changes, so each is summed once.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from memory_store.ledger.database.durable_files import digest_of

_NAME = "SHA256SUMS"
_TRIED = "BEING-TRIED"  # is there while files that were not recorded are used for the first time
_CHANGING = frozenset({"latest_version_hint.json"})  # written again with each version; LanceDB believes it only so far


def table_of(name: str) -> str:
    """The table that a file belongs to, by how the file is named here."""
    return name.partition(".lance/")[0]


class FileChecksums:
    """SHA-256 of every file of the tables in a folder, in a file among them that `sha256sum --check` reads.

    Where there is no folder, as for an object store, which looks after what it keeps by itself, nothing is recorded and
    nothing is broken. Writing raises OSError.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / _NAME
        self._tried = folder / _TRIED

    def broken(self) -> list[str]:
        """Files that are not what was recorded. What is gone is not named: old versions are removed at any time."""
        return [name for name, checksum in self._read().items() if not self._is_whole(name, checksum)]

    def strays(self) -> list[str]:
        """Files that are not recorded, and records without a file: left by a process killed in a change, say."""
        return sorted(self._read().keys() ^ set(self._names()))

    def trust(self) -> bool:
        """Whether strays may be used: once, until they are recorded. Whoever dies of it does not try again."""
        if self._tried.exists():
            return False
        if self.strays():
            self._tried.touch()
        return True

    def record(self) -> None:
        """Record what was written since the last time."""
        known = self._read()
        checksums = {name: known.get(name) or digest_of(self._folder / name) for name in self._names()}
        if checksums != known and self._folder.is_dir():
            self._write(checksums)
        self._tried.unlink(missing_ok=True)

    def forget(self, table: str) -> None:
        """Forget the files of one table: another one of this name may take its place."""
        known = self._read()
        if kept := {name: sum_ for name, sum_ in known.items() if table_of(name) != table}:
            self._write(kept)
        elif known:
            self._path.unlink(missing_ok=True)

    def clear(self) -> None:
        """Forget all: other files will take the place of these, some with the same names."""
        self._path.unlink(missing_ok=True)
        self._tried.unlink(missing_ok=True)

    def _write(self, checksums: Mapping[str, str]) -> None:
        beside = self._path.with_suffix(".new")
        beside.write_text("".join(f"{sum_}  {name}\n" for name, sum_ in checksums.items()), encoding="utf-8")
        beside.replace(self._path)

    def _names(self) -> Iterator[str]:
        for path in sorted(self._folder.glob("*.lance/**/*")):
            if path.name not in _CHANGING and path.is_file():
                yield path.relative_to(self._folder).as_posix()

    def _is_whole(self, name: str, checksum: str) -> bool:
        try:
            return not (self._folder / name).is_file() or digest_of(self._folder / name) == checksum
        except OSError:
            return False

    def _read(self) -> dict[str, str]:
        try:
            # `splitlines` would take other characters for an end of line, too, and not see that one was damaged.
            *lines, _ = self._path.read_text(encoding="utf-8", errors="replace").split("\n")
        except OSError:
            return {}
        pairs = (line.partition("  ") for line in lines)
        return {name: checksum for checksum, _, name in pairs}
