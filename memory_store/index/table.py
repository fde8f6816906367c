"""The LanceDB table behind the index: where it lies, how it is made, opened, looked through, copied and searched.

LanceDB is imported inside the functions: that takes seconds, and the page comes first. A search takes its time by the
number of queries and of columns, hardly by that of rows. So it brings nothing but the ids of entries, both searches run
at once, and one query fetches the rows of all that they found, with as few columns as can be. It is LanceDB's
asynchronous API that is searched with: its other one crosses to another thread six times a query.
"""

from __future__ import annotations

import asyncio
import hashlib
import shutil
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from time import time_ns
from typing import TYPE_CHECKING, TypeVar, cast

from assistant.types import Scope
from memory_store.index.key_matrix import Query
from memory_store.index.loading import in_matrices
from memory_store.index.matrix_cache import Matrices
from memory_store.index.name_vectors import NameVectors
from memory_store.index.object_store import check_conditional_put, is_folder, storage_options
from memory_store.index.process import in_loop, prepare, search_loop
from memory_store.index.rows import PROGRESS, schema, vectors_of
from memory_store.language.terms import Floats, rarest_words
from memory_store.ledger.access import readable_owners

if TYPE_CHECKING:
    import pyarrow
    from lancedb import Session
    from lancedb.db import LanceDBConnection
    from lancedb.expr import Expr
    from lancedb.query import AsyncFTSQuery, AsyncVectorQuery
    from lancedb.table import AsyncTable, LanceTable

T = TypeVar("T")

_LAYOUT = 4  # another number makes another table, filled anew from the ledger
_ROWS_AT_A_TIME = 4_096
_CACHE_BYTES = 512 << 20  # of which the index of a million vectors takes most; a smaller one takes what it needs
_METADATA_BYTES = 32 << 20
_MANY_ROWS = 50_000
AT_ONCE = timedelta(milliseconds=1)
_GROUP = 2_000  # vectors of a group: a search reads whole groups, and they do not fit into the cache
_FILTERED = frozenset({"scope", "status", "owner"})  # without an index of each, searches go through all rows
_VERSIONS = "_versions"  # LanceDB adds a file for each
_SETTLED = 1_000_000_000  # nanoseconds; within less, a folder may change again and bear the same time
_SEARCHED = 64  # rows that a search looks at, by meaning and by words each
_MOST_ENTRIES = 16  # of which so many entries are compared
_PROBES = 8  # groups of vectors that are looked through, of some 2,000 each
_OF_NAMES = ["key_id", "owner", "vector"]
_MOST_WORDS = 6  # of a question that are searched for, the rarest ones: common words are in half of a large table


def caches() -> Session:
    """What is kept in memory of the files of an index, for all connections that are given it."""
    prepare()
    import lancedb

    return lancedb.Session(_CACHE_BYTES, _METADATA_BYTES)


def connect(uri: str, session: Session | None = None) -> LanceDBConnection:
    """A folder or an object store, read afresh each time: without that, a handle writes on what it saw when opened.

    Raises StoreError: it may not be written to; OSError, RuntimeError, ValueError: it cannot be reached.
    """
    import lancedb

    if is_folder(uri):
        folder = Path(uri)
        if folder.exists() and not folder.is_dir():  # set aside: nobody knows whose it is
            folder.replace(folder.with_name(f"{folder.name}.set-aside"))
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    else:
        check_conditional_put(uri)
    afresh, options = timedelta(0), storage_options(uri)
    database = lancedb.connect(
        uri, read_consistency_interval=afresh, session=session or caches(), storage_options=options
    )
    return cast("LanceDBConnection", database)


async def open_as_of(uri: str, name: str, version: int, session: Session) -> AsyncTable:
    """A table as it was at one version: no query of it looks for a newer one. Raises as `connect`."""
    import lancedb

    database = await lancedb.connect_async(uri, session=session, storage_options=storage_options(uri))
    table = await database.open_table(name)
    await table.checkout(version)
    return table


def table_name(fingerprint: str, dimension: int) -> str:
    """A name for the vectors of one embedder over one ledger, so that they are never mixed with others."""
    return f"keys_{hashlib.sha256(f'{_LAYOUT} {dimension} {fingerprint}'.encode()).hexdigest()[:16]}"


def next_name(name: str) -> str:
    """The name of the table that takes the place of another one: its number is one higher."""
    base, generation = _numbered(name)
    return f"{base}-{generation + 1}"


def in_place_of(name: str, names: Sequence[str]) -> list[str]:
    """Those of the names that stand for the table `name`, the latest first."""
    return sorted((other for other in names if _numbered(other)[0] == name), key=_numbered, reverse=True)


def base_of(name: str) -> str:
    """The table that this one stands for."""
    return _numbered(name)[0]


