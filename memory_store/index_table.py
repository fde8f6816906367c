"""The LanceDB table behind the index: its columns, how it is made, and the look that tells whether it is whole.

LanceDB is imported inside the functions: that takes seconds, and the page comes first.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, cast

from memory_store.object_store import OPTIONS, check_conditional_put, is_folder

if TYPE_CHECKING:
    import numpy
    import pyarrow
    from lancedb.db import LanceDBConnection
    from lancedb.table import LanceTable
    from numpy.typing import NDArray

Vector: TypeAlias = "NDArray[numpy.float32]"
"""Shape (dimension,)."""

_LAYOUT = 3  # another number makes another table, filled anew from the ledger
_CACHE_BYTES = 128 << 20
_METADATA_BYTES = 32 << 20
_MANY_ROWS = 50_000
_GROUP = 2_000  # vectors of a group: a search reads whole groups, and they do not fit into the cache
_FILTERED = frozenset({"scope", "status", "owner"})  # a search without an index of each goes through all rows
PROGRESS = "progress"
"""Key id and status of the one row that is no key: its sequence number says how much of the ledger is in the table."""
TEXT_COLUMNS = ("key_id", "entry_id", "owner", "scope", "kind", "status", "role", "text", "normalised", "english")
"""The columns that hold text, in their order."""


@dataclass(frozen=True, slots=True)
class KeyRow:
    """One row: a text of an active entry. `vector` is None as long as no embedder has seen it."""

    key_id: str
    entry_id: str
    owner: str
    scope: str
    kind: str
    status: str
    role: str
    text: str
    normalised: str
    english: str
    sequence: int
    vector: Vector | None = None


def progress_row(sequence: int) -> KeyRow:
    """The row that says that all changes up to `sequence` are in the table."""
    return KeyRow(PROGRESS, "", "", "", "", PROGRESS, "", "", "", "", sequence)


def table_name(fingerprint: str, dimension: int) -> str:
    """A name for the vectors of one embedder over one ledger, so that they are never mixed with others."""
    return f"keys_{hashlib.sha256(f'{_LAYOUT} {dimension} {fingerprint}'.encode()).hexdigest()[:16]}"


def connect(uri: str) -> LanceDBConnection:
    """A folder or an object store, read afresh each time: without that, a handle writes on what it saw when opened.

    Raises:
        StoreError: the object store is none that may be written to.
        OSError, RuntimeError, ValueError: it cannot be reached.
    """
    import lancedb

    options = None
    if is_folder(uri):
        Path(uri).mkdir(mode=0o700, parents=True, exist_ok=True)
    else:
        check_conditional_put(uri)
        options = OPTIONS
    session = lancedb.Session(_CACHE_BYTES, _METADATA_BYTES)
    database = lancedb.connect(uri, read_consistency_interval=timedelta(0), session=session, storage_options=options)
    return cast("LanceDBConnection", database)


def schema(dimension: int) -> pyarrow.Schema:
    """The columns. Without an embedder (`dimension` 0) there is no vector."""
    import pyarrow as pa

    fields = [pa.field(name, pa.string(), nullable=False) for name in TEXT_COLUMNS]
    fields.append(pa.field("sequence", pa.int64(), nullable=False))
    if dimension:
        fields.append(pa.field("vector", pa.list_(pa.float32(), dimension)))
    return pa.schema(fields)


def arrow(rows: Sequence[KeyRow], dimension: int) -> pyarrow.Table:
    """Rows as LanceDB takes them."""
    import pyarrow as pa

    columns = schema(dimension)
    return pa.table({name: [getattr(row, name) for row in rows] for name in columns.names}, schema=columns)


def make_table(database: LanceDBConnection, uri: str, name: str, dimension: int) -> LanceTable:
    """A new, empty table in the place of whatever stood there, which may be damaged beyond opening."""
    from lancedb.index import FTS, BTree

    database.drop_table(name, ignore_missing=True)
    if is_folder(uri):
        shutil.rmtree(Path(uri) / f"{name}.lance", ignore_errors=True)
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


def look_through(table: LanceTable, dimension: int) -> None:
    """Read everything once, through every index, which also warms the caches.

    Raises:
        RuntimeError, ValueError, OSError: something is missing or damaged.
    """
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
