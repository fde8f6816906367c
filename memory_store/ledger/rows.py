"""Read and write rows: storable texts, checksums of entries with their keys, ids in batches."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import sqlalchemy as sa

from assistant.text.cleaning import clean_text
from memory_store.ledger.database.schema import Condition

T = TypeVar("T")
Row = Mapping[Any, Any]  # column name to value
_NOT_SEALED = {"checksum", "found_under", "search_text"}
IDS: sa.BindParameter[Sequence[str]] = sa.bindparam("ids", expanding=True)
OWNER: sa.BindParameter[str] = sa.bindparam("owner")
"""Parameters of queries for `read_rows`. Frequent queries are constants, since building takes longer than running."""
_PER_QUERY = 500  # databases limit how many values one statement binds


def make_storable(value: Any) -> Any:
    """Return a row or value with storable texts, and with lists in place of tuples."""
    if isinstance(value, Mapping):
        return {clean_text(name): make_storable(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [make_storable(part) for part in value]
    return clean_text(value) if isinstance(value, str) else value


def compute_checksum(row: Row) -> str:
    """Return the SHA-256, in hexadecimal, of an entry's row.

    Empty values are skipped, so that adding a column keeps older checksums valid. Keys are hashed in the form of table
    rows, because older ledgers had a table of keys.
    """
    entry = {name: value for name, value in row.items() if name not in _NOT_SEALED and value not in (None, "")}
    keys: Any = row["found_under"]
    with suppress(TypeError):  # a damaged row
        common = {"entry_id": row["id"], "owner": row["owner"]}
        numbered = [{**common, "position": position, **key} for position, key in enumerate(keys)]
        keys = [{name: value for name, value in key.items() if value not in (None, "")} for key in numbered]
    content = json.dumps({"entry": entry, "keys": keys}, sort_keys=True, default=repr)
    return hashlib.sha256(content.encode("ascii")).hexdigest()


def split_into_batches(ids: Iterable[T]) -> Iterator[Sequence[T]]:
    """Yield the ids in batches that one statement can bind."""
    ids = list(ids)
    return (ids[start : start + _PER_QUERY] for start in range(0, len(ids), _PER_QUERY))


def read_rows(
    connection: sa.Connection, query: sa.Select[Any], ids: Iterable[str], **bound: Any
) -> Iterator[sa.Row[Any]]:
    """Yield the rows of a query with the parameter `IDS`, for any number of ids. `bound` has its other parameters."""
    for batch in split_into_batches(sorted(set(ids))):
        yield from connection.execute(query, {"ids": batch, **bound}).all()


def row_exists(connection: sa.Connection, column: sa.Column[Any], *conditions: Condition) -> bool:
    """Return True if any row of the column's table meets all conditions."""
    return connection.execute(sa.select(column).where(*conditions).limit(1)).first() is not None


def read_page(
    connection: sa.Connection, query: sa.Select[Any], *order: sa.ColumnElement[Any], limit: int | None, offset: int
) -> tuple[Sequence[sa.Row[Any]], int]:
    """Return one page of a query's rows, sorted by `order`, and the total number of rows."""
    rows = connection.execute(query.order_by(*order).limit(limit).offset(offset or None)).all()
    if not offset and (limit is None or len(rows) < limit):
        return rows, len(rows)  # no need for a second query
    return rows, connection.execute(sa.select(sa.func.count()).select_from(query.subquery())).scalar_one()
