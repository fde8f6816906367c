"""The index: the texts of all active entries with their vectors, by owner, and a search where those are too many.

It holds nothing that the ledger does not hold, and can be dropped at any time. What it finds are ids, and texts to
compare; what is shown and spliced comes from the ledger. `memory_store.index.projection` fills it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from assistant.errors import StoreError
from assistant.types import Scope
from memory_store.index import table as tables
from memory_store.index.following import Changes, FollowingCache
from memory_store.index.key_matrix import Query
from memory_store.index.matrix_cache import M, Matrices, Owner, Revision
from memory_store.index.name_vectors import NameVectors
from memory_store.index.object_store import in_time
from memory_store.index.process import in_loop
from memory_store.index.rows import Row, arrow, progress_row, read_rows, schema
from memory_store.language.terms import Floats
from memory_store.ledger.access import own_names, person_of, private_rows, shared_names, shared_rows
from memory_store.ledger.database.schema import NOBODY, PRIVATE, SHARED, NameRole

if TYPE_CHECKING:
    from lancedb import Session
    from lancedb.expr import Expr
    from lancedb.table import AsyncTable, LanceTable

_log = logging.getLogger(__name__)

Owned: TypeAlias = "tuple[Owner, Callable[[], Expr]]"  # whose rows, and which these are
AllOf: TypeAlias = "Callable[[LanceTable, Expr], tuple[M, ...] | None]"  # these rows; None where they are too many
Near: TypeAlias = "Callable[[AsyncTable, Expr], tuple[M, ...]]"  # some of them, of a table at one time
_MOST_HELD = 150_000  # rows of a matrix that are held in memory, 2 kB each; beyond them, LanceDB searches
_MOST_FRAGMENTS = 64
_PANIC = "PanicException"  # how PyO3 hands on a panic; it is no Exception, and each library has its own


class IndexUnavailable(StoreError):
    """The index cannot be searched now. The ledger's keys can: see `LedgerMemory.keys`."""

    code = "store.index_not_ready"


@contextmanager
def unavailable() -> Iterator[None]:
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


