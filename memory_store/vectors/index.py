"""The vector index: rows of texts and names in LanceDB, searched by meaning and by words.

It holds nothing that the ledger does not hold: one that is damaged, or of another embedder, is dropped and filled
again. What it finds are ids; what is shown and spliced comes from the ledger. No other module imports LanceDB, which
takes seconds: another store would be one file.
"""

from __future__ import annotations

import ctypes
import hashlib
import logging
import shutil
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import cache
from pathlib import Path
from time import time_ns
from typing import TYPE_CHECKING, Any, cast

from assistant.errors import StoreError
from assistant.types import Scope
from memory_store.arrays import Floats
from memory_store.ledger.access import is_row_of, person_of
from memory_store.ledger.database.schema import NOBODY, PRIVATE, SHARED, NameRole
from memory_store.vectors.cache import MOST_ROWS, Near, RowCache, Rows
from memory_store.vectors.object_store import check_conditional_put, in_time, is_folder, storage_options
from memory_store.vectors.rows import TEXTS, Owner, Row, arrow, by_owner, schema

if TYPE_CHECKING:
    import pyarrow
    from lancedb import Session
    from lancedb.db import LanceDBConnection
    from lancedb.expr import Expr
    from lancedb.query import LanceQueryBuilder
    from lancedb.table import LanceTable

_LAYOUT = 7  # another number makes another table, filled anew from the ledger
_STATE = "state"  # key id and scope of the one row that is no text: how much of the ledger is in the table
_INDEXED = ("scope", "owner", "entry_id")  # without an index of each, searches go through all rows
_NEAREST = 24  # entries of each part, of a person's own and of what is shared, that are found by meaning
_WORDED = 32  # the same by words
_PROBES = 8  # groups of vectors that a search looks through
_GROUP = 2_000  # vectors of a group
_SMALL_FILES = 64
_ROWS_AT_A_TIME = 4_096
_KEEP_VERSIONS = timedelta(seconds=30)  # longer than any search takes
_AT_ONCE = timedelta(milliseconds=1)
_CACHE_BYTES, _METADATA_BYTES = 64 << 20, 32 << 20
_READ = (*TEXTS, "vector")
_PANIC = "PanicException"  # how PyO3 hands on a panic of Rust; it is no Exception, and each library has its own

_log = logging.getLogger(__name__)


class IndexUnavailable(StoreError):
    """The index cannot be searched now. The words of the ledger can."""

    code = "store.index_not_ready"


