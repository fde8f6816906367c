"""The vector index: rows of texts and names in LanceDB, searched by meaning and by words.

It holds nothing that the ledger does not hold, and can be dropped at any time. What it finds are ids; what is shown and
spliced comes from the ledger. No other module imports LanceDB, which takes seconds: another store would be one file.
"""

from __future__ import annotations

import hashlib
import logging
import shutil
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from time import time_ns
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from assistant.types import Scope
from memory_store.arrays import Floats
from memory_store.background import begin
from memory_store.ledger.access import is_row_of, person_of
from memory_store.ledger.database.schema import NOBODY, PRIVATE, SHARED, NameRole
from memory_store.vectors.arrow import arrow, give_back_memory, schema, vectors_of
from memory_store.vectors.cache import MOST_ROWS, Revision, RowCache, Rows
from memory_store.vectors.errors import IndexUnavailable, removing_what_ends_the_process, unavailable
from memory_store.vectors.object_store import PATIENCE, check_conditional_put, in_time, is_folder, storage_options
from memory_store.vectors.rows import TEXTS, Owner, Part, Row, owner_of

if TYPE_CHECKING:
    from lancedb import Session
    from lancedb.db import LanceDBConnection
    from lancedb.expr import Expr
    from lancedb.table import LanceTable

T = TypeVar("T")
Cosines = Mapping[str, Mapping[str, float]]
"""Id of an entry to the known cosines of a question: with each of its rows by key id, with their middle by its own."""

_LAYOUT = 5  # another number makes another table, filled anew from the ledger
_STATE = "state"  # key id and scope of the one row that is no text: how much of the ledger is in the table
_WHOLE, _BUILDING = "whole", "building"  # its part
_NEAREST = 24  # entries of each part, of a person's own and of what is shared, that are found by meaning
_WORDED = 32  # rows that are found by words
_PROBES = 8  # groups of vectors that a search looks through
_GROUP = 2_000  # vectors of a group
_SMALL_FILES = 64
_ROWS_AT_A_TIME = 4_096
_KEEP_VERSIONS = timedelta(seconds=30)  # longer than any search takes
_AT_ONCE = timedelta(milliseconds=1)
_CACHE_BYTES, _METADATA_BYTES = 64 << 20, 32 << 20
_READ = ("key_id", "entry_id", "owner", "scope", "part", "vector")

_log = logging.getLogger(__name__)


class _Incomplete(Exception):
    """A table can be read, but lacks something."""


