"""A section of the Memory page: drafted lessons of which nothing was said yet. No Gradio."""

from assistant.types import Scope
from ui.actions.facts import decide
from ui.page.lessons.lessons import draft_view
from ui.page.panel import Handlers, Panel, View, fields_of, perform, refusing

_SCRIPTS = ("connection.js", "sending.js", "proposals.js", "script.js")


class DraftHandlers(Handlers):
    """One method per event. Each returns `{"drafts": [{"turn", "question", "rule", "state"}]}`, the newest first."""

    def panel(self) -> Panel:
        return Panel("drafts", _SCRIPTS, (self.look, self.decide), folder="lessons")

    @refusing
    def look(self, _data: object, scope: Scope) -> View:
        """Those that wait."""
        waiting = self._services.lessons.waiting(scope)
        return {"drafts": [{"turn": turn.id, "question": turn.question, **draft_view(one)} for turn, one in waiting]}

    @refusing
    def decide(self, data: object, scope: Scope) -> View:
        """Keep, change or discard the draft of a turn (`turn`), as is `told`, as in its card."""
        fields = fields_of(data)
        perform(decide, self._call(scope), fields.get("told"), of="lesson", turn=fields.get("turn"))
        return self.look(data, scope) | {"decided": True}