def _numbered(name: str) -> tuple[str, int]:
    base, _, generation = name.partition("-")
    return base, int(generation) if generation.isdecimal() else 0


def replace_rows(table: LanceTable, ids: Sequence[str], rows: pyarrow.Table) -> None:
    """Put rows in the place of all rows of these entries, in one commit."""
    from lancedb.expr import col

    merge = table.merge_insert("key_id").when_matched_update_all().when_not_matched_insert_all()
    merge = merge.when_not_matched_by_source_delete(col("entry_id").isin(list(ids)))
    # Through an index on the key, two writers could both insert it.
    merge.use_index(False).execute(rows, on_bad_vectors="null")


def newest_whole(database: LanceDBConnection, names: Sequence[str]) -> str:
    """The first of these tables that was filled to its end; else the first. Where there is only one, nobody looks."""
    for name in names if len(names) > 1 else ():
        with suppress(RuntimeError, ValueError, OSError):
            read_progress(database.open_table(name))
            return name
    return names[0] if names else ""


def drop_table(database: LanceDBConnection, uri: str, name: str) -> None:
    """Remove a table, if it is there, without a look at what lies in it."""
    if not is_folder(uri):
        database.drop_table(name, ignore_missing=True)
        return
    path = Path(uri) / f"{name}.lance"
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def make_table(database: LanceDBConnection, uri: str, name: str, dimension: int) -> LanceTable:
    """A new, empty table in the place of whatever stood there, which may be damaged beyond opening."""
    from lancedb.index import FTS, BTree

    drop_table(database, uri, name)
    table = database.create_table(name, schema=schema(dimension))
    table.set_unenforced_primary_key("key_id")
    index_filters(table)
    table.create_index("entry_id", config=BTree())
    # Words stay as they are written: stemming and stop words know English only, `simple` cuts Devanagari words apart,
    # and the usual longest word is 40 bytes, 13 letters of Devanagari.
    words = FTS(
        base_tokenizer="icu",
        stem=False,
        remove_stop_words=False,
        ascii_folding=False,
        max_token_length=None,
        with_position=False,
    )
    table.create_index("english", config=words)
    return table


def index_filters(table: LanceTable) -> None:
    """Index what searches filter by, where it is not yet: a table of an earlier program need not be filled anew."""
    from lancedb.index import Bitmap

    for column in sorted(_FILTERED - {index.columns[0] for index in table.list_indices()}):
        table.create_index(column, config=Bitmap())


def index_vectors(table: LanceTable, dimension: int) -> None:
    """Make an index of the vectors, once there are so many rows that comparing a question with each takes too long."""
    from lancedb.index import IvfSq

    indexed = any(index.columns == ["vector"] for index in table.list_indices())
    if dimension and not indexed and table.count_rows() > _MANY_ROWS:
        table.create_index("vector", config=IvfSq(distance_type="cosine", target_partition_size=_GROUP))


def copy_rows(table: LanceTable, to: LanceTable) -> None:
    """Add all rows of a table to an empty one of the same columns, some at a time."""
    import pyarrow as pa

    columns = table.schema
    batches = table.search().select(list(columns.names)).to_batches(_ROWS_AT_A_TIME)
    to.add(pa.RecordBatchReader.from_batches(columns, (batch.select(columns.names).cast(columns) for batch in batches)))


def settle(table: LanceTable, dimension: int) -> None:
    """Join the small files of a table that was just filled, leave none of its earlier versions, index its vectors."""
    table.optimize(cleanup_older_than=AT_ONCE)
    index_vectors(table, dimension)


def read_progress(table: LanceTable) -> int:
    """The sequence number of the progress row."""
    from lancedb.expr import col, lit

    rows = table.search().where(col("status") == lit(PROGRESS)).select(["sequence"]).to_list()
    if len(rows) != 1:
        raise ValueError("The table was not filled to its end.")
    return int(rows[0]["sequence"])


def look_through(table: LanceTable, dimension: int) -> None:
    """Read everything once, through every index, which also warms the caches. Raises as `connect`, where damaged."""
    from lancedb.expr import col, lit

    columns = schema(dimension)
    if table.schema != columns:
        raise ValueError("The table has other columns.")
    if {*_FILTERED, "entry_id", "english"} - {index.columns[0] for index in table.list_indices()}:
        raise ValueError("An index of the table is missing.")
    rows = sum(batch.num_rows for batch in table.search().select(list(columns.names)).to_batches())
    if rows != table.count_rows():
        raise ValueError("Rows of the table are missing.")
    filters = (col("status") == lit(PROGRESS)) & (col("scope") == lit("")) & (col("owner") == lit(""))
    table.search().where(filters & (col("entry_id") == lit(""))).select(["key_id"]).to_arrow()
    table.search("a", query_type="fts", fts_columns="english").select(["key_id", "_score"]).limit(1).to_arrow()


