"""What the index reads of its table for a question: all rows of somebody, or, where those are too many, what is near.

Time goes into the number of queries and of columns, hardly into that of rows. So a search brings nothing but the ids of
entries, both searches run at once, and one query fetches the rows of all that they found, with as few columns as can
be. It is LanceDB's asynchronous API that is searched with: its other one crosses to another thread six times a query.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from assistant.models.remote.event_loop import EventLoopThread
from assistant.types import Scope
from memory_store.index.key_matrix import KeyMatrix, Query
from memory_store.index.rows import unpack, vectors_of
from memory_store.language.terms import Floats, rarest_words
from memory_store.ledger.access import is_readable

if TYPE_CHECKING:
    import pyarrow
    from lancedb.expr import Expr
    from lancedb.query import AsyncFTSQuery, AsyncVectorQuery
    from lancedb.table import AsyncTable, LanceTable

T = TypeVar("T")

_SEARCHED = 64  # rows that a search looks at, by meaning and by words each
_MOST_ENTRIES = 16  # of which so many entries are compared
_PROBES = 8  # groups of vectors that are looked through, of some 2,000 each
_MOST_WORDS = 6  # of a question that are searched for, the rarest ones: common words are in half of a large table


@cache  # of every index: it keeps nothing of what is found
def _loop() -> EventLoopThread:
    return EventLoopThread("index-loop")


def in_loop(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """What `work()` returns, awaited in the loop in which tables are searched."""
    return _loop().begin(work).result()


def all_rows(table: LanceTable, rows: Expr, scope: Scope, dimension: int) -> KeyMatrix:
    """The rows that meet a condition, each looked at again for who asks. `dimension` is 0 without an embedder."""
    return _matrix(table.search().where(rows).select(_columns(dimension)).to_arrow(), scope, dimension)


def near_rows(table: AsyncTable, rows: Expr, query: Query, scope: Scope, dimension: int) -> KeyMatrix:
    """All rows of the entries of which a row meets the condition and is near a question, by words or by meaning.

    Words are searched while the question gets its vector. `table` is the index at one time: all queries see the same.
    """
    worded = _loop().begin(lambda: _by_words(table, rows, query.english))
    vector = query.vector() if dimension else None

    async def found() -> pyarrow.Table:
        from lancedb.expr import col

        near = await asyncio.gather(asyncio.wrap_future(worded), _by_meaning(table, rows, vector))
        entry_ids = list(dict.fromkeys(entry_id for search in near for entry_id in search))
        return await table.query().where(rows & col("entry_id").isin(entry_ids)).select(_columns(dimension)).to_arrow()

    return _matrix(in_loop(found), scope, dimension)


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
    rows = await search.select(["entry_id", order]).limit(_SEARCHED).to_arrow()
    return list(dict.fromkeys(rows["entry_id"].to_pylist()))[:_MOST_ENTRIES]


def _columns(dimension: int) -> list[str]:
    return ["packed", "vector"] if dimension else ["packed"]


def _matrix(found: pyarrow.Table, scope: Scope, dimension: int) -> KeyMatrix:
    keys = unpack(found["packed"].to_pylist())
    kept = [place for place, key in enumerate(keys) if is_readable(key, scope)]
    vectors = vectors_of(found["vector"].combine_chunks(), dimension)[kept] if dimension else None
    return KeyMatrix([keys[place] for place in kept], vectors)
