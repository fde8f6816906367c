"""What happens when a person tries a question on the Memory page: what of memory it would get. No Gradio, no model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assistant.errors import NotedError
from assistant.text import storable
from assistant.types import Action, Kind
from ui.handlers import text_in

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from assistant.types import Decision, Scope

Trial = dict[str, Any]

# How probable it is, in words: names of texts, each from this probability on.
_WORDS = ((0.97, "sure"), (0.75, "likely"), (0.4, "perhaps"), (0.1, "unlikely"), (0.0, "hardly"))
_ORDER = (Action.USE, Action.OFFER, Action.SHOW, Action.LEAVE)


class TrialHandlers:
    """Answers the one event of the field for trying a question.

    Args:
        consider: a question and whose it is to what would become of each entry that it finds, as in a turn.
    """

    def __init__(self, consider: Callable[[str, Scope], Sequence[Decision]]) -> None:
        self._consider = consider

    def consider(self, data: object, scope: Scope) -> Trial:
        """What the question (`question`) would find: what would be used first, then what is offered, shown and left."""
        try:
            question = text_in(data, "question")
            decisions = self._consider(question, scope)
        except NotedError as error:
            return {"refused": str(error)}
        found = sorted(decisions, key=lambda decision: (_ORDER.index(decision.action), -decision.probability))
        return {"question": storable(question), "found": [_view(decision) for decision in found]}


def _view(decision: Decision) -> dict[str, Any]:
    """A decision as plain data. `sure` is the name of a text; an example is near or not, so it has none."""
    entry = decision.entry
    is_example = entry.kind is Kind.EXAMPLE
    sure = "" if is_example else next(name for least, name in _WORDS if decision.probability >= least)
    return {
        "id": entry.id,
        "action": decision.action.value,
        "text": entry.text or entry.understanding,
        "question": entry.question,
        "example": is_example,
        "shared": entry.shared,
        "sure": f"trial_{sure}" if sure else "",
        "percent": round(decision.probability * 100),
        "reason": decision.reason,
    }
