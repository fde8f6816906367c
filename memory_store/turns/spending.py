"""Daily spending limit for model calls, counted in the ledger, so that restarts and other processes share it."""

import logging
from collections.abc import Callable

from sqlalchemy import delete, insert, select, update

from assistant.errors import SpendUsedUp, StoreError
from assistant.types import Clock, utc_now
from memory_store.ledger.database.schema import spending
from memory_store.ledger.ledger import Ledger

_log = logging.getLogger(__name__)


class LedgerSpending:
    """Implements `Spending`: all calls of one day (UTC) may cost `per_day` US dollars together.

    Calling it reserves the estimated cost of a model call, and returns a function that replaces the estimate with the
    actual cost. If the process dies during the call, the estimate stays. Raises SpendUsedUp.
    """

    def __init__(self, ledger: Ledger, per_day: float, now: Clock = utc_now) -> None:
        self._ledger = ledger
        self._per_day = per_day
        self._now = now

    def __call__(self, dollars: float) -> Callable[[float], None]:
        day = self._now().date().isoformat()
        of_day = spending.c.day == day
        with self._ledger.write() as connection:
            spent = connection.execute(select(spending.c.dollars).where(of_day)).scalar() or 0.0
            if spent + dollars > self._per_day:
                raise SpendUsedUp
            connection.execute(delete(spending).where(of_day))
            connection.execute(insert(spending).values(day=day, dollars=spent + dollars))

        def settle(cost: float) -> None:
            try:
                with self._ledger.write() as connection:
                    settled = spending.c.dollars + (cost - dollars)
                    connection.execute(update(spending).where(of_day).values(dollars=settled))
            except StoreError as error:
                _log.warning("The cost of a model call could not be recorded, so its estimate is counted. %s", error)

        return settle
