"""Checksums of the index's files: LanceDB keeps none, so damage is found here, before LanceDB reads it.

It has to be before: one flipped bit can make it ask for more memory than there is, which ends the whole process. A file
that LanceDB has written never changes, so each is summed once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

_NAME = "SHA256SUMS"
_TRIED = "BEING-TRIED"  # is there while files that nobody sealed are used for the first time
_CHANGING = frozenset({"latest_version_hint.json"})  # written again with each version; LanceDB believes it only so far


class Seals:
    """SHA-256 of every file of the tables in a folder, in a file among them that `sha256sum --check` reads.

    Whoever calls this holds the right to write to the index.

    Args:
        folder: where the tables lie. It need not be there.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / _NAME

    def broken(self) -> list[str]:
        """Files that are no longer what was sealed. What is gone is not named: old versions are removed at any time."""
        return [name for name, seal in self._read().items() if not self._is_whole(name, seal)]

    def strays(self) -> list[str]:
        """Files that nobody sealed, and seals whose file is gone. Before the next `seal` there may be some for a while.

        After a process was killed in the middle of a change, say.
        """
        return sorted(self._read().keys() ^ set(self._names()))

    def trust(self) -> bool:
        """Whether what nobody sealed may be used: once, until it is sealed. Whoever dies of it does not try again.

        Raises:
            OSError: the folder cannot be written.
        """
        tried = self._folder / _TRIED
        if tried.exists():
            return False
        if self.strays():
            tried.touch()
        return True

    def seal(self) -> None:
        """Seal what was written since the last time.

        Raises:
            OSError: the folder cannot be read or written.
        """
        known = self._read()
        seals = {name: known.get(name) or self._sum(name) for name in self._names()}
        if seals != known and self._folder.is_dir():
            beside = self._path.with_suffix(".new")
            beside.write_text("".join(f"{seal}  {name}\n" for name, seal in seals.items()), encoding="utf-8")
            beside.replace(self._path)
        self._forget_trial()

    def clear(self) -> None:
        """Forget all seals: other files will take the place of these, some with the same names.

        Raises:
            OSError: the folder cannot be written.
        """
        self._path.unlink(missing_ok=True)
        self._forget_trial()

    def _forget_trial(self) -> None:
        (self._folder / _TRIED).unlink(missing_ok=True)

    def _names(self) -> Iterator[str]:
        for path in sorted(self._folder.glob("*.lance/**/*")):
            if path.name not in _CHANGING and path.is_file():
                yield path.relative_to(self._folder).as_posix()

    def _is_whole(self, name: str, seal: str) -> bool:
        try:
            return not (self._folder / name).is_file() or self._sum(name) == seal
        except OSError:
            return False

    def _sum(self, name: str) -> str:
        with (self._folder / name).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def _read(self) -> dict[str, str]:
        try:
            # `splitlines` would take other characters for an end of line, too, and not see that one was damaged.
            *lines, _ = self._path.read_text(encoding="utf-8", errors="replace").split("\n")
        except OSError:
            return {}
        pairs = (line.partition("  ") for line in lines)
        return {name: seal for seal, _, name in pairs}


class NoSeals:
    """Of an object store, which looks after what it keeps by itself."""

    def broken(self) -> list[str]:
        """None."""
        return []

    def strays(self) -> list[str]:
        """None."""
        return []

    def trust(self) -> bool:
        """Always."""
        return True

    def seal(self) -> None:
        """Does nothing."""

    def clear(self) -> None:
        """Does nothing."""
