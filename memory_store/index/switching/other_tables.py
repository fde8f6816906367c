"""Tables of other embedders than the one in use, beside its own: kept for who uses them, without what was erased."""

from __future__ import annotations

import logging
from collections.abc import Collection
from typing import TYPE_CHECKING

from memory_store.index import table as tables
from memory_store.index.file_checksums import FileChecksums, table_of
from memory_store.index.index import unavailable
from memory_store.index.switching.partial_table import sequence_of
from memory_store.ledger.ledger import Ledger

if TYPE_CHECKING:
    from lancedb.db import LanceDBConnection

_log = logging.getLogger(__name__)

_CHANGES = 1_000


def drop_damaged(uri: str, checksums: FileChecksums) -> None:
    """Remove the tables of which a file is not what was written, and all where using them ended a process."""
    broken, is_trusted = checksums.broken(), checksums.trust()
    if broken:
        _log.warning("Files of the index are damaged: %s", ", ".join(broken))
    if not is_trusted:
        _log.warning("Using the index ended a process. It is not used again.")
    if not broken and is_trusted:
        return
    with unavailable():
        database = tables.connect(uri)
        damaged = {table_of(name) for name in broken}
        for name in database.list_tables().tables:
            if name in damaged or not is_trusted:
                damaged.add(name)
                tables.drop_table(database, uri, name)
        for name in damaged:
            checksums.forget(name)


def drop_all_but(uri: str, wanted: Collection[str]) -> None:
    """Remove the tables that stand for none of these."""
    with unavailable():
        database = tables.connect(uri)
        for name in database.list_tables().tables:
            if tables.base_of(name) not in wanted:
                tables.drop_table(database, uri, name)


def without_erased(uri: str, ledger: Ledger, served: str) -> None:
    """Write all tables but the one that serves anew, without what changed since: that comes again, where it counts.

    What cannot be read is removed.
    """
    with unavailable():
        database = tables.connect(uri)
        names = database.list_tables().tables
        for base in {tables.base_of(name) for name in names}:
            is_done = base == tables.base_of(served)
            for name in tables.in_place_of(base, names):
                if name == served:
                    continue
                is_done = is_done or _written_anew(database, uri, ledger, name)
                tables.drop_table(database, uri, name)


def _written_anew(database: LanceDBConnection, uri: str, ledger: Ledger, name: str) -> bool:
    """Whether a table could be written anew, under the next name."""
    from lancedb.expr import col

    try:
        table = database.open_table(name)
        after = sequence_of(table)
        while changes := ledger.changes(after, _CHANGES):
            table.delete(col("entry_id").isin([change.entry_id for change in changes]))
            after = changes[-1].sequence
        columns = table.schema
        dimension = columns.field("vector").type.list_size if "vector" in columns.names else 0
        made = tables.make_table(database, uri, tables.next_name(name), dimension)
        tables.copy_rows(table, made)
        tables.settle(made, dimension)
    except (RuntimeError, ValueError, OSError) as error:
        _log.warning("A table of another embedder cannot be read, and is removed: %s", error)
        return False
    return True
