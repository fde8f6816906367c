"""The index: the texts of all active entries with their vectors, by owner, and a search where those are too many.

It holds nothing that the ledger does not hold, and can be dropped at any time. What it finds are ids, and texts to
compare; what is shown and spliced comes from the ledger. `memory_store.index_content` fills it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from assistant.types import Scope
from memory_store.index_damage import look_through, newest_whole, read_progress, unavailable
from memory_store.index_search import all_rows, in_loop, near_rows
from memory_store.index_table import (
    PROGRESS,
    KeyRow,
    arrow,
    caches,
    connect,
    copy_rows,
    drop_table,
    in_place_of,
    index_filters,
    index_vectors,
    key_rows,
    make_table,
    next_name,
    open_as_of,
    progress_row,
    schema,
    settle,
    table_name,
)
from memory_store.lookup import IndexUnavailable
from memory_store.mirror import Mirror, Version
from memory_store.object_store import in_time
from memory_store.schema import PRIVATE, SHARED
from memory_store.scoping import person_of, private_rows, shared_rows
from memory_store.segment import Asked, Segment
from memory_store.table_version import NewestVersion

if TYPE_CHECKING:
    from lancedb import Session
    from lancedb.db import LanceDBConnection
    from lancedb.expr import Expr
    from lancedb.table import AsyncTable, LanceTable

T = TypeVar("T")

_MOST_HELD = 150_000  # rows of a segment that are held in memory, 2 kB each; beyond them, LanceDB searches
_MOST_FRAGMENTS = 64


class Index:
    """One table for the vectors of one embedder over one ledger, in a folder or an object store.

    Nothing is opened until `open`; until then, and after damage, every search raises IndexUnavailable.

    Args:
        uri: a folder, or an address such as `s3://bucket/folder`.
    """

    def __init__(self, uri: str) -> None:
        self.uri = uri
        self._sequence = -1
        self._version = 0
        self._must_be_made = False
        self._table: LanceTable | None = None
        self._filling: LanceTable | None = None
        self._mirror = Mirror()
        self._newest = NewestVersion(uri)
        self._session: Session | None = None
        self._still: tuple[Version, AsyncTable] | None = None
        self._name = ""
        self._dimension = 0

    @property
    def sequence(self) -> int:
        """Sequence number of the last change known to be in it; -1 while it is not open."""
        return -1 if self._table is None else self._sequence

    def open(self, fingerprint: str, dimension: int) -> None:
        """Open the table, if it is there, whole and filled.

        Args:
            fingerprint: of the embedder and the ledger. Tables of any other are dropped.
            dimension: length of a vector; 0 without an embedder.

        Raises:
            IndexUnavailable: it has to be made anew: `make`, then `add`, then `finish`.
        """
        self.close()
        with unavailable():
            database, names = self._connect(fingerprint, dimension)
            self._name = newest_whole(database, names)
            for other in set(names) - {self._name}:
                drop_table(database, self.uri, other)
            if self._must_be_made or not names:
                raise IndexUnavailable
            table = database.open_table(self._name)
            index_filters(table)
            look_through(table, dimension)
            self._sequence, self._version = read_progress(table), table.version
            self._table = table

    def make(self, fingerprint: str, dimension: int) -> None:
        """Put an empty table in the place of the old one, without a look at that. Searches wait for `finish`.

        Args:
            fingerprint: as for `open`.
            dimension: as for `open`.

        Raises:
            IndexUnavailable: the place cannot be written to.
        """
        self.close()
        with unavailable():
            database, names = self._connect(fingerprint, dimension)
            for name in names:
                drop_table(database, self.uri, name)
            self._name = table_name(fingerprint, dimension)
            self._filling = make_table(database, self.uri, self._name, dimension)
            self._must_be_made = False

    def add(self, rows: Sequence[KeyRow]) -> None:
        """Add rows to the table that `make` made."""
        with unavailable():
            if self._filling is None:
                raise IndexUnavailable
            if rows:
                self._filling.add(arrow(rows, self._dimension), on_bad_vectors="null")

    def finish(self, sequence: int) -> None:
        """The table that `make` made now holds all changes up to `sequence`, and may be searched."""
        self.add([progress_row(sequence)])
        table, self._filling = self._filling, None
        if table is not None:
            with unavailable():
                settle(table, self._dimension)
                self._version = table.version
        self._table, self._sequence = table, sequence

    def replace(self, entry_ids: Sequence[str], rows: Sequence[KeyRow], sequence: int) -> None:
        """Put `rows` in the place of all rows of these entries, and record progress, in one commit."""
        from lancedb.expr import col

        with self._damage_closes() as table:
            merge = table.merge_insert("key_id").when_matched_update_all().when_not_matched_insert_all()
            merge = merge.when_not_matched_by_source_delete(col("entry_id").isin(list(entry_ids)))
            before = (table.name, table.version)
            # Through an index on the key, two writers could both insert it.
            merge.use_index(False).execute(
                arrow([*rows, progress_row(sequence)], self._dimension), on_bad_vectors="null"
            )
            self._sequence = sequence
            owners = {(row.scope, row.owner if row.scope == PRIVATE else "") for row in rows}
            self._mirror.changed(before, (table.name, table.version), entry_ids, owners)

    def progress(self) -> int:
        """Sequence number of the last change in the table, whichever process wrote it."""
        with self._damage_closes() as table:
            self._sequence = read_progress(table)
            return self._sequence

    def without_vector(self) -> Sequence[str]:
        """Ids of the entries of which a key waits for its vector."""
        if not self._dimension:
            return []
        from lancedb.expr import col, lit

        with self._damage_closes() as table:
            rows = table.search().where(col("status") != lit(PROGRESS)).select(["entry_id", "vector"]).to_arrow()
            waiting = rows.filter(rows["vector"].is_null())
            return sorted(set(waiting["entry_id"].to_pylist()))

    def tidy(self, keep: timedelta) -> bool:
        """Join small files, bring the indexes up to date, and remove versions older than `keep`.

        Returns:
            Whether it made a new version. If so, what that takes the place of is still there, as it was read just now.
        """
        with self._damage_closes() as table:
            before = table.version
            table.optimize(cleanup_older_than=keep)
            index_vectors(table, self._dimension)
            return bool(table.version != before)

    def rewrite(self) -> None:
        """Put all rows into a table of their own and remove the old one, so that nothing deleted is left in any file.

        Searches use the old one until the new one is whole. Killed in the middle, the next `open` finds whichever is
        whole, and removes the other.

        Raises:
            IndexUnavailable: it is not open, damaged, or cannot be written.
        """
        with self._damage_closes() as table:
            session = caches()
            database = connect(self.uri, session)
            old, self._name = self._name, next_name(self._name)
            try:
                made = make_table(database, self.uri, self._name, self._dimension)
                copy_rows(table, made)
                settle(made, self._dimension)
            except BaseException:
                self._name = old
                raise
            self._version, self._table, self._mirror = made.version, made, Mirror()
            self._session, self._still = session, None
            drop_table(database, self.uri, old)

    @property
    def is_untidy(self) -> bool:
        """Whether it lies in so many small files that searching gets slower."""
        with self._damage_closes() as table:
            statistics = cast("Mapping[str, Any]", table.stats())  # a dict, whatever its annotation says
            return bool(statistics["fragment_stats"]["num_small_fragments"] > _MOST_FRAGMENTS)

    def rows(self) -> Iterator[KeyRow]:
        """Every row, as it lies there.

        Raises:
            IndexUnavailable: the index is not open or damaged.
        """
        with self._damage_closes() as table:
            for batch in table.search().select(schema(self._dimension).names).to_batches():
                yield from key_rows(batch, self._dimension)

    def close(self) -> None:
        """Let go of the table. Searches raise IndexUnavailable until it is opened again."""
        self._table, self._mirror, self._still = None, Mirror(), None

    def segments(self, asked: Asked, scope: Scope) -> list[Segment]:
        """The person's own rows and the shared ones: all of them, or, where they are too many, those near the question.

        Raises:
            IndexUnavailable: the index is not open or damaged.
        """
        owners = (((PRIVATE, person_of(scope)), partial(private_rows, scope)), ((SHARED, ""), shared_rows))

        def read(table: LanceTable) -> list[Segment]:
            version = self._newest(table)
            if table is self._table:
                if version < self._version and read_progress(table) < self._sequence:
                    # Versions only grow: the newest is lost, or another table lies here that is not as far.
                    self.close()
                    raise IndexUnavailable
                self._version = version
            return [self._segment(table, (table.name, version), owner, rows, asked, scope) for owner, rows in owners]

        return self._read(read)

    def _connect(self, fingerprint: str, dimension: int) -> tuple[LanceDBConnection, list[str]]:
        """The place, and the tables of this embedder and ledger in it, the latest first; all others are dropped."""
        self._dimension = dimension
        self._session = session = caches()
        database = connect(self.uri, session)
        names = database.list_tables().tables
        own = in_place_of(table_name(fingerprint, dimension), names)
        for other in set(names) - set(own):
            drop_table(database, self.uri, other)
        return database, own

    def _segment(
        self,
        table: LanceTable,
        version: Version,
        owner: tuple[str, str],
        rows: Callable[[], Expr],
        asked: Asked,
        scope: Scope,
    ) -> Segment:
        def load() -> Segment | None:
            first = table.search().where(rows()).select(["key_id"]).limit(_MOST_HELD + 1)
            return None if first.to_arrow().num_rows > _MOST_HELD else all_rows(table, rows(), scope, self._dimension)

        held = self._mirror.segment(version, owner, load)
        return near_rows(self._as_of(version), rows(), asked, scope, self._dimension) if held is None else held

    def _as_of(self, version: Version) -> AsyncTable:
        """The table at a version, opened once."""
        still = self._still
        if still is None or still[0] != version:
            name, number = version
            session = self._session or caches()
            still = self._still = version, in_loop(lambda: open_as_of(self.uri, name, number, session))
        return still[1]

    def _read(self, query: Callable[[LanceTable], T]) -> T:
        try:
            return in_time(self.uri, lambda: self._read_now(query))
        except TimeoutError as error:
            self.close()
            raise IndexUnavailable from error

    def _read_now(self, query: Callable[[LanceTable], T]) -> T:
        asked = self._table
        try:
            with self._damage_closes() as table:
                try:
                    return query(table)
                except IndexUnavailable:
                    raise
                except Exception:
                    # The version, or the table, that was being read may have been removed. The newest one is there.
                    return query(self._table or table)
        except IndexUnavailable:
            if asked is not None and self._table is asked:
                # It looks whole and cannot be searched: nothing that it holds is to be trusted.
                self.close()
                self._must_be_made = True
            raise

    @contextmanager
    def _damage_closes(self) -> Iterator[LanceTable]:
        """The open table. If using it fails it is looked through, and let go of where it is damaged."""
        table = self._table
        if table is None:
            raise IndexUnavailable
        try:
            with unavailable():
                yield table
        except IndexUnavailable:
            if self._table is not table:
                raise
            try:
                with unavailable():
                    look_through(table, self._dimension)
                    read_progress(table)
            except IndexUnavailable:
                if self._table is table:  # it was not opened again meanwhile
                    self.close()
            raise
