"""Read-only mapping of texts to texts in a file: a trie with a tenth of the memory of a dictionary.

The file is memory-mapped, so it opens at once and reads only accessed parts.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from marisa_trie import BytesTrie

_ENDS = "\t"  # separates the name of a table from its keys; a file has several tables


class TextTable:
    """One table of a file. Thread-safe."""

    def __init__(self, file: BytesTrie, name: str) -> None:
        self._file, self._start = file, f"{name}{_ENDS}"

    def get(self, text: str) -> str | None:
        """Look up a text; None if it is missing."""
        try:
            # A trie takes NUL for the end of the key; a lone surrogate is in no table.
            found = None if "\0" in text else self._file.get(f"{self._start}{text}")
        except UnicodeEncodeError:
            return None
        return str(found[0], "utf-8") if found else None

    def starting(self, text: str) -> list[str]:
        """Return the keys of this table with a prefix in Latin letters."""
        return [found.removeprefix(self._start) for found in self._file.keys(f"{self._start}{text}")]

    def __contains__(self, text: object) -> bool:
        return self.get(str(text)) is not None


def open_tables(file: Path) -> BytesTrie:
    """Open a file of tables. Raises RuntimeError if it is missing or invalid."""
    return BytesTrie().mmap(str(file))


def save_tables(file: Path, tables: Mapping[str, Mapping[str, str]]) -> None:
    """Replace a file by tables, by name, without NUL in a key; who has the old one open can still read it."""
    rows = [(f"{name}{_ENDS}{text}", told.encode()) for name, table in tables.items() for text, told in table.items()]
    made = file.with_suffix(".part")
    BytesTrie(rows).save(str(made))
    made.replace(file)
