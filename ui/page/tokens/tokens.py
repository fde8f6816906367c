"""A section of the Memory page: the tokens with which programs speak for the person. No Gradio."""

import threading
from collections.abc import Callable

from assistant.errors import NotAllowed
from assistant.limits import UNLIMITED
from assistant.ports import LONGEST_LABEL, Allowance, Tokens
from assistant.text.cleaning import checked
from assistant.types import Scope
from ui.page.panel import Panel, View, id_in, refusing, text_in

MOST = 20
"""Tokens that a person may have, as far as the page makes them."""
_SCRIPTS = ("connection.js", "sending.js", "asking.js", "copying.js", "script.js")


class TokenHandlers:
    """One method per event. Each returns `{"may_make": bool, "tokens": [{"id", "label", "when"}]}`.

    With it, `done` is the name of a text, and `secret` the token that was just made. To list and to revoke is always
    allowed.
    """

    def __init__(self, tokens: Tokens, may_make: Callable[[Scope], bool], allowance: Allowance = UNLIMITED) -> None:
        self._tokens = tokens
        self._may_make = may_make
        self._allowance = allowance
        self._making = threading.Lock()  # however many are asked for at once

    def panel(self) -> Panel:
        return Panel("tokens", _SCRIPTS, (self.look, self.make, self.revoke), props={"longest": LONGEST_LABEL})

    @refusing
    def look(self, _data: object, scope: Scope) -> View:
        """The person's tokens, newest first."""
        kept = self._tokens.tokens(scope)
        views = [{"id": token.id, "label": token.label, "when": token.created.isoformat()} for token in reversed(kept)]
        return {"may_make": self._may_make(scope), "tokens": views}

    @refusing
    def make(self, data: object, scope: Scope) -> View:
        """Make a token for what the person says it is for (`label`)."""
        if not self._may_make(scope):
            raise NotAllowed
        label = checked(text_in(data, "label"), LONGEST_LABEL)
        with self._making:
            if len(self._tokens.tokens(scope)) >= MOST:
                raise NotAllowed("token.too_many", count=MOST)
            self._allowance.save(scope)
            _, secret = self._tokens.make(scope, label)
        return self.look(data, scope) | {"done": "token_made", "secret": secret}

    @refusing
    def revoke(self, data: object, scope: Scope) -> View:
        """Let a token (`token`) speak for the person no more."""
        self._tokens.revoke(id_in(data, "token"), scope)
        return self.look(data, scope) | {"done": "token_revoked"}
