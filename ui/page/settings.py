"""The settings dialog: token usage and duration of recent answers, and the retention of conversations."""

from assistant.types import Scope
from ui.actions.conversations import insights
from ui.page.panel import Handlers, Panel, View, convert_refusals


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
