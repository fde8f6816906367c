"""A table while it is made: rows of its own in it say how far it came, so whoever was killed goes on from there.

Nothing is found in it. Its last step puts the row of an index's progress in the place of these, in one commit, and from
then on it is one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from memory_store.index import table as tables
from memory_store.index.file_checksums import FileChecksums
from memory_store.index.index import unavailable
from memory_store.index.rows import MAKING, Row, arrow, bare_row, progress_row

if TYPE_CHECKING:
    import pyarrow
    from lancedb.db import LanceDBConnection
    from lancedb.table import LanceTable

_MOST_APART = 64  # batches that lie in files of their own


class Place(NamedTuple):
    """How far a table came."""

    since: int  # sequence number: all changes up to it are in it, or in what is still to be read
    entries: int = 0  # where the last entry stands that was read; the next are those after it
    names: int = 0  # the same of names
    read: int = 0  # entries that were read
    batch: int = 0


@dataclass(frozen=True)
class PartialTable:
    """The table of one embedder and ledger until it is filled. Whoever writes holds the right to.

    All methods raise IndexUnavailable where the place of the index cannot be used.
    """

    uri: str
    name: str
    dimension: int
    checksums: FileChecksums

    def place(self) -> Place | None:
        """How far it came; None where it is to be begun."""
        with unavailable():
            table = self._table()
            if table is None:
                return None
            with suppress(RuntimeError, ValueError, OSError, TypeError):
                return _place_in(table)
            return None

    def is_whole(self) -> bool:
        """Whether it is an index already."""
        with unavailable(), suppress(RuntimeError, ValueError, OSError):
            table = self._table()
            return table is not None and tables.read_progress(table) >= 0
        return False

    def drop(self) -> None:
        """Remove whatever is there of this name."""
        with unavailable():
            for name in {self.name, *self._names()}:
                tables.drop_table(self._database, self.uri, name)
                self.checksums.forget(name)

    def begin(self, since: int) -> None:
        """An empty one, in the place of whatever is there of this name."""
        self.drop()
        with unavailable():
            table = tables.make_table(self._database, self.uri, self.name, self.dimension)
            table.add(self._arrow([_row(Place(since))]), on_bad_vectors="null")

    def add(self, rows: Sequence[Row], place: Place) -> None:
        """Add rows, and how far it came with them."""
        with unavailable():
            table = self._opened()
            table.add(self._arrow([*rows, _row(place)]), on_bad_vectors="null")
            if place.batch % _MOST_APART == 0:
                table.optimize(cleanup_older_than=tables.AT_ONCE)

    def replace(self, ids: Sequence[str], rows: Sequence[Row], place: Place) -> None:
        """Put rows in the place of all of these entries, and how far it came with them."""
        with unavailable():
            tables.replace_rows(self._opened(), ids, self._arrow([*rows, _row(place)]))

    def finish(self, sequence: int) -> None:
        """It holds all changes up to this one, and is an index from now on."""
        from lancedb.expr import col, lit

        with unavailable():
            table = self._opened()
            merge = table.merge_insert("key_id").when_matched_update_all().when_not_matched_insert_all()
            merge = merge.when_not_matched_by_source_delete(col("status") == lit(MAKING))
            merge.use_index(False).execute(self._arrow([progress_row(sequence)]), on_bad_vectors="null")
            tables.settle(table, self.dimension)

    @cached_property
    def _database(self) -> LanceDBConnection:
        return tables.connect(self.uri)

    def _names(self) -> list[str]:
        return tables.in_place_of(self.name, self._database.list_tables().tables)

    def _opened(self) -> LanceTable:
        table = self._table()
        if table is None:
            raise FileNotFoundError(self.name)
        return table

    def _table(self) -> LanceTable | None:
        """The latest that can be opened and is not empty: what is written anew takes the place of it in the end."""
        for name in self._names():
            with suppress(RuntimeError, ValueError, OSError):
                table = self._database.open_table(name)
                if table.count_rows():
                    return table
        return None

    def _arrow(self, rows: Sequence[Row]) -> pyarrow.Table:
        return arrow(rows, self.dimension)


def sequence_of(table: LanceTable) -> int:
    """All changes up to this number are in a table, whole or partial. Raises ValueError: nothing says so."""
    with suppress(ValueError):
        return tables.read_progress(table)
    return _place_in(table).since


def _place_in(table: LanceTable) -> Place:
    from lancedb.expr import col, lit

    rows = table.search().where(col("status") == lit(MAKING)).select(["packed", "sequence"]).to_list()
    if not rows:
        raise ValueError("The table is not one that is being made.")
    return Place(*json.loads(max(rows, key=lambda row: row["sequence"])["packed"]))


def _row(place: Place) -> Row:
    return bare_row(f"{MAKING} {place.batch}", MAKING, place.batch) | {"packed": json.dumps(place)}
