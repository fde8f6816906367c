"""Trial section of the Memory page: retrieve and gate for a question, without asking the model."""

from typing import Any

from assistant.sharing import KEPT_BACK
from assistant.text.cleaning import clean_text
from assistant.types import Action, Decision, Scope
from ui.actions import memory as entries
from ui.page.conversation.views import said_view
from ui.page.panel import Handlers, Panel, View, convert_refusals, operation_handler, parse_text, perform

# Names of strings for the match, with their least probability.
_MATCHES = ((0.75, "match_high"), (0.4, "match_medium"), (0.0, "match_low"))
_ORDER = (Action.USE, Action.OFFER, Action.SHOW, Action.SKIP)


class TrialHandlers(Handlers):
    """Event handlers of the trial."""

    def panel(self) -> Panel:
        events = (self.preview, self.resume)
        return Panel("trial", events=events, props={"longest": self._services.assistant.limits.question})

    @convert_refusals
    def preview(self, data: object, scope: Scope) -> View:
        """Return the decisions for a `question`: used ones first, then offered, shown and skipped."""
        decisions = perform(entries.preview, self._call(scope), data)
        found = sorted(decisions, key=lambda decision: (_ORDER.index(decision.action), -decision.probability))
        return {"question": clean_text(parse_text(data, "question")), "found": [_view(decision) for decision in found]}

    look = preview
    resume = operation_handler(entries.resume)


def _view(decision: Decision) -> dict[str, Any]:
    """Return a decision as plain data. `match` names a string; examples have none."""
    entry = decision.entry
    match = next(name for least, name in _MATCHES if decision.probability >= least) if entry.kind.is_note else ""
    return {
        "id": entry.id,
        "action": decision.action.value,
        **said_view(entry),
        "example": entry.kind.confirms,
        "shared": entry.shared,
        "match": match,
        "reason": decision.reason,
        "is_kept_back": decision.action is Action.SKIP and decision.reason in KEPT_BACK,
    }
