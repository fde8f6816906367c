"""A section of the Memory page: drafted lessons of which nothing was said yet. No Gradio."""

from assistant.kinds import Lesson
from assistant.proposals import Proposals
from assistant.types import Scope
from ui.page.lessons.lessons import draft_view
from ui.page.panel import Panel, View, fields_of, id_in, refusing
from ui.page.proposals import decide

_SCRIPTS = ("connection.js", "sending.js", "proposals.js", "script.js")


class DraftHandlers:
    """One method per event. Each returns `{"drafts": [{"turn", "question", "rule", "state"}]}`, the newest first."""

    def __init__(self, lessons: Proposals[Lesson]) -> None:
        self._lessons = lessons

    def panel(self) -> Panel:
        return Panel("drafts", _SCRIPTS, (self.look, self.decide), folder="lessons")

    @refusing
    def look(self, _data: object, scope: Scope) -> View:
        """Those that wait."""
        waiting = self._lessons.waiting(scope)
        return {"drafts": [{"turn": turn.id, "question": turn.question, **draft_view(one)} for turn, one in waiting]}

    @refusing
    def decide(self, data: object, scope: Scope) -> View:
        """Do with the draft of a turn (`turn`) what is `told`, as in its card."""
        decide(self._lessons, id_in(data, "turn"), fields_of(data).get("told"), scope)
        return self.look(data, scope) | {"decided": True}
