"""Drafted lessons: the part of the card of the answer that one is of, and those that wait, on the Memory page."""

from typing import Any

from assistant.kinds import Lesson
from assistant.proposals import Proposal
from assistant.types import Scope
from ui.actions import facts
from ui.page.panel import Handlers, Panel, View, performing, refusing


def draft_view(draft: Proposal[Lesson]) -> dict[str, Any]:
    """Return a draft as the page draws it."""
    return {"rule": draft.said.rule, "state": draft.state.value}


class DraftHandlers(Handlers):
    """One method per event. Each returns `{"drafts": [{"turn", "question", "rule", "state"}]}`, the newest first."""

    def panel(self) -> Panel:
        return Panel("drafts", events=(self.look, self.decide))

    @refusing
    def look(self, _data: object, scope: Scope) -> View:
        """Those that wait."""
        waiting = self._services.lessons.waiting(scope)
        return {"drafts": [{"turn": turn.id, "question": turn.question, **draft_view(one)} for turn, one in waiting]}

    decide = performing(facts.decide)
