"""The vector index: rows of texts and names in LanceDB. Those of recent users are cached in memory and searched there.

It can always be rebuilt from the ledger: a damaged index, or one of another embedder, is dropped and filled again.
Searches return ids only; texts come from the ledger. No other module imports LanceDB, which takes seconds.
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
from memory_store.ledger.access import is_row_of, require_user
from memory_store.ledger.database.schema import NOBODY, PRIVATE, SHARED, NameRole
from memory_store.vectors.object_store import OPTIONS, check_conditional_put, is_folder, run_with_timeout
from memory_store.vectors.rows import TEXTS, CachedRows, NearestTexts, Owner, Row, owner_of, to_arrow

if TYPE_CHECKING:
    import pyarrow
    from lancedb.db import LanceDBConnection
    from lancedb.table import LanceTable

_LAYOUT = 11  # a new number makes a new table, filled from the ledger
_STATE = "state"  # key id and scope of the state row, whose `words` are the number of the last indexed change
_MOST_HELD = 100_000  # cached rows of all owners, 1.5 kB each; a single owner may exceed it
_ROWS_AT_A_TIME = 4_096
_KEEP_VERSIONS = timedelta(seconds=30)  # longer than any search takes
_AT_ONCE = timedelta(milliseconds=1)
_CACHE_BYTES, _METADATA_BYTES = 64 << 20, 32 << 20
_PANIC = "PanicException"  # PyO3's class for a panic in Rust; not an Exception, and different in each library

_log = logging.getLogger(__name__)


class IndexUnavailable(StoreError):
    """The index cannot be searched now; the ledger's word search can."""

    code = "store.index_not_ready"


