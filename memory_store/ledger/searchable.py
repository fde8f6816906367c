"""Search texts of entries: lower-case, and folded so that spellings and scripts compare.

They have their own table, written with the entry and its keys, so that a search is one SQL query. They are derived from
entries, so they have no checksum and are not exported.
"""

from collections.abc import Iterable

from sqlalchemy import ColumnElement, or_

from assistant.kinds import Kinds
from memory_store.language.normalize import fold
from memory_store.ledger.database.schema import searchable
from memory_store.ledger.rows import Row

_SHORTEST_FOLDED = 3  # folding shortens ("zzzz" to one letter), and nearly every text contains one or two letters


class TextFilter:
    """Filter by a search text, as written or folded."""

    def __init__(self, search: str) -> None:
        self._written = search.casefold()
        folded = fold(search)
        self._folded = folded if len(folded) >= _SHORTEST_FOLDED or not search.isascii() else ""

    def is_in(self, *texts: str) -> bool:
        """Return True if one of the texts contains the search text."""
        return any(self._written in text.casefold() or (self._folded and self._folded in fold(text)) for text in texts)

    def is_in_row(self) -> ColumnElement[bool]:
        """Select the rows of the table that contain the search text."""
        forms = filter(None, (self._written, self._folded))
        return or_(*(searchable.c.text.contains(form, autoescape=True) for form in forms))


def build_searchable_text(row: Row, key_rows: Iterable[Row], kinds: Kinds) -> str:
    """Return the search text of an entry, given its row and those of its keys."""
    shown = row["body"].get(kinds[row["kind"]].shown, "")
    texts = (row["question"], shown, *(key["text"] for key in key_rows))
    lines = (line for text in texts for line in (text.casefold(), fold(text)))
    return "\n".join(dict.fromkeys(filter(None, lines)))
