"""Rows as they are written, with texts that every database keeps and a checksum over all that they say; and as they are
read, on where a page of the file is damaged: what lies on other pages is still there.
"""

import hashlib
import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from sqlalchemy import Column, ColumnElement, Connection, FromClause, Result, Select, Table, case, func, select
from sqlalchemy import Row as SelectedRow
from sqlalchemy.exc import DBAPIError

from assistant.kinds import Kinds
from assistant.text.cleaning import storable
from memory_store.ledger.database.sqlite_file import is_damage

_log = logging.getLogger(__name__)

T = TypeVar("T")
Row = Mapping[Any, Any]  # column name to value; SQLAlchemy's own rows are keyed by columns as well
_NOTHING: Mapping[str, Any] = {}
_PER_QUERY = 500  # databases limit how many values one statement binds


def kinds_of(connection: Connection) -> Kinds:
    """The kinds of entries that the ledger of a connection holds."""
    kinds: Kinds = connection.get_execution_options()["kinds"]
    return kinds


def text_in_body(connection: Connection, table: FromClause, name: str) -> ColumnElement[str]:
    """A text in what entries say; see `text_in_json`."""
    return text_in_json(connection, table.c.body, name)


def text_in_json(connection: Connection, column: ColumnElement[Any], name: str) -> ColumnElement[str]:
    """A field of a column, as text; empty where it is not there, or damaged: SQLite would fail the whole reading."""
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
    """SHA-256 in hexadecimal digits, over a row and, for an entry, those of its keys in their order.

    Empty values are left out: a column added later does not change the checksum of older rows; emptying a value does.
    """
    content = {"entry": _filled(row), "keys": [_filled(key) for key in keys]}
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=repr).encode("ascii")).hexdigest()


def sealed(row: Mapping[Any, Any]) -> dict[Any, Any]:
    """A row with its checksum, for any table but that of entries."""
    return {**row, "checksum": checksum(row)}


def is_whole(row: Mapping[Any, Any]) -> bool:
    """Whether a row, of any table but that of entries, is what was written. One from before checksums is."""
    return row["checksum"] is None or row["checksum"] == checksum(row)


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


def read_named(
    connection: Connection, query: Select[Any], column: Column[str], names: Iterable[str], **bound: Any
) -> Iterator[Row]:
    """The rows of a query in which a column has one of the names, bound as `ids`; damaged ones are left out."""
    for some in batches(sorted(set(names))):
        yield from read_rows(connection, query, each(column, some), {**bound, "ids": some})


def is_there(connection: Connection, column: Column[Any], *conditions: ColumnElement[bool]) -> bool:
    """Whether any row of the column's table meets all conditions."""
    return connection.execute(select(column).where(*conditions).limit(1)).first() is not None


def read_rows(
    connection: Connection,
    query: Select[Any],
    parts: Callable[[], Iterable[ColumnElement[bool]]],
    bound: Mapping[str, Any] = _NOTHING,
    *,
    limit: int | None = None,
    offset: int = 0,
) -> list[Row]:
    """The rows of a query, which has no limit and offset itself; if it meets damage, of all `parts` without any.

    These are conditions that take the query apart, asked for after damage only.
    """
    try:
        whole = query if limit is None and not offset else query.limit(limit).offset(offset)
        return _plain(connection.execute(whole, bound))
    except DBAPIError as error:
        if not is_damage(error):
            raise
    found: list[Row] = []
    lost = 0
    for part in parts():
        try:
            found += _plain(connection.execute(query.where(part), bound))
        except DBAPIError as error:
            if not is_damage(error):
                raise
            lost += 1
    _log.error("Of what was read, %s parts lie where the memory's file is damaged. They are passed over.", lost)
    return found[offset : None if limit is None else offset + limit]


def by_sequence(connection: Connection, table: Table) -> list[ColumnElement[bool]]:
    """One condition for each row of a table, newest first. Its numbers stand in an index of their own."""
    numbers = connection.execute(select(table.c.sequence).order_by(table.c.sequence.desc())).scalars()
    return [table.c.sequence == number for number in numbers]


def each(column: Column[str], values: Iterable[str]) -> Callable[[], list[ColumnElement[bool]]]:
    """One condition for each value of a column."""
    return lambda: [column == value for value in values]


def _plain(result: Result[Any]) -> list[Row]:
    # SQLAlchemy's own rows are read many times more slowly.
    names = tuple(result.keys())
    return [dict(zip(names, row, strict=True)) for row in result.all()]
