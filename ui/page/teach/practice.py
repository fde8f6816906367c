"""Practice, a card of the tab Teach: the model answers the user's questions, and its lessons are kept or not.

Each request sends the same text and practises some more of it, so that the page shows progress and can stop. Results
are found by their turns; the text is not stored.
"""

from dataclasses import replace
from typing import Any

from assistant.papers.expnote.practice import Exercises, Practice, TriedCase, curve, find_disagreeing
from assistant.types import Entry, Scope
from ui.actions.arguments import LONGEST_TEXT
from ui.actions.call import Call
from ui.actions.learning import exercises_of, forget_practice
from ui.page.panel import (
    Handlers,
    Panel,
    View,
    convert_refusals,
    decode_file,
    is_never_left,
    parse_header,
    parse_number,
    parse_text,
    perform,
    run_for_seconds,
)
from ui.server.bounds.work import IsLeft

_MOST_DISAGREEING = 10  # cases shown


class PracticeHandlers(Handlers):
    """Event handlers. A practice is named by its first question."""

    def panel(self) -> Panel:
        calling, props = (self.practise, self.test), {"longest": LONGEST_TEXT}
        return Panel("practice", events=(self.forget, self.keep, decode_file), calling=calling, props=props)

    @convert_refusals
    def practise(self, data: object, scope: Scope, page: str, is_left: IsLeft = is_never_left) -> View:
        """Practise more cases of a `text`; return results and lessons."""
        practice, exercises, name = _practice(self._call(scope, page), data, is_left)
        cases = practice.cases(name, exercises.cases, scope)
        tried, ended = run_for_seconds(cases, lambda one: one.fresh, lambda one: one.error)
        if tried and tried[-1].error:
            ended = {"why": tried.pop().error}
        against = find_disagreeing(tried)
        return ended | {
            "cases": len(exercises.cases),
            "held_out": len(exercises.held_out),
            "practised": len(tried),
            "right": sum(one.right for one in tried),
            "curve": curve(tried),
            "disagreeing": len(against),
            "against": [_against(one) for one in against[:_MOST_DISAGREEING]],
            "lessons": [_lesson(entry) for entry in practice.lessons(name, scope)],
        }

    @convert_refusals
    def test(self, data: object, scope: Scope, page: str, is_left: IsLeft = is_never_left) -> View:
        """Test more held-out questions after the first `done`; return their results, up to one that failed."""
        practice, exercises, name = _practice(self._call(scope, page), data, is_left)
        done = parse_number(data, "done", LONGEST_TEXT, 0)
        held_out = practice.tests(name, exercises.held_out[done:], scope)
        tests, ended = run_for_seconds(held_out, lambda one: one.fresh, lambda one: one.error)
        if tests and tests[-1].error:
            ended = {"why": tests[-1].error}
        return ended | {"tests": [_test(one) for one in tests]}

    @convert_refusals
    def keep(self, data: object, scope: Scope) -> View:
        """Use the lessons from now on."""
        practice, _, name = _practice(self._call(scope), data)
        return {"kept": practice.keep(name, scope)}

    @convert_refusals
    def forget(self, data: object, scope: Scope) -> View:
        """Discard the lessons."""
        return {"forgotten": perform(forget_practice, self._call(scope), data)}


def _practice(call: Call, data: object, is_left: IsLeft = is_never_left) -> tuple[Practice, Exercises, str]:
    """Return the practice with the page's model, the exercises of a `text`, and the practice's name."""
    practice = replace(call.services.practice.with_parts(call.parts), is_stopped=is_left)
    return practice, *exercises_of(call, parse_text(data, "text"), parse_header(data))


def _lesson(lesson: Entry) -> dict[str, Any]:
    counts = {"used": lesson.used, "right": lesson.helped, "declined": lesson.declined}
    return {"id": lesson.id, "rule": lesson.shown, "rests": lesson.resting, **counts}


def _against(tried: TriedCase) -> dict[str, str]:
    return {"question": tried.exercise.question, "answer": tried.exercise.answer, "learnt": tried.said}


def _test(test: TriedCase) -> dict[str, Any]:
    return {"before": test.before, "after": test.right, "used": list(test.used)}
