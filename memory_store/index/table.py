"""The LanceDB table behind the index: where it lies, how it is made, opened, looked through and copied.

LanceDB is imported inside the functions: that takes seconds, and the page comes first.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from time import time_ns
from typing import TYPE_CHECKING, cast

from memory_store.index.object_store import check_conditional_put, is_folder, storage_options
from memory_store.index.rows import PROGRESS, schema

if TYPE_CHECKING:
    from lancedb import Session
    from lancedb.db import LanceDBConnection
    from lancedb.table import AsyncTable, LanceTable

_LAYOUT = 4  # another number makes another table, filled anew from the ledger
_ROWS_AT_A_TIME = 8_192
_CACHE_BYTES = 512 << 20  # of which the index of a million vectors takes most; a smaller one takes what it needs
_METADATA_BYTES = 32 << 20
_MANY_ROWS = 50_000
_AT_ONCE = timedelta(milliseconds=1)
_GROUP = 2_000  # vectors of a group: a search reads whole groups, and they do not fit into the cache
_FILTERED = frozenset({"scope", "status", "owner"})  # without an index of each, searches go through all rows
_VERSIONS = "_versions"  # LanceDB adds a file for each
_SETTLED = 1_000_000_000  # nanoseconds; within less, a folder may change again and bear the same time


def caches() -> Session:
    """What is kept in memory of the files of an index, for all connections that are given it."""
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


def _numbered(name: str) -> tuple[str, int]:
    base, _, generation = name.partition("-")
    return base, int(generation) if generation.isdecimal() else 0


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
    table.optimize(cleanup_older_than=_AT_ONCE)
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
