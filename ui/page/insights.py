"""The Insights page: how well it goes, in numbers, as plain data; the scripts draw them."""

from dataclasses import asdict

from assistant.errors import NotCurator, NotedError
from assistant.papers.selection.drafts import SCORERS
from assistant.papers.selection.taking import Preferences
from assistant.reports.insights import PARTS, Overview, Stretch, Tally, Worked
from assistant.types import Scope
from ui.actions import answering
from ui.actions.call import Call
from ui.actions.conversations import insights
from ui.page.panel import Handlers, Panel, View, fields_of, performing, refusing


class InsightsHandlers(Handlers):
    """Answer the events of the Insights page."""

    def panel(self) -> Panel:
        props = {"keep_days": self._services.keep_turns_days}
        return Panel("insights", events=(self.look, self.reset_preferences), props=props)

    @refusing
    def look(self, data: object, scope: Scope) -> View:
        """Return the user's own numbers; for a curator who asks (`of` is `everyone`), those over all users."""
        call = self._call(scope)
        try:
            is_curator = bool(call.curator)
        except NotCurator:
            is_curator = False
        of_everyone = is_curator and fields_of(data).get("of") == "everyone"
        overview = insights(call, of_everyone)
        return {
            "curator": is_curator,
            "of": "everyone" if of_everyone else "own",
            "preferences": None if of_everyone else _preferred(call),
            "worked": [row for one in overview.worked if (row := _worked(one, call))],
            **overview_view(overview),
        }

    reset_preferences = performing(answering.reset_preferences)


def _preferred(call: Call) -> View | None:
    """Return how often the user took another draft, and the weights since; `by` is the name of a text."""
    preferences = Preferences(call.memory)
    weights = preferences.weights(call.scope)
    told = [{"by": f"drafts_by_{name}", "weight": weights[name]} for name in SCORERS if name in weights]
    return {"count": preferences.kept(call.scope).total, "weights": told} if told else None


def _worked(one: Worked, call: Call) -> View | None:
    """Return the events and the text of an entry; None where it cannot be read any more."""
    try:
        entry = call.memory.entry(one.entry_id, call.scope)
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
