"""How damage of the index shows, and the look that tells whether a table is whole.

One flipped byte may make LanceDB raise anything, or nothing; what it says in the latter case, only the ledger can tell.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from memory_store.index_table import FILTERED, PROGRESS, schema
from memory_store.lookup import IndexUnavailable

if TYPE_CHECKING:
    from lancedb.db import LanceDBConnection
    from lancedb.table import LanceTable

_log = logging.getLogger(__name__)

_PANIC = "PanicException"  # how PyO3 hands on a panic; it is no Exception, and each library has its own


@contextmanager
def unavailable() -> Iterator[None]:
    """Damage may show as anything: LanceDB's plain errors, Arrow's, those of values that cannot be, a panic in Rust."""
    try:
        yield
    except IndexUnavailable:
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != _PANIC:
            raise
        _log.warning("The index cannot be used: %s", str(error).splitlines()[0] if str(error) else type(error).__name__)
        raise IndexUnavailable from error


def look_through(table: LanceTable, dimension: int) -> None:
    """Read everything once, through every index, which also warms the caches.

    Raises:
        RuntimeError, ValueError, OSError: something is missing or damaged.
    """
    from lancedb.expr import col, lit

    columns = schema(dimension)
    if table.schema != columns:
        raise ValueError("The table has other columns.")
    if {*FILTERED, "entry_id", "english"} - {index.columns[0] for index in table.list_indices()}:
        raise ValueError("An index of the table is missing.")
    rows = sum(batch.num_rows for batch in table.search().select(list(columns.names)).to_batches())
    if rows != table.count_rows():
        raise ValueError("Rows of the table are missing.")
    filters = (col("status") == lit(PROGRESS)) & (col("scope") == lit("")) & (col("owner") == lit(""))
    table.search().where(filters & (col("entry_id") == lit(""))).select(["key_id"]).to_arrow()
    table.search("a", query_type="fts", fts_columns="english").select(["key_id", "_score"]).limit(1).to_arrow()


def read_progress(table: LanceTable) -> int:
    from lancedb.expr import col, lit

    rows = table.search().where(col("status") == lit(PROGRESS)).select(["sequence"]).to_list()
    if len(rows) != 1:
        raise ValueError("The table was not filled to its end.")
    return int(rows[0]["sequence"])


def newest_whole(database: LanceDBConnection, names: Sequence[str]) -> str:
    """The first of these tables that was filled to its end; else the first. Where there is only one, nobody looks."""
    for name in names if len(names) > 1 else ():
        with suppress(RuntimeError, ValueError, OSError):
            read_progress(database.open_table(name))
            return name
    return names[0] if names else ""
