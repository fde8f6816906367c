"""What happens when a person makes or revokes a token on the page. Plain functions; no Gradio."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assistant.errors import NotAllowed, NotedError
from assistant.limits import UNLIMITED
from assistant.text import checked
from assistant.tokens import LONGEST_LABEL
from ui.handlers import id_in, text_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from assistant.ports import Allowance
    from assistant.tokens import Tokens
    from assistant.types import Scope

MOST = 20
"""Tokens that a person may have, as far as the page makes them."""

TokenList = dict[str, Any]


def nobody(_scope: Scope) -> bool:
    """Whether a person may make tokens, where nobody may."""
    return False


class TokenHandlers:
    """One method per event of the panel. Each returns what it then shows; a secret only right after it was made.

    Args:
        tokens: where they are kept.
        may_make: whether a person may make any. To list and to revoke is always allowed.
        allowance: how much each person may save.
    """

    def __init__(self, tokens: Tokens, may_make: Callable[[Scope], bool], allowance: Allowance = UNLIMITED) -> None:
        self._tokens = tokens
        self._may_make = may_make
        self._allowance = allowance

    def look(self, _data: object, scope: Scope) -> TokenList:
        """The person's tokens, newest first."""
        try:
            kept = self._tokens.tokens(scope)
        except NotedError as error:
            return {"refused": str(error)}
        views = [{"id": token.id, "label": token.label, "when": token.created.isoformat()} for token in reversed(kept)]
        return {"may_make": self._may_make(scope), "tokens": views}

    def make(self, data: object, scope: Scope) -> TokenList:
        """Make a token for what the person says it is for (`label`); the listing then holds its `secret`."""
        try:
            if not self._may_make(scope):
                raise NotAllowed
            label = checked(text_in(data, "label"), LONGEST_LABEL)
            if len(self._tokens.tokens(scope)) >= MOST:
                raise NotAllowed(f"You have {MOST} tokens. Please revoke one that you no longer use.")
            self._allowance.save(scope)
            _, secret = self._tokens.make(scope, label)
        except NotedError as error:
            return {"refused": str(error)}
        return self.look(data, scope) | {"done": "token_made", "secret": secret}

    def revoke(self, data: object, scope: Scope) -> TokenList:
        """Let a token (`token`) speak for the person no more."""
        try:
            self._tokens.revoke(id_in(data, "token"), scope)
        except NotedError as error:
            return {"refused": str(error)}
        return self.look(data, scope) | {"done": "token_revoked"}
