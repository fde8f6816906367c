"""A call to a model is counted before it is made, as what it is expected to cost, and counted right after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from assistant.errors import PriceUnknown
from assistant.models.bill import Bill, Tokens
from assistant.usage import Count, Usage

if TYPE_CHECKING:
    from assistant.ports import Spending

Price = Callable[[Tokens], float | None]
"""US dollars; None where the price is not known."""


@contextmanager
def counted(bill: Bill, price: Price, spending: Spending | None, count: Count) -> Iterator[None]:
    """A call that is counted before it is made, and counted right when it has ended, however it did.

    Args:
        bill: of the call; what is made within keeps it.
        price: what lengths cost.
        spending: what all calls may cost. None: anything.
        count: told what the call took, where anything came of it.

    Raises:
        SpendUsedUp: there is not enough left for it.
        PriceUnknown: there is a limit, and what it would cost is not known.
    """
    settle = None if spending is None else _reserved(bill, price, spending)
    try:
        yield
    finally:
        dollars = price(bill.used())
        if bill.begun:
            count(Usage(*bill.used(), told=bill.told is not None, dollars=dollars))
        if settle is not None and dollars is not None:
            settle(dollars)


def _reserved(bill: Bill, price: Price, spending: Spending) -> Callable[[float], None]:
    """Puts the true price in the place of the expected one."""
    dollars = price(bill.expected())
    if dollars is None:
        raise PriceUnknown
    return spending.reserve(dollars)
