"""What the model may cost in a day, counted in the ledger, so that a restart or another process changes nothing."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, datetime

from sqlalchemy import Connection, insert, select, update

from assistant.errors import SpendUsedUp, StoreError
from memory_store.ledger import Ledger
from memory_store.schema import spending

_log = logging.getLogger(__name__)


class LedgerSpending:
    """The port `Spending`, by days in UTC.

    Args:
        ledger: where it is counted.
        per_day: US dollars that all calls of a day may cost together.
        now: tells the time.
    """

    def __init__(self, ledger: Ledger, per_day: float, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._ledger = ledger
        self._per_day = per_day
        self._now = now

    def reserve(self, dollars: float) -> Callable[[float], None]:
        """Count what a call will cost, before it is made; what is returned puts the true cost in its place.

        A process that ends in between leaves the estimate, so what was spent is never forgotten.

        Raises:
            SpendUsedUp: there is not so much left today.
            StoreError: it cannot be counted, so nothing may be spent.
        """
        day = self._now().date().isoformat()
        with self._ledger.write() as connection:
            spent = connection.execute(select(spending.c.dollars).where(spending.c.day == day)).scalar()
            if (spent or 0.0) + dollars > self._per_day:
                raise SpendUsedUp
            if spent is None:
                connection.execute(insert(spending).values(day=day, dollars=0.0))
            _add(connection, day, dollars)

        def settle(cost: float) -> None:
            try:
                with self._ledger.write() as connection:
                    _add(connection, day, cost - dollars)
            except StoreError as error:
                _log.warning("What a call cost could not be counted; what it was expected to cost is. %s", error)

        return settle


def _add(connection: Connection, day: str, dollars: float) -> None:
    of_day = spending.c.day == day
    connection.execute(update(spending).where(of_day).values(dollars=spending.c.dollars + dollars))
