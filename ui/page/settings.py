"""The settings dialog: token usage and duration of recent answers, retention of conversations, and API tokens."""

from collections.abc import Callable

from assistant.errors import NotAllowed
from assistant.ports import LONGEST_LABEL
from assistant.types import Scope
from ui.actions import upkeep
from ui.actions.answering import insights
from ui.page.panel import Handlers, Panel, View, convert_refusals, operation_handler, perform
from ui.server.services import Services


class SettingsHandlers(Handlers):
    """Event handlers of the dialog."""

    def panel(self) -> Panel:
        return Panel("settings", events=(self.look,), props={"keep_days": self._services.keep_turns_days})

    @convert_refusals
    def look(self, _data: object, scope: Scope) -> View:
        """Return times in milliseconds, mean tokens and dollars; 0 or None if unknown."""
        overview = insights(self._call(scope), everyone=False)
        times, taken = overview.times, overview.taken
        return {
            "answers": times.answers,
            "median": times.median,
            "slowest": times.slowest,
            "counted": taken.answers,
            "estimated": taken.answers - taken.told,
            "prompt": taken.prompt,
            "reply": taken.reply,
            "each": taken.each,
            "dollars": taken.dollars,
        }


class TokenHandlers(Handlers):
    """Event handlers. Each returns `{"may_make": bool, "tokens": [{"id", "label", "when"}]}`.

    After an action also `done`, the name of a string, and `secret` of a new token. Listing and revoking need no
    permission.
    """

    def __init__(self, services: Services, may_make: Callable[[Scope], bool]) -> None:
        super().__init__(services)
        self._may_make = may_make

    def panel(self) -> Panel:
        return Panel("tokens", events=(self.look, self.make, self.revoke), props={"longest": LONGEST_LABEL})

    @convert_refusals
    def look(self, _data: object, scope: Scope) -> View:
        """Return the user's tokens, newest first."""
        kept = upkeep.tokens(self._call(scope))
        views = [{"id": one.id, "label": one.label, "when": one.created.isoformat()} for one in kept]
        return {"may_make": self._may_make(scope), "tokens": views}

    @convert_refusals
    def make(self, data: object, scope: Scope) -> View:
        """Make a token with a `label`."""
        if not self._may_make(scope):
            raise NotAllowed
        made = perform(upkeep.token, self._call(scope), data)
        return self.look(data, scope) | {"done": "token_made", "secret": made.secret}

    revoke = operation_handler(upkeep.revoke, "token_revoked")
