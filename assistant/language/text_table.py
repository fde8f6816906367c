"""Texts by texts, in a file that is made once: a trie, which takes a tenth of the memory of a dictionary.

The file is mapped into memory, so that it costs nothing to open, and what nobody looks up is never read.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from marisa_trie import BytesTrie

_ENDS = "\t"  # the name of a table: several are in one file


class TextTable:
    """One table of a file. Safe to share between threads."""

    def __init__(self, file: BytesTrie, name: str) -> None:
        self._file = file
        self._start = f"{name}{_ENDS}"

    def get(self, text: str) -> str | None:
        """What stands for a text; None where nothing does."""
        if "\0" in text:  # a trie takes it for the end of what is asked
            return None
        try:
            found = self._file.get(f"{self._start}{text}")
        except UnicodeEncodeError:  # half a letter is in no table
            return None
        return str(found[0], "utf-8") if found else None

    def starting(self, text: str) -> list[str]:
        """Return the texts of this table that begin with a text in Latin letters."""
        return [found.removeprefix(self._start) for found in self._file.keys(f"{self._start}{text}")]

    def __contains__(self, text: object) -> bool:
        return self.get(str(text)) is not None


def open_tables(file: Path) -> BytesTrie:
    """The file of some tables. Raises RuntimeError: it is not there, or is none."""
    return BytesTrie().mmap(str(file))


def save_tables(file: Path, tables: Mapping[str, Mapping[str, str]]) -> None:
    """Keep tables, by their names, in the place of a file, which whoever has it open goes on reading.

    No text that something stands for has a NUL.
    """
    rows = [(f"{name}{_ENDS}{text}", told.encode()) for name, table in tables.items() for text, told in table.items()]
    made = file.with_suffix(".part")
    BytesTrie(rows).save(str(made))
    made.replace(file)
