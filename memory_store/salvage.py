"""Reading on where a page of the ledger's file is damaged: what lies on other pages is still there."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, Result, Select, Table, select
from sqlalchemy.exc import DBAPIError

from memory_store.ledger import is_damage

_log = logging.getLogger(__name__)

Row = Mapping[Any, Any]  # column name to value; SQLAlchemy's own rows are keyed by columns as well
_NOTHING: Mapping[str, Any] = {}


def read_rows(
    connection: Connection,
    query: Select[Any],
    parts: Callable[[], Iterable[ColumnElement[bool]]],
    bound: Mapping[str, Any] = _NOTHING,
    *,
    limit: int | None = None,
    offset: int = 0,
) -> list[Row]:
    """The rows of a query; if it meets damage, of each part by itself, without those parts that meet it too.

    Args:
        connection: comes from `Ledger.read` or `Ledger.write`.
        query: without limit and offset.
        parts: conditions that take the query apart. Asked for after damage only.
        bound: values of the query's parameters.
        limit: how many rows at most.
        offset: how many of the first rows are passed over.
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
