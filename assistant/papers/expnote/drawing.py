"""The lesson that is drawn from what a person said of an answer: by rule, or by a language model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from assistant.kinds import LESSON
from assistant.models.embedded.lessons import LessonBook
from assistant.papers.expnote.learning import Case, Drawn, lesson_from
from assistant.papers.expnote.noting import Noting
from assistant.papers.expnote.reactions import Reacted
from assistant.ports import Allowance, ChatModel, OwnEntries, Recall
from assistant.prompt.prompt import Prompting
from assistant.reports.listing import EntryFilter
from assistant.teachme.told import is_answer
from assistant.types import Entry, Question, Scope

_MOST_LESSONS = 1_000

Draw = Callable[[Reacted, Scope, Callable[[], bool]], Drawn | None]
"""The lesson that is drawn, or None; the last asks now and then whether it is to stop.

Raises ModelError, TooOften and StoreError.
"""


@dataclass(frozen=True, slots=True)
class DrawByRule:
    """Draws what the embedded model can express, without a call. Only a person's words are an answer to learn from."""

    memory: OwnEntries
    book: LessonBook

    def __call__(self, found: Reacted, scope: Scope, is_stopped: Callable[[], bool]) -> Drawn | None:  # noqa: ARG002
        answer = self._answer(found)
        if not answer:
            return None
        page = self.memory.find(scope, EntryFilter(kind=LESSON.name), _MOST_LESSONS)
        denied = found.before.used if found.told else ()  # the person knows better, whatever they helped with before
        lessons = [
            replace(entry, helped=0, hurt=max(1, entry.hurt)) if entry.id in denied else entry
            for entry in page.entries
            if (not entry.resting and entry.counts_in(found.turn.conversation)) or entry.id in denied
        ]
        return lesson_from(Case(found.turn.question, answer, found.case.answered), lessons, self.book)

    def _answer(self, found: Reacted) -> str:
        """What is known to be right. What it answers without lessons, or by what it was told just now, teaches none."""
        if found.told is None:
            used = (one.entry for one in found.turn.decisions if one.entry.id in found.turn.used)
            return found.case.answer if any(entry.kind is LESSON for entry in used) else ""
        if is_answer(found.told):
            return found.told.shown
        return ""  # what a correction means is in the clarification


@dataclass(frozen=True, slots=True)
class DrawByModel:
    """Has a language model draw it, which counts as an answer that the person asked for."""

    model: ChatModel
    prompting: Prompting
    recall: Recall
    allowance: Allowance

    def __call__(self, found: Reacted, scope: Scope, is_stopped: Callable[[], bool]) -> Drawn | None:
        def recalled(words: str) -> Sequence[Entry]:
            entries = (candidate.entry for candidate in self.recall(Question(words), scope))
            lessons = (entry for entry in entries if entry.kind is LESSON and entry.owner == scope.person)
            return [entry for entry in lessons if entry.counts_in(found.turn.conversation)]

        self.allowance.turn(scope)
        return Noting(self.model, self.prompting, recalled)(found.case, is_stopped)
