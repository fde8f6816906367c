"""What a call to a model costs: counted before it is made as the most it can cost, and right when it has ended."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self

from assistant.errors import PriceUnknown
from assistant.models.remote.deltas import Delta, TokenCounts
from assistant.ports import Spending
from assistant.types import Message
from assistant.usage import Count, Usage

Price = Callable[[TokenCounts], float | None]
"""US dollars; None where the price is not known."""

# English has four bytes to a token; other scripts have more to a letter, and fewer letters to a token.
_BYTES_PER_TOKEN = 3
# Around each message.
_TOKENS_PER_MESSAGE = 16


@dataclass(slots=True)
class Bill:
    """One call."""

    prompt_bytes: int
    messages: int
    longest_reply: int  # in tokens; the model's server is told that it may write no more
    reply_bytes: int = 0  # of what has come of the reply, reasoning included
    told: TokenCounts | None = None  # the lengths that the model's server told, where it did

    @classmethod
    def of(cls, messages: Sequence[Message], longest_reply: int) -> Self:
        """A call that has not been made yet."""
        return cls(sum(_size(message.content) for message in messages), len(messages), longest_reply)

    def most(self) -> TokenCounts:
        """What it can take, before the call: no token is shorter than a byte."""
        return TokenCounts(self.prompt_bytes + self.messages * _TOKENS_PER_MESSAGE, self.longest_reply)

    def used(self) -> TokenCounts:
        """After the call, also one that was broken off before the server told."""
        return self.told or TokenCounts(_tokens(self.prompt_bytes), _tokens(self.reply_bytes))

    def take(self, delta: Delta) -> None:
        """Count a part of the reply, and note what the server says of it all, if it says anything."""
        self.reply_bytes += _size(delta.text) + _size(delta.reasoning)
        self.told = delta.used or self.told

    @property
    def begun(self) -> bool:
        """Whether anything has come; else nobody knows that the prompt was read."""
        return self.reply_bytes > 0 or self.told is not None


@contextmanager
def counted(bill: Bill, price: Price, spending: Spending | None, count: Count) -> Iterator[None]:
    """A call that is counted before it is made, and counted right when it has ended, however it did.

    `count` is told what the call took, where anything came of it. Where `spending` is None, it may cost anything; else
    SpendUsedUp is raised where not so much is left, PriceUnknown where it is not known what the call would cost.
    """
    settle = None
    if spending is not None:
        if (dollars := price(bill.most())) is None:
            raise PriceUnknown
        settle = spending.reserve(dollars)
    try:
        yield
    finally:
        dollars = price(bill.used())
        if bill.begun:
            count(Usage(*bill.used(), told=bill.told is not None, dollars=dollars))
        if settle is not None and dollars is not None:
            settle(dollars)


def _tokens(size: int) -> int:
    return -(-size // _BYTES_PER_TOKEN)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
