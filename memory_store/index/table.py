"""The LanceDB table behind the index: its columns, and how it is made.

LanceDB is imported inside the functions: that takes seconds, and the page comes first.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, cast

from memory_store.object_store import OPTIONS, check_conditional_put, is_folder

if TYPE_CHECKING:
    import numpy
    import pyarrow
    from lancedb import Session
    from lancedb.db import LanceDBConnection
    from lancedb.table import AsyncTable, LanceTable
    from numpy.typing import NDArray

Vector: TypeAlias = "NDArray[numpy.float32]"
"""Shape (dimension,)."""

_LAYOUT = 4  # another number makes another table, filled anew from the ledger
_ROWS_AT_A_TIME = 8_192
_CACHE_BYTES = 512 << 20  # of which the index of a million vectors takes most; a smaller one takes what it needs
_METADATA_BYTES = 32 << 20
_MANY_ROWS = 50_000
_AT_ONCE = timedelta(milliseconds=1)
_GROUP = 2_000  # vectors of a group: a search reads whole groups, and they do not fit into the cache
FILTERED = frozenset({"scope", "status", "owner"})
"""The columns that searches filter by: without an index of each they go through all rows."""
PROGRESS = "progress"
"""Key id and status of the one row that is no key: its sequence number says how much of the ledger is in the table."""
TEXT_COLUMNS = ("key_id", "entry_id", "owner", "scope", "status", "english", "packed")
"""The columns that hold text, in their order."""


@dataclass(frozen=True, slots=True)
class KeyRow:
    """One row: a text of an active entry. `vector` is None as long as no embedder has seen it.

    Rows are searched by the other columns; what a question is compared with is all in `packed`
    (`memory_store.packed_key`).
    """

    key_id: str
    entry_id: str
    owner: str
    scope: str
    status: str
    english: str
    packed: str
    sequence: int
    vector: Vector | None = None


def progress_row(sequence: int) -> KeyRow:
    """The row that says that all changes up to `sequence` are in the table."""
    return KeyRow(PROGRESS, "", "", "", PROGRESS, "", "", sequence)


def table_name(fingerprint: str, dimension: int) -> str:
    """A name for the vectors of one embedder over one ledger, so that they are never mixed with others."""
    return f"keys_{hashlib.sha256(f'{_LAYOUT} {dimension} {fingerprint}'.encode()).hexdigest()[:16]}"


def caches() -> Session:
    """What is kept in memory of the files of an index, for all connections that are given it."""
    import lancedb

    return lancedb.Session(_CACHE_BYTES, _METADATA_BYTES)


def connect(uri: str, session: Session | None = None) -> LanceDBConnection:
    """A folder or an object store, read afresh each time: without that, a handle writes on what it saw when opened.

    Args:
        uri: as for `Index`.
        session: see `caches`; None for some of its own.

    Raises:
        StoreError: the object store is none that may be written to.
        OSError, RuntimeError, ValueError: it cannot be reached.
    """
    import lancedb

    if is_folder(uri):
        _make_room(Path(uri))
    else:
        check_conditional_put(uri)
    interval, options = timedelta(0), _options(uri)
    database = lancedb.connect(
        uri, read_consistency_interval=interval, session=session or caches(), storage_options=options
    )
    return cast("LanceDBConnection", database)


async def open_as_of(uri: str, name: str, version: int, session: Session) -> AsyncTable:
    """A table as it was at one version: no query of it looks for a newer one.

    Args:
        uri: as for `connect`.
        name: of the table.
        version: its number.
        session: see `caches`.

    Raises:
        OSError, RuntimeError, ValueError: it cannot be read, or that version is gone.
    """
    import lancedb

    database = await lancedb.connect_async(uri, session=session, storage_options=_options(uri))
    table = await database.open_table(name)
    await table.checkout(version)
    return table


def _options(uri: str) -> dict[str, str] | None:
    return None if is_folder(uri) else OPTIONS


def _make_room(folder: Path) -> None:
    """A folder of this name. Whatever else has it is set aside: nobody knows whose it is."""
    if folder.exists() and not folder.is_dir():
        folder.replace(folder.with_name(f"{folder.name}.set-aside"))
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


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


def key_rows(batch: pyarrow.RecordBatch, dimension: int) -> Iterator[KeyRow]:
    """Rows as they come back."""
    rows = batch.select([name for name in batch.schema.names if name != "vector"]).to_pylist()
    if not dimension:
        return (KeyRow(**row) for row in rows)
    waiting = batch["vector"].is_null().to_pylist()
    vectors = vectors_of(batch["vector"], dimension)
    return (
        KeyRow(**row, vector=None if waits else vectors[place])
        for place, (row, waits) in enumerate(zip(rows, waiting, strict=True))
    )


def vectors_of(column: pyarrow.FixedSizeListArray, dimension: int) -> NDArray[numpy.float32]:
    """Shape (rows, dimension); NaN where a row has no vector yet."""
    import numpy as np

    waiting = column.is_null().to_numpy(zero_copy_only=False)
    vectors = np.full((len(column), dimension), np.nan, dtype=np.float32)
    # Null rows may or may not take up room in the values below, so only the others are read.
    vectors[~waiting] = column.drop_null().flatten().to_numpy(zero_copy_only=False).reshape(-1, dimension)
    return vectors


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


def copy_rows(table: LanceTable, to: LanceTable) -> None:
    """Add all rows of a table to an empty one of the same columns, some at a time."""
    import pyarrow as pa

    columns = table.schema
    batches = table.search().select(list(columns.names)).to_batches(_ROWS_AT_A_TIME)
    to.add(pa.RecordBatchReader.from_batches(columns, (batch.select(columns.names).cast(columns) for batch in batches)))


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


def index_filters(table: LanceTable) -> None:
    """Index what searches filter by, where it is not yet: a table of an earlier program need not be filled anew."""
    from lancedb.index import Bitmap

    for column in sorted(FILTERED - {index.columns[0] for index in table.list_indices()}):
        table.create_index(column, config=Bitmap())


def index_vectors(table: LanceTable, dimension: int) -> None:
    """Make an index of the vectors, once there are so many rows that comparing a question with each takes too long."""
    from lancedb.index import IvfSq

    indexed = any(index.columns == ["vector"] for index in table.list_indices())
    if dimension and not indexed and table.count_rows() > _MANY_ROWS:
        table.create_index("vector", config=IvfSq(distance_type="cosine", target_partition_size=_GROUP))


def settle(table: LanceTable, dimension: int) -> None:
    """Join the small files of a table that was just filled, leave none of its earlier versions, and index its vectors.

    Nobody searched those versions: they would only take as much room again.
    """
    table.optimize(cleanup_older_than=_AT_ONCE)
    index_vectors(table, dimension)
