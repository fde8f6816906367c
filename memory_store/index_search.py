"""What the index reads of its table for a question: all rows of somebody, or, where those are too many, what is near.

Time goes into the number of queries and of columns, hardly into that of rows. So a search brings row ids and nothing
else, and whatever words and meaning found is fetched at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from assistant.types import Scope
from memory_store.index_table import vectors_of
from memory_store.lookup import IndexedKey, Role
from memory_store.scoping import is_readable
from memory_store.segment import Asked, Segment
from memory_store.terms import rarest_words

if TYPE_CHECKING:
    from lancedb.expr import Expr
    from lancedb.query import LanceQueryBuilder
    from lancedb.table import LanceTable

    from memory_store.terms import Floats

_TEXTS = ["key_id", "entry_id", "owner", "text", "normalised", "english"]
_SEARCHED = 64  # rows that a search looks at, by meaning and by words each
_MOST_ENTRIES = 16  # of which so many entries are compared
_PROBES = 8  # groups of vectors that are looked through, of some 2,000 each
_MOST_WORDS = 6  # of a question that are searched for, the rarest ones: common words are in half of a large table


def all_rows(table: LanceTable, rows: Expr, scope: Scope, dimension: int) -> Segment:
    """The rows that meet a condition.

    Args:
        table: the index.
        rows: the condition.
        scope: who asks. Each row is looked at again.
        dimension: length of a vector; 0 without an embedder.
    """
    columns = [*_TEXTS, "role", "scope", *(["vector"] if dimension else [])]
    found = table.search().where(rows).select(columns).to_arrow()
    # Column by column: a dict for each row takes three times as long.
    texts, roles, scopes = [found[name].to_pylist() for name in _TEXTS], found["role"], found["scope"].to_pylist()
    keys = list(map(IndexedKey, *texts, map(Role, roles.to_pylist())))
    kept = [place for place, key in enumerate(keys) if is_readable(key, scopes[place], scope)]
    vectors = vectors_of(found["vector"].combine_chunks(), dimension)[kept] if dimension else None
    return Segment([keys[place] for place in kept], vectors)


def near_rows(table: LanceTable, rows: Expr, asked: Asked, scope: Scope, dimension: int) -> Segment:
    """All rows of the entries of which a row meets the condition and is near a question, by words or by meaning.

    Words are searched while the question gets its vector, which takes as long.

    Args:
        table: the index as it was at one time: row ids are the same in all queries of it.
        rows: the condition.
        asked: the question.
        scope: who asks.
        dimension: length of a vector; 0 without an embedder.
    """
    from lancedb.expr import col

    with ThreadPoolExecutor(1) as beside:
        searching = beside.submit(_by_words, table, rows, asked.english)
        meant = _by_meaning(table, rows, asked.meaning()) if dimension else []
        worded = searching.result()
    found = _entry_ids(table, worded, meant)
    return all_rows(table, rows & col("entry_id").isin(found), scope, dimension) if found else Segment([])


def _by_words(table: LanceTable, rows: Expr, english: str) -> list[int]:
    if not (rare := rarest_words(english, _MOST_WORDS)):
        return []
    search = table.search(rare, query_type="fts", fts_columns="english")
    return _row_ids(search.where(rows).select(["_rowid", "_score"]))


def _by_meaning(table: LanceTable, rows: Expr, vector: Floats | None) -> list[int]:
    if vector is None:
        return []
    search = table.search(vector, vector_column_name="vector").distance_type("cosine")
    return _row_ids(search.nprobes(_PROBES).where(rows).select(["_rowid", "_distance"]))


def _row_ids(query: LanceQueryBuilder) -> list[int]:
    """The rows that a search finds, in its order."""
    found: list[int] = query.limit(_SEARCHED).to_arrow()["_rowid"].to_pylist()
    return found


def _entry_ids(table: LanceTable, *searches: Sequence[int]) -> list[str]:
    """The first entries that each search found rows of."""
    if not (ids := list(dict.fromkeys(row_id for search in searches for row_id in search))):
        return []
    rows = table.take_row_ids(ids).with_row_id().select(["entry_id"]).to_arrow()  # in any order
    entry_of = dict(zip(rows["_rowid"].to_pylist(), rows["entry_id"].to_pylist(), strict=True))
    found: dict[str, None] = {}
    for search in searches:
        found |= dict.fromkeys(list(dict.fromkeys(entry_of[row_id] for row_id in search))[:_MOST_ENTRIES])
    return list(found)
