"""The one place that turns a `Scope` into conditions, and that looks at every row again before it is handed out.

Values are bound, never written into a string. Whoever comes without a scope gets nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, Table, case, or_

from assistant.errors import NoIdentity
from assistant.types import Entry, Scope
from memory_store.ledger.database.schema import SHARED, entries

_log = logging.getLogger(__name__)


def person_of(scope: Scope) -> str:
    """The person's id. Raises NoIdentity: this is no scope, and nothing is read or written without one."""
    if not isinstance(scope, Scope):
        raise NoIdentity
    return scope.person


def own(table: Table, scope: Scope) -> ColumnElement[bool]:
    """Rows of a ledger table that belong to the person."""
    return table.c.owner == person_of(scope)


def readable(scope: Scope) -> ColumnElement[bool]:
    """Entries of the ledger that the person may read: their own, and what is shared."""
    return readable_by(person_of(scope))


def readable_by(person: str | BindParameter[str]) -> ColumnElement[bool]:
    """The same for the person of a scope, who may be bound later, so that a statement is built once."""
    return or_(entries.c.owner == person, entries.c.scope == SHARED)


def never_by_index(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    """A condition on rows that are named by their ids: what stands in a CASE is never looked up in an index.

    Else a database may go by that of owners, through everything that a person has.
    """
    return case((condition, True), else_=False)


def is_row_of(wanted: tuple[str, str], scope: str, owner: str, name: str) -> bool:
    """Return True if a row of the index has this scope and owner; what is shared has no owner."""
    return _passes((scope, "" if scope == SHARED else owner) == wanted, "row", name)


def own_rows(found: Iterable[Mapping[str, Any]], scope: Scope) -> Iterator[Mapping[str, Any]]:
    """The rows of the ledger that are the person's."""
    person = person_of(scope)
    return (row for row in found if _passes(row["owner"] == person, "row", row["id"]))


def only_readable_entries(found: Iterable[Entry], scope: Scope) -> Iterator[Entry]:
    """The entries that the person may read."""
    person_of(scope)
    return (entry for entry in found if _passes(scope.may_read(entry), "entry", entry.id))


def _passes(is_allowed: bool, kind: str, name: str) -> bool:
    """What may not be handed out is dropped and logged: a filter was at fault."""
    if not is_allowed:
        _log.error("A filter let the %s %s through to another person; it was dropped.", kind, name)
    return is_allowed
