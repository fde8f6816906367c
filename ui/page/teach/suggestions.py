"""Suggestions of models that wait for the user's decision, in one list beside the tab Teach."""

from typing import Any

from assistant.kinds import Lesson
from assistant.proposals import Proposal
from assistant.types import Scope, Turn
from ui.actions import teaching
from ui.page.panel import Handlers, Panel, View, convert_refusals, operation_handler


def draft_view(draft: Proposal[Lesson]) -> dict[str, Any]:
    """Return a drafted lesson for the card of its answer."""
    return {"rule": draft.said.rule, "state": draft.state.value}


class SuggestionHandlers(Handlers):
    """Event handlers. Each returns `{"suggestions": [{"turn", "of", "number", "question", "line"}]}`.

    `line` is the text of a lesson, or the three parts of a fact; `of` is as in `decide`.
    """

    def panel(self) -> Panel:
        return Panel("suggestions", events=(self.look, self.decide))

    @convert_refusals
    def look(self, _data: object, scope: Scope) -> View:
        """Return waiting suggestions: lessons, then facts, newest first."""
        services = self._services
        lessons = [_view(turn, "lesson", one.number, [one.said.rule]) for turn, one in services.lessons.waiting(scope)]
        triples = [
            _view(turn, "fact", one.number, [*one.said.model_dump().values()])
            for turn, one in services.triples.waiting(scope)
        ]
        return {"suggestions": [*lessons, *triples]}

    decide = operation_handler(teaching.decide)


def _view(turn: Turn, of: str, number: int, line: list[str]) -> View:
    return {"turn": turn.id, "of": of, "number": number, "question": turn.question, "line": line}