class Index:
    """One table for the vectors of one embedder over one ledger, in a folder or under an address such as `s3://…`.

    Nothing is opened until `open`; until then, and after damage, all but `open` raise IndexUnavailable.
    """

    def __init__(self, uri: str, changes: Changes) -> None:
        self.uri = uri
        self._changes = changes
        self._name = ""
        self._dimension = 0
        self._sequence = -1
        self._version = 0
        self.must_be_made = False  # it looks whole and cannot be searched: nothing that it holds is to be trusted
        self._table: LanceTable | None = None
        self._newest = tables.NewestVersion(uri)
        self._cache = FollowingCache(changes)
        self._session: Session | None = None
        self._as_it_was: tuple[Revision, AsyncTable] | None = None

    @property
    def table_name(self) -> str:
        """The name of the table that is open, or was the last."""
        return self._name

    @property
    def sequence(self) -> int:
        """Sequence number of the last change known to be in it; -1 while it is not open."""
        return -1 if self._table is None else self._sequence

    def open(self, fingerprint: str, dimension: int) -> None:
        """Open the table, if it is there, whole and filled. Raises IndexUnavailable: it has to be made.

        `fingerprint` is that of the embedder and the ledger; tables of others are not looked at. `dimension` is the
        length of a vector; 0 without an embedder.
        """
        self.close()
        with unavailable():
            self._dimension, self._session = dimension, tables.caches()
            database = tables.connect(self.uri, self._session)
            names = tables.in_place_of(tables.table_name(fingerprint, dimension), database.list_tables().tables)
            self._name = tables.newest_whole(database, names)
            if self.must_be_made or not names:
                raise IndexUnavailable
            table = database.open_table(self._name)
            sequence = tables.read_progress(table)
            tables.index_filters(table)
            tables.look_through(table, dimension)
            for other in set(names) - {self._name}:
                tables.drop_table(database, self.uri, other)
            self._sequence, self._version, self._table = sequence, table.version, table

    def replace(self, entry_ids: Sequence[str], rows: Sequence[Row], sequence: int) -> None:
        """Put `rows` in the place of all rows of these entries, and record progress, in one commit."""
        with self._damage_closes() as table:
            before = (table.name, table.version)
            self._saw(table.version)
            tables.replace_rows(table, entry_ids, arrow([*rows, progress_row(sequence)], self._dimension))
            self._cache.wrote(before, (table.name, table.version), self._dimension, sequence, entry_ids, rows)
            # Not before: whoever waits for it would find another revision, and read everything again.
            self._sequence = sequence

    def progress(self) -> int:
        """Sequence number of the last change in the table, whichever process wrote it."""
        with self._damage_closes() as table:
            self._sequence = tables.read_progress(table)
            return self._sequence

    def without_vector(self) -> Sequence[str]:
        """Ids of the entries of which a key waits for its vector."""
        if not self._dimension:
            return []
        with self._damage_closes() as table:
            rows = table.search().where("vector IS NULL AND entry_id <> ''").select(["entry_id"]).to_arrow()
            return sorted(set(rows["entry_id"].to_pylist()))

    def tidy(self, keep: timedelta) -> bool:
        """Join small files, update the indexes, remove versions older than `keep`; whether that made a new version."""
        with self._damage_closes() as table:
            before = table.version
            table.optimize(cleanup_older_than=keep)
            tables.index_vectors(table, self._dimension)
            self._cache.wrote((table.name, before), (table.name, table.version), self._dimension)
            return bool(table.version != before)

    def rewrite(self) -> None:
        """Put all rows into a table of their own and remove the old one, so that nothing deleted is left in any file.

        Searches use the old one until then. Killed in the middle, the next `open` finds whichever is whole.
        """
        with self._damage_closes() as table:
            session = tables.caches()
            database, name = tables.connect(self.uri, session), tables.next_name(self._name)
            made = tables.make_table(database, self.uri, name, self._dimension)
            tables.copy_rows(table, made)
            tables.settle(made, self._dimension)
            old, self._name = self._name, name
            self._cache.wrote((table.name, table.version), (made.name, made.version), self._dimension)
            self._cache.purge((made.name, made.version))
            self._version, self._table, self._session, self._as_it_was = made.version, made, session, None
            tables.drop_table(database, self.uri, old)

    @property
    def is_untidy(self) -> bool:
        """Whether it lies in so many small files that searching gets slower."""
        with self._damage_closes() as table:
            statistics = cast("Mapping[str, Any]", table.stats())  # a dict, whatever its annotation says
            return bool(statistics["fragment_stats"]["num_small_fragments"] > _MOST_FRAGMENTS)

    def rows(self) -> Iterator[Row]:
        with self._damage_closes() as table:
            for batch in table.search().select(schema(self._dimension).names).to_batches():
                yield from read_rows(batch, self._dimension)

    def close(self) -> None:
        self._table, self._cache, self._as_it_was = None, FollowingCache(self._changes), None

    def matrices(self, query: Query, scope: Scope) -> tuple[Matrices, Matrices]:
        """The person's own rows, and the shared ones: all, or, where they are too many, those near the question."""

        def all_of(table: LanceTable, rows: Expr) -> Matrices | None:
            return tables.all_rows(table, rows, scope, self._dimension, _MOST_HELD)

        def near(table: AsyncTable, rows: Expr) -> Matrices:
            return tables.near_rows(table, rows, query, scope, self._dimension)

        own: Owned = ((PRIVATE, person_of(scope)), partial(private_rows, scope))
        mine, shared = self._searched((own, ((SHARED, ""), shared_rows)), all_of, near)
        return mine, shared

    def names(self, role: NameRole, vector: Floats, scope: Scope) -> tuple[NameVectors, ...]:
        """The names in the person's own facts, and in shared ones: all, or those near a vector, as with `matrices`."""

        def all_of(table: LanceTable, rows: Expr) -> tuple[NameVectors, ...] | None:
            return tables.all_names(table, rows, scope, self._dimension, _MOST_HELD)

        def near(table: AsyncTable, rows: Expr) -> tuple[NameVectors, ...]:
            return tables.near_names(table, rows, vector, scope, self._dimension)

        own: Owned = ((role, person_of(scope)), partial(own_names, scope, role))
        mine, shared = self._searched((own, ((role, NOBODY), partial(shared_names, role))), all_of, near)
        return (*mine, *shared)

    def _searched(self, owned: Sequence[Owned], all_of: AllOf[M], near: Near[M]) -> list[tuple[M, ...]]:
        """For each owner all their rows, where there are not too many to be held, or those that are near."""
        try:
            return in_time(self.uri, lambda: self._searched_now(owned, all_of, near))
        except TimeoutError as error:
            self.close()
            raise IndexUnavailable from error

    def _searched_now(self, owned: Sequence[Owned], all_of: AllOf[M], near: Near[M]) -> list[tuple[M, ...]]:
        opened = self._table
        try:
            with self._damage_closes() as table:
                try:
                    return self._found_in(table, owned, all_of, near)
                except IndexUnavailable:
                    raise
                except Exception:
                    # The version, or the table, that was being read may have been removed. The newest one is there.
                    self._as_it_was = None
                    return self._found_in(self._table or table, owned, all_of, near)
        except IndexUnavailable:
            if opened is not None and self._table is opened:
                self.close()
                self.must_be_made = True
            raise

    def _found_in(
        self, table: LanceTable, owned: Sequence[Owned], all_of: AllOf[M], near: Near[M]
    ) -> list[tuple[M, ...]]:
        version = self._newest(table)
        if table is self._table:
            if version < self._version and tables.read_progress(table) < self._sequence:
                # Versions only grow: the newest is lost, or another table lies here that is not as far.
                self.close()
                raise IndexUnavailable
            self._saw(version)
        revision = (table.name, version)
        self._cache.follow(revision, self._dimension, self._as_of)

        def found(owner: Owner, rows: Callable[[], Expr]) -> tuple[M, ...]:
            held = self._cache.matrices(revision, owner, lambda: all_of(table, rows()))
            return near(self._as_of(revision), rows()) if held is None else held

        return [found(*each) for each in owned]

    def _saw(self, version: int) -> None:
        """Versions only grow: where one is lower, another table of this name lies here, and what is held is of none."""
        if version < self._version:
            self._cache, self._as_it_was = FollowingCache(self._changes), None
        self._version = version

    def _as_of(self, revision: Revision) -> AsyncTable:
        """The table at a revision, opened once."""
        kept = self._as_it_was
        if kept is None or kept[0] != revision:
            name, number = revision
            session = self._session or tables.caches()
            kept = self._as_it_was = (
                revision,
                in_loop(lambda: tables.open_as_of(self.uri, name, number, session)),
            )
        return kept[1]

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
                    tables.look_through(table, self._dimension)
                    tables.read_progress(table)
            except IndexUnavailable:
                if self._table is table:  # it was not opened again meanwhile
                    self.close()
            raise
