"""Access rules: translate a `Scope` into SQL conditions, and check every row again before it is returned.

Values are always bound, never formatted into SQL. Without a scope, nothing can be read or written.
"""

import logging
from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import Row, Table, case, or_

from assistant.errors import NoIdentity
from assistant.types import Entry, Scope
from memory_store.ledger.database.schema import SHARED, Condition, entries

_log = logging.getLogger(__name__)


def require_user(scope: Scope) -> str:
    """Return the user's id. Raises NoIdentity if `scope` is not a Scope."""
    if not isinstance(scope, Scope):
        raise NoIdentity
    return scope.person


def belongs_to(table: Table, scope: Scope) -> Condition:
    """Select the rows of a table that belong to the user."""
    return table.c.owner == require_user(scope)


def is_readable(scope: Scope) -> Condition:
    """Select the entries that the user may read: their own, and shared ones."""
    return or_(belongs_to(entries, scope), entries.c.scope == SHARED)


def bypass_index(condition: Condition) -> Condition:
    """Wrap a condition in a CASE, so that the query planner looks rows up by id and ignores the index of owners.

    With that index, the database would scan all entries of the user.
    """
    return case((condition, True), else_=False)


def is_row_of(wanted: tuple[str, str], scope: str, owner: str, name: str) -> bool:
    """Return True if a row of the index has this scope and owner; shared rows have no owner."""
    return _passes((scope, "" if scope == SHARED else owner) == wanted, "row", name)


def filter_own(found: Iterable[Row[Any]], scope: Scope) -> Iterator[Row[Any]]:
    """Yield the rows of the ledger that are the user's."""
    person = require_user(scope)
    return (row for row in found if _passes(row.owner == person, "row", str(row[0])))


def filter_readable(found: Iterable[Entry], scope: Scope) -> Iterator[Entry]:
    """Yield the entries that the user may read."""
    require_user(scope)
    return (entry for entry in found if _passes(scope.may_read(entry), "entry", entry.id))


def _passes(is_allowed: bool, kind: str, name: str) -> bool:
    """Log a row of another user that a filter let through."""
    if not is_allowed:
        _log.error("A filter let the %s %s through to another person; it was dropped.", kind, name)
    return is_allowed
