"""Tokens: secrets with which a program speaks for one person, over the API."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from assistant.types import Scope

LONGEST_LABEL = 80


@dataclass(frozen=True, slots=True)
class Token:
    """What is known of a token once it is made."""

    id: str  # names it, and is no secret
    person: str  # for whom it speaks
    label: str  # what it is for, in the words of whoever made it
    created: datetime  # when (UTC)


class Tokens(Protocol):
    """Tokens, kept durably. Nobody can read a secret again. Every method raises StoreError."""

    def make(self, scope: Scope, label: str = "") -> tuple[Token, str]:
        """A new token that speaks for the person, and its secret, which is shown this once. TooLong: the label."""

    def person(self, secret: str) -> str | None:
        """For whom a secret speaks; None where it is none of ours, or was revoked."""

    def tokens(self, scope: Scope) -> Sequence[Token]:
        """Those of the person, oldest first."""

    def revoke(self, token_id: str, scope: Scope) -> None:
        """Let a token of the person's speak no more, from this moment on. Raises NotFound."""