class VectorIndex:
    """One table for the vectors of one embedder over one ledger, in a folder or under an address such as `s3://…`.

    Whoever writes holds the lock of `memory_store.vectors.indexer`. Until `open`, and after damage, all other methods
    raise IndexUnavailable; `search` and `names` also until the table is filled.
    """

    def __init__(self, uri: str) -> None:
        self.uri = uri
        self._sequence, self._is_whole = -1, False
        self._dimension, self._added = 0, 0
        self._table: LanceTable | None = None
        self._cache = RowCache()
        self._session: Session | None = None

    # A search that fails may close the table while a write of the indexer is still under way.
    @property
    def sequence(self) -> int:
        """Number of the last change of the ledger that is in it; -1 while it is not open."""
        return -1 if self._table is None else self._sequence

    @property
    def is_whole(self) -> bool:
        """Whether it is open and was filled to its end."""
        return self._table is not None and self._is_whole

    def open(self, fingerprint: str, dimension: int, since: int) -> None:
        """Open the table of an embedder over a ledger, or begin an empty one; tables of others are removed.

        Args:
            fingerprint: of the embedder and the ledger.
            dimension: length of a vector; 0 without an embedder.
            since: sequence number of the ledger's last change, from which a new table goes on.
        """
        self.close()
        base = f"keys_{hashlib.sha256(f'{_LAYOUT} {dimension} {fingerprint}'.encode()).hexdigest()[:16]}"
        with unavailable(), removing_what_ends_the_process(self.uri):
            self._dimension = dimension
            database = self._connect()
            names = sorted(database.list_tables().tables, reverse=True)
            table = next(filter(None, (self._usable(database, name) for name in names if name.startswith(base))), None)
            if table is None:
                _log.info("The index is made from the ledger.")
                table = self._make(database, base)
                table.add(arrow([_state(_BUILDING, since)], dimension), on_bad_vectors="null")
            for name in names:
                if name != table.name:
                    self._drop(database, name)
            self._table, self._added = table, 0
        self.refresh()

    def refresh(self) -> None:
        """Read how much of the ledger is in it, whichever process wrote that."""
        with self._damage_closes() as table:
            state = _state_of(table)
            self._is_whole, self._sequence = state["part"] == _WHOLE, state["sequence"]

    def close(self) -> None:
        """Let go of the table."""
        self._table, self._sequence, self._is_whole = None, -1, False
        self._cache.clear()

    def drop(self) -> None:
        """Remove all tables."""
        self.close()
        with unavailable():
            database = self._connect()
            for name in database.list_tables().tables:
                self._drop(database, name)

    def upsert(self, entry_ids: Collection[str], rows: Sequence[Row], sequence: int) -> None:
        """Put rows in the place of all rows of these entries, and note how much of the ledger is in, in one commit."""
        from lancedb.expr import col

        with self._damage_closes() as table:
            before = _revision(table)
            state = _state(_WHOLE if self.is_whole else _BUILDING, sequence)
            merge = table.merge_insert("key_id").when_matched_update_all().when_not_matched_insert_all()
            if entry_ids:
                merge = merge.when_not_matched_by_source_delete(col("entry_id").isin(sorted(entry_ids)))
            # Through an index on the key, two writers could both insert it.
            merge.use_index(False).execute(arrow([*rows, state], self._dimension), on_bad_vectors="null")
            self._cache.changed(before, _revision(table), entry_ids, self._by_owner(rows))
            self._sequence = sequence  # not before: who waits for it would find another revision, and read all again

    def add(self, rows: Sequence[Row]) -> None:
        """Add rows of entries that have none, while the table is filled for the first time."""
        with self._damage_closes() as table:
            table.add(arrow(rows, self._dimension), on_bad_vectors="null")
            self._added += 1
            if self._added % _SMALL_FILES == 0:
                table.optimize(cleanup_older_than=_AT_ONCE)

    def finish(self) -> None:
        """Note that every entry is in, so that the table is searched from now on."""
        self._is_whole = True
        self.upsert((), (), self.sequence)
        self.compact()

    def known(self, entry_ids: Collection[str]) -> set[str]:
        """Return those of the entries that have a row."""
        from lancedb.expr import col

        with self._damage_closes() as table:
            some = table.search().where(col("entry_id").isin(sorted(entry_ids))).select(["entry_id"])
            return set(some.to_arrow()["entry_id"].to_pylist()) if entry_ids else set()

    def waiting(self) -> list[str]:
        """Return the ids of the entries of which a row waits for its vector."""
        with self._damage_closes() as table:
            some = table.search().where("vector IS NULL").select(["entry_id"]) if self._dimension else None
            return sorted({*some.to_arrow()["entry_id"].to_pylist()} - {""}) if some else []

    def rows(self) -> Iterator[Row]:
        """Yield all rows."""
        with self._damage_closes() as table:
            for batch in table.search().select(list(table.schema.names)).to_batches():
                yield from (row for row in batch.to_pylist() if row["scope"] != _STATE)

    @property
    def is_untidy(self) -> bool:
        """Whether the rows lie in so many small files that searching gets slower."""
        with self._damage_closes() as table:
            statistics = cast("Mapping[str, Any]", table.stats())  # a dict, whatever its annotation says
            return bool(statistics["fragment_stats"]["num_small_fragments"] > _SMALL_FILES)

    def compact(self) -> None:
        """Join small files, remove old versions, and make an index of vectors once there are many."""
        from lancedb.index import IvfSq

        with self._damage_closes() as table:
            before = _revision(table)
            table.optimize(cleanup_older_than=_KEEP_VERSIONS)
            indexed = any(index.columns == ["vector"] for index in table.list_indices())
            if self._dimension and not indexed and table.count_rows() > MOST_ROWS:
                table.create_index("vector", config=IvfSq(distance_type="cosine", target_partition_size=_GROUP))
            self._cache.changed(before, _revision(table))

    def rewrite(self) -> None:
        """Put all rows into a table of their own and remove the old one, so that nothing deleted is left in any file.

        Searches use the old one until then. Killed in the middle, the next `open` finds whichever is whole.
        """
        import pyarrow as pa

        with self._damage_closes() as table:
            before, database = _revision(table), self._connect()
            made = self._make(database, table.name.partition("-")[0])
            columns = table.schema
            batches = table.search().select(list(columns.names)).to_batches(_ROWS_AT_A_TIME)
            some = (batch.select(columns.names).cast(columns) for batch in batches)
            made.add(pa.RecordBatchReader.from_batches(columns, some))
            made.optimize(cleanup_older_than=_AT_ONCE)
            self._table = made
            self._cache.changed(before, _revision(made))
            self._drop(database, table.name)

    def search(self, words: str, vector: Callable[[], Floats | None], scope: Scope) -> Cosines:
        """Return the entries that are near a question: by meaning, of each part so many, and by words.

        Args:
            words: the folded words of the question.
            vector: waits for its vector, of length 1; None where there is none.
            scope: whose entries; what is shared is searched as well.
        """
        owners = ((PRIVATE, person_of(scope)), (SHARED, ""))

        def found(table: LanceTable) -> Cosines:
            # Words are searched while the question gets its vector.
            waiting = begin("index-words", lambda: self._by_words(table, words, owners))
            asked = vector() if self._dimension else None
            worded = waiting.result(PATIENCE)
            near: dict[str, Mapping[str, float]] = {entry_id: {} for entry_id in worded}
            for owner in owners if self._dimension else ():
                for rows in self._near(table, owner, asked, worded):
                    cosines = rows.cosines(asked)
                    for place in {*rows.nearest(cosines, _NEAREST), *rows.places_of(worded)}:
                        near[rows.entry_ids[place]] = rows.of_entry(place, cosines)
            return near

        return self._reading(found)

    def names(self, role: NameRole, vector: Floats, least: float, scope: Scope) -> dict[int, float]:
        """Return the ids of names in a person's own facts and in shared ones whose cosine is at least so much."""

        def found(table: LanceTable) -> dict[int, float]:
            near: dict[int, float] = {}
            for owner in ((role.value, person_of(scope)), (role.value, NOBODY)):
                for rows in self._near(table, owner, vector, ()):
                    cosines = rows.cosines(vector)
                    places = np.flatnonzero(rows.is_found & (cosines >= least)).tolist()  # each name has one row
                    near |= {int(rows.entry_ids[place]): float(cosines[place]) for place in places}
            return near

        return self._reading(found) if self._dimension else {}

    def _near(self, table: LanceTable, owner: Owner, vector: Floats | None, worded: Collection[str]) -> Sequence[Rows]:
        """Return all rows of an owner; where they are too many to hold, those of entries that LanceDB finds near."""
        held = self._cache.rows(_revision(table), owner, lambda: self._load(table, owner, MOST_ROWS))
        if held is not None or vector is None:
            return held or ()
        search = table.search(vector, vector_column_name="vector").distance_type("cosine").nprobes(_PROBES)
        rows = search.where(_of(owner)).select(["entry_id", "_distance"]).limit(4 * _NEAREST).to_arrow()
        near = {*rows["entry_id"].to_pylist(), *worded}
        loaded = self._load(table, owner, sys.maxsize, near) if near else None
        return () if loaded is None else (loaded,)

    def _load(
        self, table: LanceTable, owner: Owner, most: int, entry_ids: Collection[str] | None = None
    ) -> Rows | None:
        """Read rows of an owner, each looked at again, some at a time; None where there are more than `most`."""
        from lancedb.expr import col

        wanted = _of(owner) if entry_ids is None else _of(owner) & col("entry_id").isin(sorted(entry_ids))
        parts: dict[str, list[str]] = {name: [] for name in ("entry_id", "part", "key_id")}
        vectors = [np.empty((0, self._dimension), np.float32)]
        for batch in table.search().where(wanted).select(list(_READ)).to_batches(_ROWS_AT_A_TIME):
            texts = [batch[name].to_pylist() for name in ("scope", "owner", "key_id")]
            kept = [at for at, row in enumerate(zip(*texts, strict=True)) if is_row_of(owner, *row)]
            for name, values in parts.items():
                column = batch[name].to_pylist()
                values.extend(column[at] for at in kept)
            vectors.append(vectors_of(batch["vector"], self._dimension)[kept])
            if len(parts["key_id"]) > most:
                return None
        return Rows.of(parts["entry_id"], parts["part"], parts["key_id"], np.concatenate(vectors))

    def _by_words(self, table: LanceTable, words: str, owners: Sequence[Owner]) -> list[str]:
        """Return the entries that have most of some words: of each owner apart, and of each part where no vector is."""
        from lancedb.expr import col, lit

        conditions = [_of(owner) for owner in owners if words.strip()]
        if not self._dimension:
            parts = [col("part") == lit(part.value) for part in (Part.SAID, Part.UNSAID, Part.ASSERTED)]
            conditions = [whose & part for whose in conditions for part in parts]
        found: dict[str, None] = {}
        for condition in conditions:
            search = table.search(words, query_type="fts", fts_columns="words").where(condition)
            rows = search.select(["entry_id", "_score"]).limit(_WORDED).to_arrow()
            found |= dict.fromkeys(rows["entry_id"].to_pylist())
        return list(found)

    def _by_owner(self, rows: Sequence[Row]) -> dict[Owner, Rows]:
        by_owner: dict[Owner, list[Row]] = {}
        for row in rows if self._dimension else ():
            by_owner.setdefault(owner_of(row), []).append(row)
        return {owner: Rows.of_rows(some, self._dimension) for owner, some in by_owner.items()}

    def _reading(self, read: Callable[[LanceTable], T]) -> T:
        """Return what reading gives; read once more where a version was removed meanwhile, then close the table."""
        for is_last in (False, True):
            table = self._table
            if table is None or not self.is_whole:
                raise IndexUnavailable
            try:
                with unavailable():
                    return in_time(self.uri, lambda: read(table))  # noqa: B023  it is called at once
            except IndexUnavailable:
                if is_last and self._table is table:
                    self.close()
        raise IndexUnavailable

    @contextmanager
    def _damage_closes(self) -> Iterator[LanceTable]:
        """Give the open table; if using it fails, it is let go of, and looked through when it is opened again."""
        table = self._table
        if table is None:
            raise IndexUnavailable
        try:
            with unavailable():
                yield table
        except IndexUnavailable:
            if self._table is table:  # it was not opened again meanwhile
                self.close()
            raise

    def _connect(self) -> LanceDBConnection:
        """Connect, read afresh each time: without that, a handle writes on what it saw when it was opened."""
        give_back_memory()
        import lancedb

        if is_folder(self.uri):
            folder = Path(self.uri)
            if folder.exists() and not folder.is_dir():  # set aside: nobody knows whose it is
                folder.replace(folder.with_name(f"{folder.name}.set-aside"))
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        else:
            check_conditional_put(self.uri)
        self._session = self._session or lancedb.Session(_CACHE_BYTES, _METADATA_BYTES)
        afresh, options = timedelta(0), storage_options(self.uri)
        database = lancedb.connect(
            self.uri, read_consistency_interval=afresh, session=self._session, storage_options=options
        )
        return cast("LanceDBConnection", database)

    def _usable(self, database: LanceDBConnection, name: str) -> LanceTable | None:
        """Open a table and read everything once, through every index; remove one that is damaged.

        An object store may only be out of reach: there IndexUnavailable is raised, and what is there stays.
        """
        try:
            with unavailable():
                return self._read_once(database.open_table(name))
        except IndexUnavailable as error:
            if not (is_folder(self.uri) or isinstance(error.__cause__, _Incomplete)):
                raise
        self._drop(database, name)
        return None

    def _read_once(self, table: LanceTable) -> LanceTable:
        if table.schema != schema(self._dimension):
            raise _Incomplete("The table has other columns.")
        if {*_INDEXED, "words"} - {index.columns[0] for index in table.list_indices()}:
            raise _Incomplete("An index of the table is missing.")
        rows = sum(batch.num_rows for batch in table.search().select(list(table.schema.names)).to_batches())
        if rows != table.count_rows():
            raise _Incomplete("Rows of the table are missing.")
        table.search("a", query_type="fts", fts_columns="words").select(["key_id", "_score"]).limit(1).to_arrow()
        _state_of(table)
        return table

    def _make(self, database: LanceDBConnection, base: str) -> LanceTable:
        """Make an empty table of a name that none had before, and that comes after those of all before."""
        from lancedb.index import FTS, Bitmap, BTree

        table = database.create_table(f"{base}-{time_ns():020}", schema=schema(self._dimension))
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

    def _drop(self, database: LanceDBConnection, name: str) -> None:
        """Remove a table, if it is there, without a look at what lies in it."""
        if not is_folder(self.uri):
            database.drop_table(name, ignore_missing=True)
            return
        path = Path(self.uri) / f"{name}.lance"
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


_INDEXED = ("scope", "owner", "entry_id")  # without an index of each, searches go through all rows


def remove_tables(uri: str) -> None:
    """Remove an index, if it is there: it is made anew from the ledger. Raises IndexUnavailable."""
    if not is_folder(uri) or Path(uri).exists():
        VectorIndex(uri).drop()


def _revision(table: LanceTable) -> Revision:
    return table.name, table.version


def _of(owner: Owner) -> Expr:
    """Return the condition for the rows of an owner."""
    from lancedb.expr import col, lit

    scope, person = owner
    is_scope = col("scope") == lit(scope)
    return is_scope if scope == SHARED else is_scope & (col("owner") == lit(person))


def _state(part: str, sequence: int) -> Row:
    return dict.fromkeys(TEXTS, "") | {"key_id": _STATE, "scope": _STATE, "part": part, "sequence": sequence}


def _state_of(table: LanceTable) -> Row:
    from lancedb.expr import col, lit

    rows = table.search().where(col("scope") == lit(_STATE)).select(["part", "sequence"]).to_list()
    if len(rows) != 1:
        raise _Incomplete("The table does not say how much of the ledger it holds.")
    return dict(rows[0])
