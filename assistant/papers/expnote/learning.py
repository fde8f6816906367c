"""A lesson from a case, as the embedded model draws it: the operation or relation that explains the right answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.kinds import LESSON, Lesson
from assistant.models.embedded.lessons import LessonBook, Noted, is_same
from assistant.types import Draft, Entry


@dataclass(frozen=True, slots=True)
class Case:
    """A question, its right answer, and what the model answered before it was told that one."""

    question: str
    answer: str
    answered: str
    told: str = ""  # what the person said of that, where they said more than the right answer

    @property
    def was_right(self) -> bool:
        """Whether it answered rightly."""
        return is_same(self.answer, self.answered)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A lesson that was drawn, and the one that the case speaks against, whose place it is to take."""

    lesson: Lesson
    refuted: Entry | None = None

    def draft(self, model: str, turn: str = "") -> Draft:
        """The entry that it amounts to; `turn` is the id of the turn that the case is of."""
        body, key = self.lesson, LESSON.idempotency_key(turn or self.lesson.key, self.lesson)
        supersedes = self.refuted.id if self.refuted else None
        return Draft(LESSON, body.key, body, key, turn=turn, model=model, supersedes=supersedes)


def lesson_from(case: Case, lessons: Sequence[Entry], book: LessonBook) -> Drawn | None:
    """What a case teaches (ExpNote, section 3.1: THINK, then NOTE[key]: rule), or None where it teaches nothing new.

    Args:
        case: from a right or a wrong answer.
        lessons: active entries of the kind `LESSON` that are known so far, with what was counted for and against each,
            this case included: the one that an answer followed from gives way only where it hurt more than it helped.
        book: the families of rules that it may be.
    """
    known = noted(lessons)
    if case.was_right and book.solve(case.question, known) is None:
        return None  # what it can do without lessons, it needs none for
    if (found := book.explain(case.question, case.answer, known)) is None:
        return None
    lesson, place = found
    refuted = None if place is None else lessons[place]
    wrong = refuted.shown if refuted else ""
    return Drawn(
        Lesson(key=lesson.key, rule=lesson.rule, from_right=case.was_right, wrong_understanding=wrong), refuted
    )


def noted(lessons: Sequence[Entry]) -> list[Noted]:
    """Entries as the embedded model takes lessons, in their order."""
    return [Noted(entry.question, entry.shown, entry.helped - entry.hurt) for entry in lessons]
