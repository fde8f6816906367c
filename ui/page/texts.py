"""Cards of the tab Teach that work on a text of the user: read its facts, write study questions, practise.

No text is stored. Results of a practice are found by their turns, so that the same text goes on after a stop.
"""

from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import Annotated, ClassVar

from pydantic import Field
from typing_extensions import TypedDict

from assistant.errors import InputError
from assistant.kinds import MOST_TRIPLES, Triple
from assistant.papers.expnote.practice import Exercises, Practised
from assistant.papers.selection.study import SAMPLES, Passage, Study
from assistant.sentences import Sentence
from assistant.settings import MOST_DRAFTS
from assistant.text.cleaning import check_text
from assistant.types import Entry, Scope
from ui.actions.arguments import LONGEST_TEXT
from ui.actions.call import Call
from ui.actions.operation import operation
from ui.actions.teaching import (
    exercises_of,
    forget_practice,
    learn,
    passages_of,
    practice_of,
    save_facts,
    write_questions,
)
from ui.page.handlers import Handlers, Kind, View, decode_file, event, parse_fields, parse_number, parse_text, perform

_LONGEST = 1_000  # characters per sentence
_MOST_TOLD = 3  # reasons shown
_MOST_KEPT = 500  # facts per request
_MOST_DISAGREEING = 10  # cases shown


class _Told(TypedDict):
    """A sentence with the lines of its triples."""

    text: str
    triples: list[str]


@operation()
def keep_facts(
    call: Call, facts: Annotated[list[_Told], Field(min_length=1, max_length=_MOST_KEPT)]
) -> tuple[int, Sequence[Sentence]]:
    """Save facts of a text; return how many lines were saved, and why others were not."""
    return save_facts(call, [(check_text(one["text"], _LONGEST), _triples(one["triples"])) for one in facts])


def _triples(lines: Sequence[str]) -> list[Triple]:
    if len(lines) > MOST_TRIPLES:
        raise InputError("import.items", field="triples", count=MOST_TRIPLES)
    triples = [triple for line in lines if (triple := Triple.read(line))]
    if not lines or len(triples) != len(lines):
        raise InputError("triple.malformed")
    return triples


class LearnHandlers(Handlers):
    """Reading a text: read facts sentence by sentence, and save the selected ones."""

    element = "learn"
    constants: ClassVar = {"longest": LONGEST_TEXT}

    @event(Kind.STREAM)
    def read(self, data: object, scope: Scope, page: str) -> AsyncGenerator[View, None]:
        """Stream the facts read in a `text`, and how many sentences are done."""

        def views(call: Call) -> Iterator[View]:
            shown = 0
            for so_far in perform(learn, call, data):
                read = [{"text": one.sentence, "line": one.line} for one in so_far.read[shown:]]
                shown = len(so_far.read)
                yield {"read": read, "done": so_far.done, "of": so_far.of}

        return self._stream(scope, page, views)

    @event()
    def keep(self, data: object, scope: Scope) -> View:
        """Save `facts`: sentences (`text`) with the lines of their triples (`triples`)."""
        kept, why = perform(keep_facts, self._call(scope), data)
        return {"kept": kept, "why": why[:_MOST_TOLD]}

    decode_file = decode_file


class StudyHandlers(Handlers):
    """Study questions about a text, the best of several each time."""

    element = "study"
    constants: ClassVar = {"longest": LONGEST_TEXT, "most": MOST_DRAFTS, "samples": SAMPLES}

    @event(Kind.CALLING)
    def plan(self, data: object, scope: Scope, page: str) -> View:
        """Count the passages of a `text`, or answers, to ask about, and the maximum number of model calls."""
        study, passages, samples = _passages(self._call(scope, page), data)
        return {"places": len(passages), "calls": study.most_calls(len(passages), samples)}

    @event(Kind.STREAM)
    def make(self, data: object, scope: Scope, page: str) -> AsyncGenerator[View, None]:
        """Stream the questions for the passages from `done` on."""

        def views(call: Call) -> Iterator[View]:
            study, passages, samples = _passages(call, data)
            done, shown = parse_number(data, "done", len(passages), 0), 0
            for so_far in write_questions(call, study, passages[done:], samples):
                yield {"made": [one.model_dump() for one in so_far.questions[shown:]]}
                shown = len(so_far.questions)

        return self._stream(scope, page, views)

    decode_file = decode_file


def _passages(call: Call, data: object) -> tuple[Study, Sequence[Passage], int]:
    """Return the study, the passages to ask about, and how many questions to write for each."""
    text, answers = parse_text(data, "text"), parse_text(data, "answers")
    answers = check_text(answers, LONGEST_TEXT) if answers.strip() else ""
    return *passages_of(call, text, answers.splitlines()), parse_number(data, "samples", MOST_DRAFTS, SAMPLES)


class PracticeHandlers(Handlers):
    """Practice: the model answers the user's questions, and its lessons are kept or not."""

    element = "practice"
    constants: ClassVar = {"longest": LONGEST_TEXT}

    @event(Kind.STREAM)
    def practise(self, data: object, scope: Scope, page: str) -> AsyncGenerator[View, None]:
        """Practise a `text`: stream results and lessons, without the tests of the first `tested` held-out questions."""

        def views(call: Call) -> Iterator[View]:
            exercises, name = _exercises(call, data)
            practice, tested = practice_of(call), parse_number(data, "tested", LONGEST_TEXT, 0)
            for so_far in practice.run(name, exercises, scope, tested):
                yield _practised(so_far, exercises, practice.lessons(name, scope))

        return self._stream(scope, page, views)

    @event()
    def keep(self, data: object, scope: Scope) -> View:
        _, name = _exercises(self._call(scope), data)
        return {"kept": self._services.practice.keep(name, scope)}

    @event()
    def forget(self, data: object, scope: Scope) -> View:
        return {"forgotten": perform(forget_practice, self._call(scope), data)}

    decode_file = decode_file


def _exercises(call: Call, data: object) -> tuple[Exercises, str]:
    """Return the exercises of a text and the name of their practice."""
    header = parse_fields(data).get("header")  # the user's answer whether a table has one
    return exercises_of(call, parse_text(data, "text"), header if isinstance(header, bool) else None)


def _practised(so_far: Practised, exercises: Exercises, lessons: Sequence[Entry]) -> View:
    against = so_far.disagreeing
    return {
        "cases": len(exercises.cases),
        "held_out": len(exercises.held_out),
        "practised": len(so_far.cases),
        "right": sum(one.right for one in so_far.cases),
        "curve": so_far.curve,
        "disagreeing": len(against),
        "against": [
            {"question": one.exercise.question, "answer": one.exercise.answer, "learnt": one.said}
            for one in against[:_MOST_DISAGREEING]
        ],
        "lessons": [
            {
                "id": lesson.id,
                "rule": lesson.shown,
                "rests": lesson.resting,
                "used": lesson.used,
                "right": lesson.helped,
                "declined": lesson.declined,
            }
            for lesson in lessons
        ],
        "tests": [{"before": one.before, "after": one.right, "used": list(one.used)} for one in so_far.tests],
    }
