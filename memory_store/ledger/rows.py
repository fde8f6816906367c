"""Read and write rows: texts that every database keeps, a checksum over an entry with its keys, ids in batches."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

import sqlalchemy as sa

from assistant.kinds import Kinds
from assistant.text.cleaning import storable

T = TypeVar("T")
Row = Mapping[Any, Any]  # column name to value; SQLAlchemy's own rows are keyed by columns as well
IDS: sa.BindParameter[Sequence[str]] = sa.bindparam("ids", expanding=True)
"""Bind the ids of a statement that is built once: building one takes longer than running it."""
_NOTHING: Row = MappingProxyType({})
_PER_QUERY = 500  # databases limit how many values one statement binds


def kinds_of(connection: sa.Connection) -> Kinds:
    """Return the kinds of entries that the ledger of a connection holds."""
    kinds: Kinds = connection.get_execution_options()["kinds"]
    return kinds


def text_in_json(connection: sa.Connection, column: sa.ColumnElement[Any], name: str) -> sa.ColumnElement[str]:
    """Return a field of a column as text; empty where it is not there, or damaged: SQLite would fail the whole query.

    So a damaged entry can still be erased.
    """
    found: sa.ColumnElement[str] = sa.func.coalesce(column[name].as_string(), "")
    if connection.dialect.name == "postgresql":
        return found
    return sa.case((sa.func.json_valid(column) == 1, found), else_="")


def kept(value: Any) -> Any:
    """Return a row, or a value of one, with its texts as they are stored, and with lists for tuples."""
    if isinstance(value, Mapping):
        return {storable(name): kept(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [kept(part) for part in value]
    return storable(value) if isinstance(value, str) else value


def checksum(row: Row, keys: Iterable[Row] = ()) -> str:
    """Return the SHA-256 in hexadecimal digits of the row of an entry and those of its keys in their order.

    Empty values are left out: a column added later does not change the checksum of older rows; emptying a value does.
    """
    entry, *key_rows = (
        {name: value for name, value in part.items() if name != "checksum" and value not in (None, "")}
        for part in (row, *keys)
    )
    content = json.dumps({"entry": entry, "keys": key_rows}, sort_keys=True, default=repr)
    return hashlib.sha256(content.encode("ascii")).hexdigest()


def batches(ids: Iterable[T]) -> Iterator[Sequence[T]]:
    """Yield the ids, as many at a time as one statement may bind."""
    ids = list(ids)
    return (ids[start : start + _PER_QUERY] for start in range(0, len(ids), _PER_QUERY))


def rows_with(
    connection: sa.Connection, query: sa.Select[Any], column: sa.Column[Any], values: Iterable[Any]
) -> Iterator[sa.Row[Any]]:
    """Yield the rows of a query in which a column has one of the values, however many these are."""
    for some in batches(sorted(set(values))):
        yield from connection.execute(query.where(column.in_(some))).all()


def read_named(connection: sa.Connection, query: sa.Select[Any], names: Iterable[str], **bound: Any) -> Iterator[Row]:
    """Yield the rows of a query for which `ids` are bound to the names, however many these are."""
    for some in batches(sorted(set(names))):
        yield from read_rows(connection, query, {**bound, "ids": some})


def is_there(connection: sa.Connection, column: sa.Column[Any], *conditions: sa.ColumnElement[bool]) -> bool:
    """Return True if any row of the column's table meets all conditions."""
    return connection.execute(sa.select(column).where(*conditions).limit(1)).first() is not None


def read_rows(connection: sa.Connection, query: sa.Select[Any], bound: Row = _NOTHING) -> list[Row]:
    """Return the rows of a query as plain mappings: SQLAlchemy's own rows are read many times more slowly."""
    result = connection.execute(query, bound)
    names = tuple(result.keys())
    return [dict(zip(names, row, strict=True)) for row in result.all()]


def read_page(
    connection: sa.Connection, query: sa.Select[Any], *order: sa.ColumnElement[Any], limit: int | None, offset: int
) -> tuple[list[Row], int]:
    """Return one page of a listing, in this order, and how many rows all pages have."""
    total = connection.execute(sa.select(sa.func.count()).select_from(query.subquery())).scalar_one()
    return read_rows(connection, query.order_by(*order).limit(limit).offset(offset or None)), total
