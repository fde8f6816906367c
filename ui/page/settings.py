"""The settings of the page: what the user's last answers took, and how long conversations are kept."""

from assistant.types import Scope
from ui.actions.conversations import insights
from ui.page.panel import Handlers, Panel, View, refusing


class SettingsHandlers(Handlers):
    """Answer the events of the dialog."""

    def panel(self) -> Panel:
        return Panel("settings", events=(self.look,), props={"keep_days": self._services.keep_turns_days})

    @refusing
    def look(self, _data: object, scope: Scope) -> View:
        """Return times in milliseconds, mean tokens, and dollars; 0 or None where they are not known."""
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