class NewestVersion:
    """The number of a table's newest version. Every question asks, and LanceDB's answer takes a while.

    It is asked in an object store, and where a version was added or removed; else only the file system is.
    """

    def __init__(self, uri: str) -> None:
        self._folder = Path(uri) if is_folder(uri) else None
        self._known: tuple[str, int, int] | None = None

    def __call__(self, table: LanceTable) -> int:
        """Raises OSError, RuntimeError or ValueError where the table cannot be read."""
        if self._folder is None:
            return table.version
        changed = (self._folder / f"{table.name}.lance" / _VERSIONS).stat().st_mtime_ns
        known = self._known
        if known is not None and known[:2] == (table.name, changed):
            return known[2]
        version = table.version
        self._known = (table.name, changed, version) if time_ns() - changed > _SETTLED else None
        return version


def all_rows(table: LanceTable, rows: Expr, scope: Scope, dimension: int, most: int) -> Matrices | None:
    """The rows that meet a condition, each looked at again for who asks; None where there are more than `most`.

    `dimension` is 0 without an embedder.
    """
    entry_ids = table.search().where(rows).select(["entry_id"]).limit(most + 1).to_arrow()["entry_id"]
    if len(entry_ids) > most:
        return None
    batches = table.search().where(rows).select(_columns(dimension)).to_batches(_ROWS_AT_A_TIME)
    return in_matrices(batches, scope, dimension, entry_ids)


def near_rows(table: AsyncTable, rows: Expr, query: Query, scope: Scope, dimension: int) -> Matrices:
    """All rows of the entries of which a row meets the condition and is near a question, by words or by meaning.

    Words are searched while the question gets its vector. `table` is the index at one time: all queries see the same.
    """
    worded = search_loop().begin(lambda: _by_words(table, rows, query.english))
    vector = query.vector() if dimension else None

    async def found() -> pyarrow.Table:
        from lancedb.expr import col

        near = await asyncio.gather(asyncio.wrap_future(worded), _by_meaning(table, rows, vector))
        entry_ids = list(dict.fromkeys(entry_id for search in near for entry_id in search))
        return await table.query().where(rows & col("entry_id").isin(entry_ids)).select(_columns(dimension)).to_arrow()

    return in_matrices(in_loop(found).to_batches(), scope, dimension)


def all_names(table: LanceTable, rows: Expr, scope: Scope, dimension: int, most: int) -> tuple[NameVectors, ...] | None:
    """The names that meet a condition, each looked at again for who asks; None where there are more than `most`."""
    if table.search().where(rows).select(["key_id"]).limit(most + 1).to_arrow().num_rows > most:
        return None
    return (_names(table.search().where(rows).select(_OF_NAMES).to_arrow(), scope, dimension),)


def near_names(table: AsyncTable, rows: Expr, vector: Floats, scope: Scope, dimension: int) -> tuple[NameVectors, ...]:
    """Those of them that are nearest to a vector."""

    async def found() -> pyarrow.Table:
        return await _nearest(table, rows, vector).select([*_OF_NAMES, "_distance"]).limit(_SEARCHED).to_arrow()

    return (_names(in_loop(found), scope, dimension),)


def _names(found: pyarrow.Table, scope: Scope, dimension: int) -> NameVectors:
    import pyarrow as pa
    import pyarrow.compute as pc

    owners = readable_owners(found["owner"].unique().to_pylist(), scope)
    kept = found.filter(pc.is_in(found["owner"], value_set=pa.array(owners, pa.string())))
    return NameVectors(kept["key_id"].cast("int64").to_numpy(), vectors_of(kept["vector"].combine_chunks(), dimension))


async def _by_words(table: AsyncTable, rows: Expr, english: str) -> list[str]:
    if not (rare := rarest_words(english, _MOST_WORDS)):
        return []
    return await _entry_ids(table.query().nearest_to_text(rare, columns="english").where(rows), "_score")


async def _by_meaning(table: AsyncTable, rows: Expr, vector: Floats | None) -> list[str]:
    if vector is None:
        return []
    return await _entry_ids(_nearest(table, rows, vector), "_distance")


def _nearest(table: AsyncTable, rows: Expr, vector: Floats) -> AsyncVectorQuery:
    search = table.query().nearest_to(vector).column("vector").distance_type("cosine").nprobes(_PROBES)
    return search.where(rows)


async def _entry_ids(search: AsyncFTSQuery | AsyncVectorQuery, order: str) -> list[str]:
    rows = await search.select(["entry_id", order]).limit(_SEARCHED).to_arrow()
    return list(dict.fromkeys(rows["entry_id"].to_pylist()))[:_MOST_ENTRIES]


def _columns(dimension: int) -> list[str]:
    return ["packed", "vector"] if dimension else ["packed"]
