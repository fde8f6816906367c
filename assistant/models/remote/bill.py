"""What a call to a model costs: estimated before, and known, or at least estimated better, after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from assistant.models.pieces import Piece
    from assistant.types import Message

# English has four bytes to a token; other scripts have more to a letter, and fewer letters to a token.
_BYTES_PER_TOKEN = 3
# Longer than most replies; what a longer one costs is counted after it.
_USUAL_REPLY_TOKENS = 1_000


class Tokens(NamedTuple):
    """Lengths of a prompt and of its reply, in tokens."""

    prompt: int
    reply: int


@dataclass(slots=True)
class Bill:
    """One call.

    Attributes:
        prompt_bytes: length of the prompt.
        reply_bytes: length of what has come of the reply, reasoning included.
        told: the lengths that the model's server told, where it did.
    """

    prompt_bytes: int
    reply_bytes: int = 0
    told: Tokens | None = None

    @classmethod
    def of(cls, messages: Sequence[Message]) -> Bill:
        """A call that has not been made yet."""
        return cls(sum(_size(message.content) for message in messages))

    def expected(self) -> Tokens:
        """Before the call."""
        return Tokens(self._tokens(self.prompt_bytes), _USUAL_REPLY_TOKENS)

    def used(self) -> Tokens:
        """After the call, also one that was broken off before the server told."""
        return self.told or Tokens(self._tokens(self.prompt_bytes), self._tokens(self.reply_bytes))

    def take(self, piece: Piece) -> None:
        """Count a piece of the reply, and note what the server says of it all, if it says anything."""
        self.reply_bytes += _size(piece.text) + _size(piece.reasoning)
        self.told = piece.used or self.told

    @property
    def begun(self) -> bool:
        """Whether anything has come; else nobody knows that the prompt was read."""
        return self.reply_bytes > 0 or self.told is not None

    @staticmethod
    def _tokens(size: int) -> int:
        return -(-size // _BYTES_PER_TOKEN)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
