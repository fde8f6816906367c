"""The texts of an entry as they are searched: in lower case, and in the form in which spellings and scripts compare.

They stand in a table of their own, written with the entry and with its keys, so that a search is one of SQL. They are
made of what the entry says, so they have no checksum and are in no export.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, insert, or_, update

from memory_store.schema import searchable
from memory_store.surface import fold

_SAID = ("question", "text", "understanding")
_SHORTEST_FOLDED = 3
_INSERT = insert(searchable)

Row = Mapping[Any, Any]


def insert_searchable(connection: Connection, row: Row, key_rows: Iterable[Row]) -> None:
    """Write the texts of a new entry."""
    values = {"entry_id": row["id"], "owner": row["owner"], "text": _text_of(row, key_rows)}
    connection.execute(_INSERT, values)


def update_searchable(connection: Connection, row: Row, key_rows: Iterable[Row]) -> None:
    """Write the texts of an entry whose keys changed."""
    connection.execute(
        update(searchable).where(searchable.c.entry_id == row["id"]).values(text=_text_of(row, key_rows))
    )


def searchable_text(texts: Iterable[str]) -> str:
    """Texts as they are searched, each line of it once."""
    lines = (line for text in texts for line in (text.casefold(), fold(text)))
    return "\n".join(dict.fromkeys(filter(None, lines)))


def contains(search: str) -> ColumnElement[bool]:
    """That a row of the table contains what somebody searches for, in whatever script."""
    search = search.strip()
    folded = fold(search)
    as_written = searchable.c.text.contains(search.casefold(), autoescape=True)
    # Folding shortens ("zzzz" to one letter), and one or two letters are in everything.
    if not folded or (len(folded) < _SHORTEST_FOLDED and search.isascii()):
        return as_written
    return or_(as_written, searchable.c.text.contains(folded, autoescape=True))


def _text_of(row: Row, key_rows: Iterable[Row]) -> str:
    return searchable_text([*(row[name] for name in _SAID), *(key["text"] for key in key_rows)])
