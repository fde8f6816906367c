"""The Insights page: how well it goes, in numbers, as plain data; the scripts draw them. No Gradio."""

from dataclasses import asdict

from assistant.errors import NotCurator, NotedError
from assistant.papers.selection.drafts import SCORERS
from assistant.papers.selection.taking import Preferences
from assistant.ports import Insights, Memory, Sharing
from assistant.reports.insights import PARTS, Overview, Stretch, Tally, Worked
from assistant.types import Scope
from ui.page.panel import Panel, View, fields_of, refusing

_SCRIPTS = ("connection.js", "sending.js", "plots.js", "sections.js", "script.js")


class InsightsHandlers:
    """Answer the events of the Insights page; it counts conversations, which are stored for `keep_days`."""

    def __init__(self, insights: Insights, memory: Memory, sharing: Sharing, keep_days: int = 0) -> None:
        self._insights = insights
        self._memory = memory
        self._preferences = Preferences(memory)
        self._sharing = sharing
        self._keep_days = keep_days

    def panel(self) -> Panel:
        return Panel("insights", _SCRIPTS, (self.look, self.reset), props={"keep_days": self._keep_days})

    @refusing
    def look(self, data: object, scope: Scope) -> View:
        """Return the user's own numbers; for a curator who asks (`of` is `everyone`), those over all users."""
        try:
            curator = self._sharing.curator(scope)
        except NotCurator:
            curator = None
        of_everyone = curator if fields_of(data).get("of") == "everyone" else None
        overview = self._insights(of_everyone or scope)
        return {
            "curator": curator is not None,
            "of": "everyone" if of_everyone else "own",
            "preferences": None if of_everyone else self._preferred(scope),
            "worked": [row for one in overview.worked if (row := self._worked(one, scope))],
            **overview_view(overview),
        }

    @refusing
    def reset(self, data: object, scope: Scope) -> View:
        """Weight all scorers of drafts alike again for this user."""
        self._preferences.reset(scope)
        return self.look(data, scope)

    def _preferred(self, scope: Scope) -> View | None:
        """Return how often the user took another draft, and the weights since; `by` is the name of a text."""
        weights = self._preferences.weights(scope)
        told = [{"by": f"drafts_by_{name}", "weight": weights[name]} for name in SCORERS if name in weights]
        return {"count": self._preferences.kept(scope).total, "weights": told} if told else None

    def _worked(self, one: Worked, scope: Scope) -> View | None:
        """Return the events and the text of an entry; None where it cannot be read any more."""
        try:
            entry = self._memory.entry(one.entry_id, scope)
        except NotedError:
            return None
        return {"text": entry.sentence, "used": one.used, "helped": one.helped, "hurt": one.hurt}


def overview_view(overview: Overview) -> View:
    """Return the numbers of an overview as plain data, without any text of anybody."""
    times = overview.times
    counted = ("people", "saved", "used", "helped", "hurt", "remembered")
    return {name: getattr(overview, name) for name in counted} | {
        "questions": overview.all.questions,
        "stretches": [_stretch(stretch) for stretch in overview.stretches],
        "times": {
            "answers": times.answers,
            "median": times.median,
            "slowest": times.slowest,
            "parts": [{"name": f"part_{name}", "ms": times.parts.get(name, 0.0)} for name in PARTS],
        },
        "taken": asdict(overview.taken) | {"each": overview.taken.each},
        "spent": [asdict(spent) for spent in overview.spent],
    }


def _stretch(stretch: Stretch) -> View:
    return {
        "began": stretch.began.isoformat(),
        "ended": stretch.ended.isoformat(),
        "all": _tally(stretch.all),
        "with_memory": _tally(stretch.with_memory),
        "without": _tally(stretch.without),
    }


def _tally(tally: Tally) -> View:
    return {"questions": tally.questions, "corrected": tally.corrected, "rate": tally.per_twenty}