class VectorIndex:
    """One table for one embedder and one ledger, in a folder or at an address such as `s3://…`.

    Writers must hold the indexer's lock. Before `open`, and after damage, other methods raise IndexUnavailable.
    """

    def __init__(self, uri: str) -> None:
        self.uri = uri
        self._sequence, self._dimension = -1, 0
        self._table: LanceTable | None = None
        self._held: dict[Owner, tuple[int, CachedRows]] = {}  # cache: last change included, and rows

    @property
    def sequence(self) -> int:
        """Return the sequence number of the last indexed change; -1 if the index is not open."""
        # A failed search may close the table while the indexer is still writing.
        return -1 if self._table is None else self._sequence

    def open(self, fingerprint: str, dimension: Callable[[], int]) -> None:
        """Open the table with the fingerprint of an embedder and ledger, or create an empty one; remove all others.

        `dimension` returns the length of a vector; only called to create a table, since it may load a model.
        """
        self.close()
        base = f"keys_{hashlib.sha256(f'{_LAYOUT} {fingerprint}'.encode()).hexdigest()[:16]}"
        with _convert_errors():
            database = self._connect()
            names = sorted(database.list_tables().tables, reverse=True)
            own = (name for name in names if name.startswith(base))
            table = next(filter(None, (self._check_table(database, name) for name in own)), None)
            if table is None:
                _log.info("The index is made from the ledger.")
                state = to_arrow([_state(0)], dimension())
                # A new name, sorted after all earlier ones.
                table = database.create_table(f"{base}-{time_ns():020}", schema=state.schema)
                table.set_unenforced_primary_key("key_id")
                table.add(state)  # last: it marks the table as complete
            for name in names:
                if name != table.name:
                    database.drop_table(name, ignore_missing=True)
            self._table, self._dimension = table, table.schema.field("vector").type.list_size
        self.refresh()

    def refresh(self) -> None:
        """Read the sequence number of the last indexed change, which another process may have written."""
        with self._open_table() as table:
            (sequence,) = _sequences_of(table)
            if sequence != self._sequence:
                self._held = {}
            self._sequence = sequence

    def close(self) -> None:
        """Close the table and clear the cache."""
        self._table, self._sequence, self._held = None, -1, {}

    def drop(self) -> None:
        """Remove all tables."""
        self.close()
        with _convert_errors():
            if not is_folder(self.uri):
                self._connect().drop_all_tables()
            elif Path(self.uri).is_dir():
                shutil.rmtree(self.uri)

    def upsert(self, entry_ids: Collection[str], rows: Sequence[Row], sequence: int) -> None:
        """Replace all rows of these entries, and set the sequence number, in one commit."""
        from lancedb.expr import col

        with self._open_table() as table:
            merge = table.merge_insert("key_id").when_matched_update_all().when_not_matched_insert_all()
            if entry_ids:
                merge = merge.when_not_matched_by_source_delete(col("entry_id").isin(sorted(entry_ids)))
            # With an index on the key, two writers could insert the same key.
            merge.use_index(False).execute(to_arrow([*rows, _state(sequence)], self._dimension))
            self._held = {
                owner: (sequence, cached.replace(entry_ids, [row for row in rows if owner_of(row) == owner]))
                for owner, (at, cached) in self._held.items()
                if at == self._sequence
            }
            self._sequence = sequence  # last: `wait_until_current` must not see it before the cache is updated

    def compact(self, small_files: int = 0) -> None:
        """Merge small files and remove old versions, if there are at least `small_files` small files."""
        with self._open_table() as table:
            statistics = cast("Mapping[str, Any]", table.stats())  # a dict, despite its annotation
            if statistics["fragment_stats"]["num_small_fragments"] >= small_files:
                table.optimize(cleanup_older_than=_KEEP_VERSIONS)

    def rewrite(self) -> None:
        """Rewrite all rows and remove all other files, even those of crashed writers, so that no deleted data remains.

        Atomic: after a crash, the table has the old rows or the new ones.
        """
        import pyarrow as pa

        with self._open_table() as table:
            columns = table.schema
            batches = table.search().select(list(columns.names)).to_batches(_ROWS_AT_A_TIME)
            rows = (batch.select(columns.names).cast(columns) for batch in batches)
            table.add(pa.RecordBatchReader.from_batches(columns, rows), mode="overwrite")
            table.optimize(cleanup_older_than=_AT_ONCE, delete_unverified=True)

    def search(self, vector: Floats, scope: Scope) -> dict[str, NearestTexts]:
        """Return the user's and shared entries nearest to a vector of length 1 in each `IndexPart`, by entry id."""
        own, shared = self._rows((PRIVATE, require_user(scope))), self._rows((SHARED, ""))
        return own.search(vector) | {
            name: near._replace(is_shared=True) for name, near in shared.search(vector).items()
        }

    def has_cached(self, scope: Scope) -> bool:
        """Return True if rows that the user may read are cached."""
        held, owners = self._held, ((PRIVATE, require_user(scope)), (SHARED, ""))
        return any(len(held[owner][1]) for owner in owners if owner in held)

    def names(self, role: NameRole, vector: Floats, least: float, scope: Scope) -> dict[str, float]:
        """Return the folded names in the user's and in shared facts with at least the cosine `least`."""
        own, shared = (self._rows((role.value, person)) for person in (require_user(scope), NOBODY))
        return shared.within(vector, least) | own.within(vector, least)

    def _rows(self, owner: Owner) -> CachedRows:
        """Return all rows of an owner, cached or loaded. Raises IndexUnavailable."""
        sequence, held = self._sequence, self._held
        if self._table is None:
            raise IndexUnavailable
        at, rows = held.get(owner, (-1, None))
        if rows is None or at < sequence:
            rows = self._load(owner)
            held = {**self._held, owner: (sequence, rows)}
            is_too_much = sum(len(each) for _, each in held.values()) > _MOST_HELD
            self._held = {owner: (sequence, rows)} if is_too_much else held
        return rows

    def _load(self, owner: Owner) -> CachedRows:
        """Read the rows of an owner, and check the owner of each again."""
        import pyarrow as pa
        from lancedb.expr import col, lit

        is_scope = col("scope") == lit(owner[0])
        is_own = is_scope if owner[0] == SHARED else is_scope & (col("owner") == lit(owner[1]))

        def read() -> pyarrow.Table:
            return table.search().where(is_own).select([*TEXTS, "length", "vector"]).to_arrow()

        with self._open_table() as table:
            try:
                found = run_with_timeout(self.uri, read)
            except Exception:  # its version may have been removed meanwhile
                found = run_with_timeout(self.uri, read)
        each = zip(*(found[name].to_pylist() for name in ("scope", "owner", "key_id")), strict=True)
        checked = pa.array([is_row_of(owner, *row) for row in each], pa.bool_())
        return CachedRows(found.filter(checked).sort_by("entry_id"))

    @contextmanager
    def _open_table(self) -> Iterator[LanceTable]:
        """Yield the open table. On failure, close it; reopening checks it."""
        table = self._table
        if table is None:
            raise IndexUnavailable
        try:
            with _convert_errors():
                yield table
        except IndexUnavailable:
            if self._table is table:  # not reopened meanwhile
                self.close()
            raise

    def _connect(self) -> LanceDBConnection:
        """Connect with a read consistency interval of 0: otherwise a handle writes on an outdated version."""
        _trim_memory()
        import lancedb

        options = None if is_folder(self.uri) else OPTIONS
        if options:
            check_conditional_put(self.uri)
        else:
            Path(self.uri).mkdir(mode=0o700, parents=True, exist_ok=True)
        session = lancedb.Session(_CACHE_BYTES, _METADATA_BYTES)
        database = lancedb.connect(
            self.uri, read_consistency_interval=timedelta(0), session=session, storage_options=options
        )
        return cast("LanceDBConnection", database)

    def _check_table(self, database: LanceDBConnection, name: str) -> LanceTable | None:
        """Open a table and read it completely; return None if it is damaged or incomplete.

        Raises IndexUnavailable for an object store, which may only be unreachable.
        """
        try:
            with _convert_errors():
                table = database.open_table(name)
                rows = sum(batch.num_rows for batch in table.search().select(list(table.schema.names)).to_batches())
                is_whole = rows == table.count_rows() and len(_sequences_of(table)) == 1
                return table if is_whole else None
        except IndexUnavailable:
            if not is_folder(self.uri):
                raise
            return None


@contextmanager
def _convert_errors() -> Iterator[None]:
    """Convert any error of LanceDB, Arrow and Rust to IndexUnavailable: a flipped byte can cause any of them."""
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
def _trim_memory() -> None:
    """Make glibc return every freed block of a megabyte or more to the system at once.

    By default its threshold grows with the largest freed block, which keeps hundreds of megabytes.
    """
    set_option = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if set_option is not None:
        set_option(-3, 1 << 20)  # M_MMAP_THRESHOLD of `malloc.h`, in bytes


def _state(sequence: int) -> Row:
    return dict.fromkeys(TEXTS, "") | {"key_id": _STATE, "scope": _STATE, "words": str(sequence)}


def _sequences_of(table: LanceTable) -> list[int]:
    """Return the sequence number of each state row of a table; a complete table has one."""
    from lancedb.expr import col, lit

    rows = table.search().where(col("scope") == lit(_STATE)).select(["words"]).to_arrow()
    return [int(words) for words in rows["words"].to_pylist()]
