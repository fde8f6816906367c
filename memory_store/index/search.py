"""What the index reads of its table for a question: all rows of somebody, or, where those are too many, what is near.

Time goes into the number of queries and of columns, hardly into that of rows. So a search brings nothing but the ids of
entries, both searches run at once, and one query fetches the rows of all that they found, with as few columns as can
be. It is LanceDB's asynchronous API that is searched with: its other one crosses to another thread six times a query.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from assistant.event_loop import EventLoopThread
from assistant.types import Scope
from memory_store.index_table import vectors_of
from memory_store.packed_key import unpack
from memory_store.scoping import is_readable
from memory_store.segment import Asked, Segment
from memory_store.terms import rarest_words

if TYPE_CHECKING:
    import pyarrow
    from lancedb.expr import Expr
    from lancedb.query import AsyncFTSQuery, AsyncVectorQuery
    from lancedb.table import AsyncTable, LanceTable

    from memory_store.terms import Floats

T = TypeVar("T")

_SEARCHED = 64  # rows that a search looks at, by meaning and by words each
_MOST_ENTRIES = 16  # of which so many entries are compared
_PROBES = 8  # groups of vectors that are looked through, of some 2,000 each
_MOST_WORDS = 6  # of a question that are searched for, the rarest ones: common words are in half of a large table


@cache
def _loop() -> EventLoopThread:
    """The loop in which tables are searched, of every index: it keeps nothing of what is found."""
    return EventLoopThread("index-loop")


def in_loop(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """What `work()` returns, awaited in the loop in which tables are searched."""
    return _loop().run(work)


def all_rows(table: LanceTable, rows: Expr, scope: Scope, dimension: int) -> Segment:
    """The rows that meet a condition.

    Args:
        table: the index.
        rows: the condition.
        scope: who asks. Each row is looked at again.
        dimension: length of a vector; 0 without an embedder.
    """
    return _segment(table.search().where(rows).select(_columns(dimension)).to_arrow(), scope, dimension)


def near_rows(table: AsyncTable, rows: Expr, asked: Asked, scope: Scope, dimension: int) -> Segment:
    """All rows of the entries of which a row meets the condition and is near a question, by words or by meaning.

    Words are searched while the question gets its vector, which takes as long.

    Args:
        table: the index as it was at one time, so that all queries see the same.
        rows: the condition.
        asked: the question.
        scope: who asks.
        dimension: length of a vector; 0 without an embedder.
    """
    worded = _loop().begin(lambda: _by_words(table, rows, asked.english))
    vector = asked.meaning() if dimension else None
    found = _loop().run(lambda: _of_entries(table, rows, worded, vector, dimension))
    return _segment(found, scope, dimension)


async def _of_entries(
    table: AsyncTable, rows: Expr, worded: Future[list[str]], vector: Floats | None, dimension: int
) -> pyarrow.Table:
    from lancedb.expr import col

    found = await asyncio.gather(asyncio.wrap_future(worded), _by_meaning(table, rows, vector))
    entry_ids = list(dict.fromkeys(entry_id for search in found for entry_id in search))
    return await table.query().where(rows & col("entry_id").isin(entry_ids)).select(_columns(dimension)).to_arrow()


async def _by_words(table: AsyncTable, rows: Expr, english: str) -> list[str]:
    if not (rare := rarest_words(english, _MOST_WORDS)):
        return []
    return await _entry_ids(table.query().nearest_to_text(rare, columns="english").where(rows), "_score")


async def _by_meaning(table: AsyncTable, rows: Expr, vector: Floats | None) -> list[str]:
    if vector is None:
        return []
    search = table.query().nearest_to(vector).column("vector").distance_type("cosine").nprobes(_PROBES)
    return await _entry_ids(search.where(rows), "_distance")


async def _entry_ids(search: AsyncFTSQuery | AsyncVectorQuery, order: str) -> list[str]:
    """The first entries that a search finds rows of, in its order."""
    rows = await search.select(["entry_id", order]).limit(_SEARCHED).to_arrow()
    return list(dict.fromkeys(rows["entry_id"].to_pylist()))[:_MOST_ENTRIES]


def _columns(dimension: int) -> list[str]:
    return ["packed", "vector"] if dimension else ["packed"]


def _segment(found: pyarrow.Table, scope: Scope, dimension: int) -> Segment:
    keys = unpack(found["packed"].to_pylist())
    kept = [place for place, (key, key_scope) in enumerate(keys) if is_readable(key, key_scope, scope)]
    vectors = vectors_of(found["vector"].combine_chunks(), dimension)[kept] if dimension else None
    return Segment([keys[place][0] for place in kept], vectors)
