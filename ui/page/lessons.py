"""Drafted lessons: the part of the card of the answer that one is of, and those that wait, on the Memory page."""

from collections.abc import Callable
from typing import Any

from assistant.errors import NotedError
from assistant.kinds import Lesson
from assistant.proposals import Proposal, Proposals
from assistant.types import Scope, Turn
from ui.actions import facts
from ui.page.panel import Handlers, Panel, View, performing, refusing
from ui.server.services import CardPart

_SCRIPTS = ("connection.js", "sending.js", "proposals.js", "script.js")


def lessons_part(lessons: Proposals[Lesson], is_drafting: Callable[[str], bool]) -> CardPart:
    """Return the part. While a lesson is being drafted, it says so; the page then looks again."""

    def view(turn: Turn) -> dict[str, Any] | None:
        try:
            drafts = lessons.of(turn, Scope(turn.person))
        except NotedError:  # the answer is shown all the same
            return None
        return draft_view(drafts[0]) if drafts else {"drafting": True} if is_drafting(turn.id) else None

    return CardPart("lessons", view, [facts.decide])


def draft_view(draft: Proposal[Lesson]) -> dict[str, Any]:
    """Return a draft as the page draws it."""
    return {"rule": draft.said.rule, "state": draft.state.value}


class DraftHandlers(Handlers):
    """One method per event. Each returns `{"drafts": [{"turn", "question", "rule", "state"}]}`, the newest first."""

    def panel(self) -> Panel:
        return Panel("drafts", _SCRIPTS, (self.look, self.decide), folder="lessons")

    @refusing
    def look(self, _data: object, scope: Scope) -> View:
        """Those that wait."""
        waiting = self._services.lessons.waiting(scope)
        return {"drafts": [{"turn": turn.id, "question": turn.question, **draft_view(one)} for turn, one in waiting]}

    decide = performing(facts.decide, told=lambda _turn: {"decided": True})
