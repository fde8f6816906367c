"""Count the cost of a call to a model: the most it can cost before the call, the true cost after it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from assistant.errors import PriceUnknown
from assistant.model_usage import Count, Usage
from assistant.models.remote.deltas import Delta
from assistant.ports import Spending

Price = Callable[[Usage], float | None]
"""US dollars; None where the price is not known."""

# English has four bytes to a token; other scripts have more to a letter, and fewer letters to a token.
_BYTES_PER_TOKEN = 3
_TOKENS_PER_MESSAGE = 16  # around each message


@dataclass(slots=True)
class Bill:
    """The lengths of one call, estimated until the server tells them."""

    texts: Sequence[str]  # of the prompt
    longest_reply: int  # in tokens
    reply_bytes: int = 0  # of what has come of the reply, reasoning included
    told: Usage | None = None  # the lengths that the server told

    def most(self) -> Usage:
        """Return the most that the call can take: no token is shorter than a byte."""
        bytes_ = sum(len(text.encode("utf-8", "replace")) for text in self.texts)
        return Usage(bytes_ + len(self.texts) * _TOKENS_PER_MESSAGE, self.longest_reply, told=False)

    def used(self) -> Usage:
        """Return what the call took, also where it was broken off before the server told."""
        return self.told or Usage(estimate_tokens(self.texts), -(-self.reply_bytes // _BYTES_PER_TOKEN), told=False)

    def take(self, delta: Delta) -> None:
        """Count a part of the reply, and keep the lengths that the server tells."""
        self.reply_bytes += len((delta.text + delta.reasoning).encode("utf-8", "replace"))
        self.told = delta.used or self.told


def estimate_tokens(texts: Sequence[str]) -> int:
    """Return about how many tokens some texts are."""
    return -(-sum(len(text.encode("utf-8", "replace")) for text in texts) // _BYTES_PER_TOKEN)


@contextmanager
def counted(bill: Bill, price: Price, spending: Spending | None, count: Count) -> Iterator[None]:
    """Reserve the most that the call in the block can cost, and settle its true cost however the block ends.

    Args:
        bill: the lengths of the call, which the block keeps up to date.
        price: returns what a usage costs.
        spending: the limit of all calls; None: they may cost anything.
        count: is told what the call took, where anything came of it.

    Raises:
        SpendUsedUp: not so much is left.
        PriceUnknown: there is a limit, and it is not known what the call can cost.
    """
    settle = None
    if spending is not None:
        if (dollars := price(bill.most())) is None:
            raise PriceUnknown
        settle = spending(dollars)
    try:
        yield
    finally:
        used = bill.used()
        dollars = price(used)
        if bill.reply_bytes or bill.told:  # else nobody knows that the prompt was read
            count(replace(used, dollars=dollars))
        if settle is not None and dollars is not None:
            settle(dollars)
