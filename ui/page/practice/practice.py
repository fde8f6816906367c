"""A section of the Memory page: the model practises on questions of one's own, and what it noted is kept or not.

The page sends the same text again and again, and each time a little more of it is practised, so that it shows how far
it is and can stop at any moment. What was practised is known by its turns; nothing else of a text stays here.
"""

from dataclasses import replace
from typing import Any

from assistant.errors import InputError
from assistant.limits import DEFAULT_LIMITS, Limits
from assistant.papers.expnote.practice import Exercises, Practice, Tried, curve, disagreeing, read_exercises
from assistant.text.cleaning import checked
from assistant.types import Entry, Scope
from ui.page.panel import (
    OwnParts,
    Panel,
    View,
    decode_file,
    for_a_while,
    header_in,
    nobody_left,
    number_in,
    refusing,
    text_in,
)
from ui.server.bounds.work import IsLeft

_LONGEST_TEXT = 60_000  # characters; a request may not be longer
_MOST_DISAGREEING = 10  # cases that are told
_SCRIPTS = ("connection.js", "sending.js", "files.js", "reader.js", "script.js", "result.js")


class PracticeHandlers:
    """One method per event. A practice is called by its first question."""

    def __init__(self, practice: Practice, own: OwnParts, limits: Limits = DEFAULT_LIMITS) -> None:
        self._practice = practice
        self._own = own
        self._limits = limits

    def panel(self) -> Panel:
        calling, props = (self.practise, self.test), {"longest": _LONGEST_TEXT}
        return Panel("practice", _SCRIPTS, events=(self.forget, self.keep, decode_file), calling=calling, props=props)

    @refusing
    def practise(self, data: object, scope: Scope, page: str, is_left: IsLeft = nobody_left) -> View:
        """Go on with the cases of a `text`; how they went, and what was noted."""
        exercises, name = self._read(data)
        practice = self._of(scope, page, is_left)
        cases = practice.cases(name, exercises.cases, scope)
        tried, ended = for_a_while(cases, lambda one: one.fresh, lambda one: one.error)
        if tried and tried[-1].error:
            ended = {"why": tried.pop().error}
        against = disagreeing(tried)
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

    @refusing
    def test(self, data: object, scope: Scope, page: str, is_left: IsLeft = nobody_left) -> View:
        """Ask those that were held out, of which so many are `done`: what became of each, up to one that failed."""
        exercises, name = self._read(data)
        practice, done = self._of(scope, page, is_left), _done(data)
        held_out = practice.tests(name, exercises.held_out[done:], scope)
        tests, ended = for_a_while(held_out, lambda one: one.fresh, lambda one: one.error)
        if tests and tests[-1].error:
            ended = {"why": tests[-1].error}
        return ended | {"tests": [_test(one) for one in tests], "from": done}

    @refusing
    def keep(self, data: object, scope: Scope) -> View:
        """Use what was noted from now on."""
        return {"kept": self._practice.keep(self._read(data)[1], scope)}

    @refusing
    def forget(self, data: object, scope: Scope) -> View:
        """Throw away what was noted."""
        return {"forgotten": self._practice.forget(self._read(data)[1], scope)}

    def _of(self, scope: Scope, page: str, is_left: IsLeft) -> Practice:
        return replace(self._practice.with_parts(self._own(scope, page)), is_stopped=is_left)

    def _read(self, data: object) -> tuple[Exercises, str]:
        text = checked(text_in(data, "text"), _LONGEST_TEXT)
        exercises = read_exercises(text, self._limits, header_in(data))
        if not exercises.cases:
            raise InputError("practice.none")
        return exercises, exercises.cases[0].question


def _done(data: object) -> int:
    return number_in(data, "done", _LONGEST_TEXT, 0)


def _lesson(lesson: Entry) -> dict[str, Any]:
    counts = {"used": lesson.used, "right": lesson.helped, "declined": lesson.declined}
    return {"id": lesson.id, "rule": lesson.shown, "rests": lesson.resting, **counts}


def _against(tried: Tried) -> dict[str, str]:
    return {"question": tried.exercise.question, "answer": tried.exercise.answer, "learnt": tried.said}


def _test(test: Tried) -> dict[str, Any]:
    return {"before": test.before, "after": test.right, "used": list(test.used)}
