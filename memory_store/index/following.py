"""What is held in memory of a table follows what is written to it, by this process or by another one."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from assistant.errors import StoreError
from memory_store.index.matrix_cache import MatrixCache, Owner, Revision
from memory_store.index.process import in_loop
from memory_store.index.rows import PROGRESS, Row, matrix_of, read_rows, schema
from memory_store.ledger.database.schema import SHARED
from memory_store.ledger.ledger import Change

if TYPE_CHECKING:
    from lancedb.table import AsyncTable

_log = logging.getLogger(__name__)

Changes: TypeAlias = Callable[[int, int], Sequence[Change]]  # those after a sequence number, at most so many
_MOST_CHANGES = 500  # of another process; with more, everything is read again


class FollowingCache(MatrixCache):
    """Matrices of the rows of one table."""

    def __init__(self, changes: Changes) -> None:
        super().__init__()
        self._changes = changes
        self._at: tuple[Revision, int] = (("", -1), -1)  # what is held, with its sequence number

    def wrote(
        self,
        before: Revision,
        after: Revision,
        dimension: int,
        sequence: int | None = None,
        entry_ids: Collection[str] = (),
        rows: Iterable[Row] = (),
    ) -> None:
        """A write, of all changes up to `sequence`, put `rows` in the place of those of these entries."""
        by_owner: dict[Owner, list[Row]] = defaultdict(list)
        for row in rows:
            by_owner[row["scope"], "" if row["scope"] == SHARED else row["owner"]].append(row)
        added = {owner: partial(matrix_of, some, dimension) for owner, some in by_owner.items()}
        self.changed(before, after, entry_ids, added)
        if self._at[0] == before:
            self._at = (after, self._at[1] if sequence is None else sequence)

    def follow(self, revision: Revision, dimension: int, as_of: Callable[[Revision], AsyncTable]) -> None:
        """Follow what another process wrote, as far as the ledger says what that was.

        It does not say of which rows the vectors came later, nor anything of another table: then nothing is held.
        """
        before, sequence = self._at
        if before == revision:
            return
        table = as_of(revision)
        now = in_loop(lambda: _progress_of(table))
        if before[0] == revision[0] and now > sequence and not self.waits:
            try:
                changes = self._changes(sequence, _MOST_CHANGES)
            except StoreError as error:  # of the ledger: nothing is wrong with the table
                _log.warning("All is read again: %s", error)
                return
            entry_ids = {change.entry_id for change in changes if change.sequence <= now}
            if len(changes) < _MOST_CHANGES:
                rows = in_loop(lambda: _rows_of(table, entry_ids, dimension))
                self.wrote(before, revision, dimension, now, entry_ids, rows)
        self._at = (revision, now)


async def _progress_of(table: AsyncTable) -> int:
    from lancedb.expr import col, lit

    found = await table.query().where(col("status") == lit(PROGRESS)).select(["sequence"]).to_arrow()
    return int(found["sequence"][0].as_py())


async def _rows_of(table: AsyncTable, entry_ids: Collection[str], dimension: int) -> list[Row]:
    from lancedb.expr import col

    named = table.query().where(col("entry_id").isin(sorted(entry_ids)))
    found = await named.select(schema(dimension).names).to_arrow()
    return [row for batch in found.to_batches() for row in read_rows(batch, dimension)]
