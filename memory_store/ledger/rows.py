"""Write and read rows: texts that every database keeps, a checksum over an entry with its keys, ids in batches."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from sqlalchemy import Column, ColumnElement, Connection, Select, case, func, select
from sqlalchemy import Row as SelectedRow

from assistant.kinds import Kinds
from assistant.text.cleaning import storable

T = TypeVar("T")
Row = Mapping[Any, Any]  # column name to value; SQLAlchemy's own rows are keyed by columns as well
_NOTHING: Mapping[str, Any] = {}
_PER_QUERY = 500  # databases limit how many values one statement binds


def kinds_of(connection: Connection) -> Kinds:
    """The kinds of entries that the ledger of a connection holds."""
    kinds: Kinds = connection.get_execution_options()["kinds"]
    return kinds


def text_in_json(connection: Connection, column: ColumnElement[Any], name: str) -> ColumnElement[str]:
    """Return a field of a column as text; empty where it is not there, or damaged: SQLite would fail the whole query.

    So a damaged entry can still be erased.
    """
    found: ColumnElement[str] = func.coalesce(column[name].as_string(), "")
    if connection.dialect.name == "postgresql":
        return found
    return case((func.json_valid(column) == 1, found), else_="")


def kept(value: Any) -> Any:
    """A row, or a value of one, with its texts as they are stored, and with lists for tuples."""
    if isinstance(value, Mapping):
        return {storable(name): kept(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [kept(part) for part in value]
    return storable(value) if isinstance(value, str) else value


def checksum(row: Mapping[Any, Any], keys: Iterable[Mapping[Any, Any]] = ()) -> str:
    """Return the SHA-256 in hexadecimal digits of the row of an entry and those of its keys in their order.

    Empty values are left out: a column added later does not change the checksum of older rows; emptying a value does.
    """
    content = {"entry": _filled(row), "keys": [_filled(key) for key in keys]}
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=repr).encode("ascii")).hexdigest()


def _filled(row: Mapping[Any, Any]) -> dict[Any, Any]:
    return {name: value for name, value in row.items() if name != "checksum" and value not in (None, "")}


def batches(ids: Iterable[T]) -> Iterator[Sequence[T]]:
    """The ids, as many at a time as one statement may bind."""
    ids = list(ids)
    return (ids[start : start + _PER_QUERY] for start in range(0, len(ids), _PER_QUERY))


def rows_with(
    connection: Connection, query: Select[Any], column: Column[Any], values: Iterable[Any]
) -> Iterator[SelectedRow[Any]]:
    """The rows of a query in which a column has one of the values, however many these are."""
    for some in batches(sorted(set(values))):
        yield from connection.execute(query.where(column.in_(some))).all()


def read_named(connection: Connection, query: Select[Any], names: Iterable[str], **bound: Any) -> Iterator[Row]:
    """Return the rows of a query for which `ids` are bound to the names, however many these are."""
    for some in batches(sorted(set(names))):
        yield from read_rows(connection, query, {**bound, "ids": some})


def is_there(connection: Connection, column: Column[Any], *conditions: ColumnElement[bool]) -> bool:
    """Whether any row of the column's table meets all conditions."""
    return connection.execute(select(column).where(*conditions).limit(1)).first() is not None


def read_rows(connection: Connection, query: Select[Any], bound: Mapping[str, Any] = _NOTHING) -> list[Row]:
    """Return the rows of a query as plain mappings: SQLAlchemy's own rows are read many times more slowly."""
    result = connection.execute(query, bound)
    names = tuple(result.keys())
    return [dict(zip(names, row, strict=True)) for row in result.all()]
