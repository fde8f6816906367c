"""Tokens: secrets with which a program speaks for one person, over the API."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from assistant.types import Scope

LONGEST_LABEL = 80


@dataclass(frozen=True, slots=True)
class Token:
    """What is known of a token once it is made.

    Args:
        id: names it, and is no secret.
        person: for whom it speaks.
        label: what it is for, in the words of whoever made it.
        created: when (UTC).
    """

    id: str
    person: str
    label: str
    created: datetime


class Tokens(Protocol):
    """Tokens, kept durably. Nobody can read a secret again."""

    def make(self, scope: Scope, label: str = "") -> tuple[Token, str]:
        """A new token that speaks for the person, and its secret, which is shown this once.

        Raises:
            TooLong: the label.
            StoreError: it is not made.
        """

    def person(self, secret: str) -> str | None:
        """For whom a secret speaks; None where it is none of ours, or was revoked.

        Raises:
            StoreError: it cannot be found out.
        """

    def tokens(self, scope: Scope) -> Sequence[Token]:
        """Those of the person, oldest first."""

    def revoke(self, token_id: str, scope: Scope) -> None:
        """Let a token of the person's speak no more, from this moment on.

        Raises:
            NotFound: the person has no such token.
            StoreError: it is not revoked.
        """
