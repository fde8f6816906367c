"""Visitors who do not sign in leave nothing: everything of one who has not come back for a while is erased."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from sqlalchemy import func, select, union_all

from assistant.types import Scope
from memory_store.erasing import Erasing
from memory_store.ledger import Ledger
from memory_store.schema import entries, events, turns

_log = logging.getLogger(__name__)


class Visits:
    """Erases what visitors left.

    Args:
        ledger: where it is.
        erasing: erases it.
        prefix: what the id of every visitor begins with, and of nobody else.
        hours: how long after the last thing that a visitor did.
        erased: called afterwards, so that the bytes go from the files; returns at once, never raises.
    """

    def __init__(self, ledger: Ledger, erasing: Erasing, prefix: str, hours: float, erased: Callable[[], None]) -> None:
        self._ledger = ledger
        self._erasing = erasing
        self._prefix = prefix
        self._keep = timedelta(hours=hours)
        self._erased = erased

    def look(self, now: datetime) -> None:
        """Erase everything of those who have been away for too long by now.

        Raises:
            StoreError: the ledger cannot be read or written.
        """
        gone = self._away_since((now - self._keep).isoformat())
        for person in gone:
            self._erasing.forget_all(Scope(person))
        if gone:
            _log.info("%d visitors did not come back; what they left is erased.", len(gone))
            self._erased()

    def _away_since(self, time: str) -> list[str]:
        of_visitors = (
            select(table.c.owner, func.max(table.c.created).label("last"))
            .where(table.c.owner.startswith(self._prefix, autoescape=True))
            .group_by(table.c.owner)
            for table in (entries, turns, events)
        )
        each = union_all(*of_visitors).subquery()
        away = select(each.c.owner).group_by(each.c.owner).having(func.max(each.c.last) < time)
        with self._ledger.read() as connection:
            return list(connection.execute(away).scalars())