class VectorIndex:
    """One table for the vectors of one embedder over one ledger, in a folder or under an address such as `s3://…`.

    Whoever writes holds the lock of `memory_store.vectors.indexer`. Until `open`, and after damage, all other methods
    raise IndexUnavailable.
    """

    def __init__(self, uri: str) -> None:
        self.uri = uri
        self._sequence, self._dimension = -1, 0
        self._table: LanceTable | None = None
        self._cache = RowCache()
        self._session: Session | None = None

    @property
    def sequence(self) -> int:
        """Number of the last change of the ledger that is in it; -1 while it is not open."""
        # A search that fails may close the table while a write of the indexer is still under way.
        return -1 if self._table is None else self._sequence

    def open(self, fingerprint: str, dimension: int) -> None:
        """Open the table of an embedder and a ledger, or begin an empty one; all other tables are removed.

        Args:
            fingerprint: of the embedder and the ledger.
            dimension: length of a vector; 0 without an embedder.
        """
        self.close()
        base = f"keys_{hashlib.sha256(f'{_LAYOUT} {dimension} {fingerprint}'.encode()).hexdigest()[:16]}"
        with _unavailable(), self._marked():
            self._dimension = dimension
            database = self._connect()
            names = sorted(database.list_tables().tables, reverse=True)
            own = (name for name in names if name.startswith(base))
            table = next(filter(None, (self._checked(database, name) for name in own)), None)
            if table is None:
                _log.info("The index is made from the ledger.")
                table = _make(database, base, dimension)
                table.add(arrow([_state(0)], dimension), on_bad_vectors="null")
            for name in names:
                if name != table.name:
                    database.drop_table(name, ignore_missing=True)
            self._table = table
        self.refresh()

    def refresh(self) -> None:
        """Read how much of the ledger is in it, whichever process wrote that."""
        with self._using() as table:
            (sequence,) = _sequences_of(table)
            if sequence != self._sequence:
                self._cache.clear()
            self._sequence = sequence

    def close(self) -> None:
        """Let go of the table."""
        self._table, self._sequence = None, -1
        self._cache.clear()

    def drop(self) -> None:
        """Remove all tables."""
        self.close()
        with _unavailable():
            if not is_folder(self.uri):
                self._connect().drop_all_tables()
            elif Path(self.uri).is_dir():
                shutil.rmtree(self.uri)

    def upsert(self, entry_ids: Collection[str], rows: Sequence[Row], sequence: int) -> None:
        """Put rows in the place of all rows of these entries, and note how much of the ledger is in, in one commit."""
        from lancedb.expr import col

        with self._using() as table:
            merge = table.merge_insert("key_id").when_matched_update_all().when_not_matched_insert_all()
            if entry_ids:
                merge = merge.when_not_matched_by_source_delete(col("entry_id").isin(sorted(entry_ids)))
            # Through an index on the key, two writers could both insert it.
            merge.use_index(False).execute(arrow([*rows, _state(sequence)], self._dimension), on_bad_vectors="null")
            added = {owner: Rows.of(arrow(some, self._dimension), self._dimension) for owner, some in by_owner(rows)}
            self._cache.replace(entry_ids, added)
            self._sequence = sequence  # not before: who waits for it would search what was held

    @property
    def is_untidy(self) -> bool:
        """Whether the rows lie in so many small files that searching gets slower."""
        with self._using() as table:
            statistics = cast("Mapping[str, Any]", table.stats())  # a dict, whatever its annotation says
            return bool(statistics["fragment_stats"]["num_small_fragments"] > _SMALL_FILES)

    def compact(self) -> None:
        """Join small files, remove old versions, and make an index of vectors once there are many."""
        from lancedb.index import IvfSq

        with self._using() as table:
            table.optimize(cleanup_older_than=_KEEP_VERSIONS)
            is_indexed = any(index.columns == ["vector"] for index in table.list_indices())
            if self._dimension and not is_indexed and table.count_rows() > MOST_ROWS:
                table.create_index("vector", config=IvfSq(distance_type="cosine", target_partition_size=_GROUP))

    def rewrite(self) -> None:
        """Put all rows into a table of their own and remove the old one, so that nothing deleted is left in any file.

        Searches use the old one until then. Killed in the middle, the next `open` finds whichever is whole.
        """
        import pyarrow as pa

        with self._using() as table:
            database = self._connect()
            made = _make(database, table.name.partition("-")[0], self._dimension)
            columns = table.schema
            batches = table.search().select(list(columns.names)).to_batches(_ROWS_AT_A_TIME)
            some = (batch.select(columns.names).cast(columns) for batch in batches)
            made.add(pa.RecordBatchReader.from_batches(columns, some))
            made.optimize(cleanup_older_than=_AT_ONCE)
            self._table = made
            database.drop_table(table.name, ignore_missing=True)

    def search(self, words: str, vector: Floats | None, scope: Scope) -> dict[str, Near]:
        """Return the entries that are near a question: by meaning and by words, of each part so many; by id.

        Args:
            words: the folded words of the question.
            vector: its vector, of length 1; None where there is none.
            scope: whose entries; what is shared is searched as well.
        """
        asked = vector if self._dimension else None
        near: dict[str, Near] = {}
        for owner in ((PRIVATE, person_of(scope)), (SHARED, "")):
            rows = self._held(owner)
            worded = self._worded(owner, words) if rows is None else rows.worded(words, _WORDED)
            if rows is None:
                rows = self._near(owner, asked, worded)
            near |= rows.search(asked, worded, _NEAREST)
        return near

    def names(self, role: NameRole, vector: Floats, least: float, scope: Scope) -> dict[int, float]:
        """Return the ids of names in a person's own facts and in shared ones whose cosine is at least so much."""
        near: dict[int, float] = {}
        for owner in ((role.value, person_of(scope)), (role.value, NOBODY)) if self._dimension else ():
            rows = self._held(owner)
            if rows is None:
                rows = self._near(owner, vector, ())
            near |= {int(name): cosine for name, cosine in rows.within(vector, least).items()}
        return near

    def _held(self, owner: Owner) -> Rows | None:
        """Return all rows of an owner; None where they are too many to hold. Raises IndexUnavailable."""
        if self._table is None:
            raise IndexUnavailable
        return self._cache.rows(owner, lambda: self._load(owner))

    def _load(self, owner: Owner) -> Rows | None:
        """Read all rows of an owner; return None where they are too many."""
        rows = self._read(lambda table: table.search().where(_of(owner)).select(list(_READ)).limit(MOST_ROWS + 1))
        return Rows.of(_looked_at(rows, owner), self._dimension) if len(rows) <= MOST_ROWS else None

    def _near(self, owner: Owner, vector: Floats | None, worded: Collection[str]) -> Rows:
        """Return the rows of the entries that LanceDB finds near, and of those of `worded`."""
        from lancedb.expr import col

        def by_meaning(table: LanceTable) -> LanceQueryBuilder:
            search = table.search(vector, vector_column_name="vector").distance_type("cosine").nprobes(_PROBES)
            return search.where(_of(owner)).select(["entry_id", "_distance"]).limit(4 * _NEAREST)

        near = set(worded)
        if vector is not None:
            near |= {*self._read(by_meaning)["entry_id"].to_pylist()}
        of_these = _of(owner) & col("entry_id").isin(sorted(near))
        rows = self._read(lambda table: table.search().where(of_these).select(list(_READ)))
        return Rows.of(_looked_at(rows, owner), self._dimension)

    def _worded(self, owner: Owner, words: str) -> list[str]:
        """Return the entries of an owner that LanceDB finds by words."""

        def by_words(table: LanceTable) -> LanceQueryBuilder:
            search = table.search(words, query_type="fts", fts_columns="words").where(_of(owner))
            return search.select(["entry_id", "_score"]).limit(_WORDED)

        return [*dict.fromkeys(self._read(by_words)["entry_id"].to_pylist())] if words.strip() else []

    def _read(self, query: Callable[[LanceTable], LanceQueryBuilder]) -> pyarrow.Table:
        """Return what a query finds; ask once more where a version was removed meanwhile."""
        with self._using() as table:
            try:
                return in_time(self.uri, lambda: query(table).to_arrow())
            except Exception:
                return in_time(self.uri, lambda: query(table).to_arrow())

    @contextmanager
    def _using(self) -> Iterator[LanceTable]:
        """Give the open table; if using it fails, it is let go of, and checked when it is opened again."""
        table = self._table
        if table is None:
            raise IndexUnavailable
        try:
            with _unavailable():
                yield table
        except IndexUnavailable:
            if self._table is table:  # it was not opened again meanwhile
                self.close()
            raise

    def _connect(self) -> LanceDBConnection:
        """Connect, read afresh each time: without that, a handle writes on what it saw when it was opened."""
        _give_back_memory()
        import lancedb

        if is_folder(self.uri):
            Path(self.uri).mkdir(mode=0o700, parents=True, exist_ok=True)
        else:
            check_conditional_put(self.uri)
        self._session = self._session or lancedb.Session(_CACHE_BYTES, _METADATA_BYTES)
        afresh, options = timedelta(0), storage_options(self.uri)
        database = lancedb.connect(
            self.uri, read_consistency_interval=afresh, session=self._session, storage_options=options
        )
        return cast("LanceDBConnection", database)

    @contextmanager
    def _marked(self) -> Iterator[None]:
        """Drop an index that ended the process that opened it last: a flipped bit can ask for all the memory."""
        if not is_folder(self.uri):
            yield
            return
        marker = Path(f"{self.uri}.opening")
        if marker.exists():
            self.drop()
        marker.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        marker.touch()
        try:
            yield
        finally:
            marker.unlink(missing_ok=True)

    def _checked(self, database: LanceDBConnection, name: str) -> LanceTable | None:
        """Open a table and read it to its end; return None if it is damaged or incomplete.

        An object store may only be out of reach: there IndexUnavailable is raised.
        """
        try:
            with _unavailable():
                table = database.open_table(name)
                rows = sum(batch.num_rows for batch in table.search().select(list(table.schema.names)).to_batches())
                table.search("a", query_type="fts", fts_columns="words").select(["words", "_score"]).to_arrow()
                is_whole = rows == table.count_rows() and len(_sequences_of(table)) == 1
                return table if is_whole else None
        except IndexUnavailable:
            if not is_folder(self.uri):
                raise
            return None


