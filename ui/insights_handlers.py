"""What happens when a person looks at the Insights page: numbers as plain data. Plain functions; no Gradio."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from assistant.errors import NotCurator, NotedError
from assistant.insights import BINS, PARTS, Overview, Step, Stretch, Taken, Tally

if TYPE_CHECKING:
    from assistant.insights import Worked
    from assistant.ports import Insights, Memory, Sharing
    from assistant.sharing import Curator
    from assistant.types import Scope

View = dict[str, Any]


class InsightsHandlers:
    """Answers the one event of the Insights page.

    Args:
        insights: the numbers.
        memory: the entries, for what the person's own say.
        sharing: says who is a curator.
    """

    def __init__(self, insights: Insights, memory: Memory, sharing: Sharing) -> None:
        self._insights = insights
        self._memory = memory
        self._sharing = sharing

    def look(self, data: object, scope: Scope) -> View:
        """The person's own numbers; a curator who asks for them (`of` is `everyone`) gets everybody's together."""
        wants_all = isinstance(data, dict) and data.get("of") == "everyone"
        try:
            curator = self._curator(scope)
            overview = self._insights.whole(curator) if curator and wants_all else self._insights.own(scope)
        except NotedError as error:
            return {"refused": str(error)}
        of = "everyone" if curator and wants_all else "own"
        worked = [row for one in overview.worked if (row := self._worked(one, scope))]
        return {"curator": curator is not None, "of": of, "worked": worked, **overview_view(overview)}

    def _curator(self, scope: Scope) -> Curator | None:
        try:
            return self._sharing.curator(scope)
        except NotCurator:
            return None

    def _worked(self, one: Worked, scope: Scope) -> View | None:
        """What came of an entry, and what it says; nothing of one that cannot be read any more."""
        with suppress(NotedError):
            entry = self._memory.entry(one.entry_id, scope)
            return {
                "text": entry.text or entry.understanding,
                "used": one.used,
                "helped": one.helped,
                "hurt": one.hurt,
            }
        return None


def overview_view(overview: Overview) -> View:
    """All numbers of an overview as plain data; it holds no text of anybody."""
    times = overview.times
    return {
        "questions": overview.all.questions,
        "people": overview.people,
        "stretches": [_stretch(stretch) for stretch in overview.stretches],
        "steps": [_step(step) for step in overview.steps],
        "used": overview.used,
        "helped": overview.helped,
        "hurt": overview.hurt,
        "remembered": overview.remembered,
        "never_used": overview.never_used,
        "growth": [
            {"until": grown.until, "clarifications": grown.clarifications, "examples": grown.examples}
            for grown in overview.growth
        ],
        "times": {
            "answers": times.answers,
            "median": times.median,
            "slowest": times.slowest,
            "parts": [{"name": f"part_{name}", "ms": times.parts.get(name, 0.0)} for name in PARTS],
        },
        "taken": [_taken(taken) for taken in overview.taken],
        "spent": [{"day": spent.day, "dollars": spent.dollars} for spent in overview.spent],
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


def _step(step: Step) -> View:
    width = 100 // BINS
    return {
        "from": step.number * width,
        "to": (step.number + 1) * width,
        "used": step.used,
        "helped": step.helped,
        "hurt": step.hurt,
        "kept": step.kept,
    }


def _taken(taken: Taken) -> View:
    return {
        "began": taken.began.isoformat(),
        "ended": taken.ended.isoformat(),
        "answers": taken.answers,
        "told": taken.told,
        "prompt": taken.prompt,
        "reply": taken.reply,
        "priced": taken.priced,
        "dollars": taken.dollars,
        "each": taken.each,
    }
