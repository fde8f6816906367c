"""Count the cost of a model call: its maximum before the call, the true cost after it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from assistant.errors import PriceUnknown
from assistant.model_usage import Count, Usage
from assistant.models.remote.deltas import Delta
from assistant.ports import Spending

Price = Callable[[Usage], float | None]
"""US dollars; None if the price is unknown."""
# English has four bytes per token; other scripts have more bytes per letter, and fewer letters per token.
_BYTES_PER_TOKEN = 3
_TOKENS_PER_MESSAGE = 16  # around each message


@dataclass(slots=True)
class Bill:
    """Token usage of one call, estimated until the server reports it."""

    texts: Sequence[str]  # of the prompt
    longest_reply: int  # in tokens
    reply_bytes: int = 0  # received so far, reasoning included
    told: Usage | None = None  # as reported by the server

    def most(self) -> Usage:
        """Return the maximum usage of the call: no token is shorter than a byte."""
        longest = _size(self.texts) + len(self.texts) * _TOKENS_PER_MESSAGE
        return Usage(longest, self.longest_reply, told=False)

    def used(self) -> Usage:
        """Return the usage of the call so far, as reported or else estimated."""
        return self.told or Usage(estimate_tokens(self.texts), -(-self.reply_bytes // _BYTES_PER_TOKEN), told=False)

    def take(self, delta: Delta) -> None:
        """Count a part of the reply, and the usage that the server reports in it."""
        self.reply_bytes += _size([delta.text, delta.reasoning])
        self.told = delta.used or self.told


def estimate_tokens(texts: Sequence[str]) -> int:
    """Return the likely number of tokens of texts."""
    return -(-_size(texts) // _BYTES_PER_TOKEN)


@contextmanager
def reserve_spending(bill: Bill, price: Price, spending: Spending | None, count: Count) -> Iterator[None]:
    """Reserve the maximum cost of the call in the block within `spending`; count and settle the true cost at its end.

    Raises SpendUsedUp, and PriceUnknown if there is a limit.
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
        if bill.reply_bytes or bill.told:  # otherwise, the server may not have read the prompt
            count(replace(used, dollars=dollars))
        if settle is not None and dollars is not None:
            settle(dollars)


def _size(texts: Sequence[str]) -> int:
    """Return the bytes of texts."""
    return sum(len(text.encode("utf-8", "replace")) for text in texts)