def _make(database: LanceDBConnection, base: str, dimension: int) -> LanceTable:
    """Make an empty table of a name that none had before, and that comes after those of all before."""
    from lancedb.index import FTS, Bitmap, BTree

    table = database.create_table(f"{base}-{time_ns():020}", schema=schema(dimension))
    table.set_unenforced_primary_key("key_id")
    for column in _INDEXED:
        table.create_index(column, config=BTree() if column == "entry_id" else Bitmap())
    # Words stay as they are folded: stemming and stop words know English only.
    words = FTS(
        base_tokenizer="whitespace",
        stem=False,
        remove_stop_words=False,
        ascii_folding=False,
        max_token_length=None,
        with_position=False,
    )
    table.create_index("words", config=words)
    return table


@contextmanager
def _unavailable() -> Iterator[None]:
    """Turn into IndexUnavailable whatever LanceDB, Arrow and Rust raise: one flipped byte makes that anything."""
    try:
        yield
    except IndexUnavailable:
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != _PANIC:
            raise
        _log.warning("The index cannot be used: %s", str(error).splitlines()[0] if str(error) else type(error).__name__)
        raise IndexUnavailable from error


@cache
def _give_back_memory() -> None:
    """Give every freed block of a megabyte or more back to the system at once, where the C library is glibc.

    Else it takes the largest block that was ever freed for the usual size, and keeps hundreds of megabytes.
    """
    set_option = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if set_option is not None:
        set_option(-3, 1 << 20)  # M_MMAP_THRESHOLD of `malloc.h`, in bytes


def _looked_at(rows: pyarrow.Table, owner: Owner) -> pyarrow.Table:
    """Return the rows, without those that are not of this owner."""
    each = zip(*(rows[name].to_pylist() for name in ("scope", "owner", "key_id")), strict=True)
    kept = [place for place, row in enumerate(each) if is_row_of(owner, *row)]
    return rows if len(kept) == len(rows) else rows.take(kept)


def _of(owner: Owner) -> Expr:
    """Return the condition for the rows of an owner."""
    from lancedb.expr import col, lit

    scope, person = owner
    is_scope = col("scope") == lit(scope)
    return is_scope if scope == SHARED else is_scope & (col("owner") == lit(person))


def _state(sequence: int) -> Row:
    return dict.fromkeys(TEXTS, "") | {"key_id": _STATE, "scope": _STATE, "sequence": sequence}


def _sequences_of(table: LanceTable) -> list[int]:
    """Return how much of the ledger is in a table, by each row that says so: one, where it is whole."""
    from lancedb.expr import col, lit

    rows = table.search().where(col("scope") == lit(_STATE)).select(["sequence"]).to_arrow()
    return [int(sequence) for sequence in rows["sequence"].to_pylist()]
