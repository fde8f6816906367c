"""A section of the Memory page: drafted lessons of which nothing was said yet. No Gradio."""

from typing import Any

from assistant.papers.expnote.drafts import LessonDraft
from assistant.papers.expnote.keeping import Lessons
from assistant.types import Scope, Turn
from ui.page.lessons.lessons import decide, draft_view
from ui.page.panel import Panel, View, fields_of, id_in, refusing

_SCRIPTS = ("connection.js", "sending.js", "drafted.js", "script.js")


class DraftHandlers:
    """One method per event. Each returns `{"drafts": [{"turn", "question", "rule", "state"}]}`, the newest first."""

    def __init__(self, lessons: Lessons) -> None:
        self._lessons = lessons

    def panel(self) -> Panel:
        return Panel("drafts", _SCRIPTS, (self.look, self.decide), folder="lessons")

    @refusing
    def look(self, _data: object, scope: Scope) -> View:
        """Those that wait."""
        return {"drafts": [_view(turn, draft) for turn, draft in self._lessons.open(scope)]}

    @refusing
    def decide(self, data: object, scope: Scope) -> View:
        """Do with the draft of a turn (`turn`) what is `told`, as in its card."""
        decide(self._lessons, id_in(data, "turn"), fields_of(data).get("told"), scope)
        return self.look(data, scope) | {"decided": True}


def _view(turn: Turn, draft: LessonDraft) -> dict[str, Any]:
    return {"turn": turn.id, "question": turn.question, **draft_view(draft)}
