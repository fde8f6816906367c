"""Practice, a card of the tab Teach: the model answers the user's questions, and its lessons are kept or not.

Results are found by their turns, so that the same text goes on after a stop; the text is not stored.
"""

from collections.abc import AsyncGenerator, Callable, Iterator
from typing import Any

from assistant.papers.expnote.practice import Practised, TriedCase, curve, find_disagreeing
from assistant.types import Entry, Scope
from ui.actions.arguments import LONGEST_TEXT
from ui.actions.call import Call
from ui.actions.teaching import exercises_of, forget_practice, practice_of
from ui.page.panel import (
    Handlers,
    Panel,
    View,
    convert_refusals,
    decode_file,
    parse_header,
    parse_number,
    parse_text,
    perform,
)

_MOST_DISAGREEING = 10  # cases shown


class PracticeHandlers(Handlers):
    """Event handlers. A practice is named by its first question."""

    def panel(self) -> Panel:
        events, props = (self.forget, self.keep, decode_file), {"longest": LONGEST_TEXT}
        return Panel("practice", events=events, streams=(self.practise,), props=props)

    def practise(self, data: object, scope: Scope, page: str) -> AsyncGenerator[View, None]:
        """Practise a `text`: stream results and lessons, without the tests of the first `tested` held-out questions."""

        def begin(call: Call) -> tuple[Iterator[Practised], Callable[[Practised], View]]:
            exercises, name = exercises_of(call, parse_text(data, "text"), parse_header(data))
            practice, tested = practice_of(call), parse_number(data, "tested", LONGEST_TEXT, 0)
            numbers = {"cases": len(exercises.cases), "held_out": len(exercises.held_out)}

            def view(so_far: Practised) -> View:
                lessons = [_lesson(entry) for entry in practice.lessons(name, scope)]
                return _view(so_far) | numbers | {"lessons": lessons}

            return practice.run(name, exercises, scope, tested), view

        return self._stream(scope, page, begin)

    @convert_refusals
    def keep(self, data: object, scope: Scope) -> View:
        """Use the lessons from now on."""
        call = self._call(scope)
        _, name = exercises_of(call, parse_text(data, "text"), parse_header(data))
        return {"kept": call.services.practice.keep(name, scope)}

    @convert_refusals
    def forget(self, data: object, scope: Scope) -> View:
        """Discard the lessons."""
        return {"forgotten": perform(forget_practice, self._call(scope), data)}


def _view(so_far: Practised) -> View:
    against = find_disagreeing(so_far.cases)
    return {
        "practised": len(so_far.cases),
        "right": sum(one.right for one in so_far.cases),
        "curve": curve(so_far.cases),
        "disagreeing": len(against),
        "against": [_against(one) for one in against[:_MOST_DISAGREEING]],
        "tests": [{"before": one.before, "after": one.right, "used": list(one.used)} for one in so_far.tests],
    }


def _lesson(lesson: Entry) -> dict[str, Any]:
    counts = {"used": lesson.used, "right": lesson.helped, "declined": lesson.declined}
    return {"id": lesson.id, "rule": lesson.shown, "rests": lesson.resting, **counts}


def _against(tried: TriedCase) -> dict[str, str]:
    return {"question": tried.exercise.question, "answer": tried.exercise.answer, "learnt": tried.said}
