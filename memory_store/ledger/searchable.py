"""The texts of an entry as they are searched: in lower case, and in the form in which spellings and scripts compare.

They stand in a table of their own, written with the entry and with its keys, so that a search is one of SQL. They are
made of what the entry says, so they have no checksum and are in no export.
"""

from collections.abc import Iterable, Sequence

from sqlalchemy import ColumnElement, Connection, insert, or_, update

from assistant.kinds import Kinds
from memory_store.language.normalize import fold
from memory_store.ledger.database.schema import searchable
from memory_store.ledger.rows import Row

_SHORTEST_FOLDED = 3  # folding shortens ("zzzz" to one letter), and one or two letters are in everything
_INSERT = insert(searchable)


class TextFilter:
    """What a person searches for: found in a text as it is written, or in any script."""

    def __init__(self, search: str) -> None:
        self._written = search.casefold()
        folded = fold(search)
        self._folded = folded if len(folded) >= _SHORTEST_FOLDED or not search.isascii() else ""

    def is_in(self, *texts: str) -> bool:
        """Whether one of the texts contains it."""
        return any(self._written in text.casefold() or (self._folded and self._folded in fold(text)) for text in texts)

    def is_in_row(self) -> ColumnElement[bool]:
        """That a row of the table contains it."""
        forms = filter(None, (self._written, self._folded))
        return or_(*(searchable.c.text.contains(form, autoescape=True) for form in forms))


def searchable_row(row: Row, key_rows: Iterable[Row], kinds: Kinds) -> Row:
    """What is searched of an entry."""
    return {"entry_id": row["id"], "owner": row["owner"], "text": _text_of(row, key_rows, kinds)}


def insert_searchable(connection: Connection, rows: Sequence[Row]) -> None:
    connection.execute(_INSERT, rows)


def update_searchable(connection: Connection, row: Row, key_rows: Iterable[Row], kinds: Kinds) -> None:
    of_entry = searchable.c.entry_id == row["id"]
    connection.execute(update(searchable).where(of_entry).values(text=_text_of(row, key_rows, kinds)))


def _text_of(row: Row, key_rows: Iterable[Row], kinds: Kinds) -> str:
    shown = row["body"].get(kinds[row["kind"]].shown, "")
    texts = (row["question"], shown, *(key["text"] for key in key_rows))
    lines = (line for text in texts for line in (text.casefold(), fold(text)))
    return "\n".join(dict.fromkeys(filter(None, lines)))
