"""What users say of answers as the feedback of ExpNote (section 3.1): lessons are weighed by it, and drafted from it.

A draft is made in the background, and nothing waits for it. One that is not made when the process ends is lost.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace

from assistant.background import BackgroundJobs
from assistant.errors import NotedError, NotFound, ReadOnly
from assistant.events import Answered, Confirmed, Happening, LeftOut
from assistant.kinds import LESSON, Lesson
from assistant.language.languages import Languages
from assistant.papers.expnote.drafts import has_draft, with_draft
from assistant.papers.expnote.noting import Case, Drawn, IsStopped, NoteTaker
from assistant.papers.expnote.retrieval import known_lessons
from assistant.papers.teachme.facts import is_answer, retold, told_of
from assistant.ports import Memory, Recall, Turns
from assistant.text.content_rules import check_private
from assistant.types import Entry, Question, ReplyStatus, Scope, Turn, TurnState

_TOO_OFTEN = 2
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Feedback:
    """What the user said of an answer: F of section 3.1."""

    before: Turn  # with the answer that they said something of
    turn: Turn  # with the answer that counts now: the same where they confirmed it, else the one that answers again
    told: Entry | None = None  # what they said; None where they confirmed the answer

    @property
    def case(self) -> Case:
        """What it teaches. Without an answer in the user's words, the one that counts now is taken for right."""
        question, answer, answered = self.turn.question, self.turn.reply.answer, self.before.reply.answer
        if self.told is None:
            return Case(question, answer, answer)
        if is_answer(self.told):
            return Case(question, self.told.shown, answered)
        return Case(question, answer, answered, told=str(self.told.sentence))


def feedback_in(happening: Happening, turns: Turns, scope: Scope) -> Feedback | None:
    """Return what a happening says of an answer: *Yes, that's it*, a correction, *The answer is …*, a disputed reason.

    None where it says nothing, or there is no whole answer now. Raises StoreError.
    """
    found = None
    match happening:
        case Confirmed(Turn(corrected_by=None) as turn):
            found = Feedback(turn, turn)
        case Answered(Turn(answers_again=str() as before) as turn) if (told := told_of(turn)) and not retold(turn):
            with suppress(NotFound):
                answered = turns.turn(before, scope)
                if answered.clarified_with != turn.clarified_with or is_answer(told):  # else it only tries again
                    found = Feedback(answered, turn, told)
    if found is None or found.turn.state is not TurnState.ANSWERED:
        return None
    reply = found.turn.reply
    return found if reply.answer and reply.status is not ReplyStatus.TRUNCATED else None


def weigh(turn: Turn, memory: Memory, scope: Scope, *, was_right: bool) -> None:
    """Count for the lessons that an answer was based on, or against them.

    One that hurt, and did so at least two times more often than it helped, is paused, until the user resumes it.

    Raises StoreError.
    """
    for entry_id in turn.used:
        if memory.entry(entry_id, scope).kind is not LESSON:
            continue
        memory.count(entry_id, "helped" if was_right else "hurt", turn.id, scope)
        counted = memory.entry(entry_id, scope)
        if not was_right and counted.hurt - counted.helped >= _TOO_OFTEN:
            memory.pause(entry_id, scope)


@dataclass(frozen=True, slots=True)
class WeighLessons:
    """Implements `Learn`: weigh the lessons that an answer was based on by what the user says of it.

    It counts against them that one was left out, and that the user corrected the answer or told another one. A reason
    that they dispute says nothing of the answer.
    """

    memory: Memory
    turn_store: Turns

    def __call__(self, happening: Happening, scope: Scope) -> None:
        with suppress(NotFound, ReadOnly):  # what was deleted since has nothing left to learn
            if isinstance(happening, LeftOut):
                turn = replace(happening.turn, used=(happening.entry_id,))
                weigh(turn, self.memory, scope, was_right=False)
            elif found := feedback_in(happening, self.turn_store, scope):
                told = found.told
                if told is None or told.kind.corrects or is_answer(told):
                    was_right = told is None or (is_answer(told) and found.case.was_right)
                    weigh(found.before, self.memory, scope, was_right=was_right)


@dataclass(frozen=True, slots=True)
class DraftLessons:
    """Implements `Learn`: draft one lesson of what the user said of an answer, or none."""

    note_taker: NoteTaker
    memory: Memory
    turn_store: Turns
    recall: Recall
    languages: Languages
    background: BackgroundJobs = field(default_factory=lambda: BackgroundJobs("lessons"))
    _under_way: set[str] = field(default_factory=set)  # ids of turns

    def __call__(self, happening: Happening, scope: Scope) -> None:
        found = feedback_in(happening, self.turn_store, scope)
        if found is None or has_draft(found.turn.reply) or self.is_drafting(found.turn.id):
            return
        self._under_way.add(found.turn.id)
        if not self.background.soon(scope.person, lambda is_stopped: self._draft(found, scope, is_stopped)):
            self._under_way.discard(found.turn.id)

    def is_drafting(self, turn_id: str) -> bool:
        """Return True while a lesson is being drafted of a turn."""
        return turn_id in self._under_way

    def _draft(self, found: Feedback, scope: Scope, is_stopped: IsStopped) -> None:
        # What the user says counts more than an older lesson, however often that helped.
        denied = found.before.used if found.told else ()
        try:
            known = known_lessons(self.memory, scope, found.turn.conversation, denied)
            drawn = self.note_taker.note(found.case, known, scope, is_stopped)
            if drawn and not is_stopped() and self._is_new(drawn.lesson, found, scope):
                self._store(drawn, found, scope)
        except NotedError as error:  # the next thing that is said may teach the same
            _log.info("No lesson was drafted of the turn %s: %s", found.turn.id, error)
        finally:
            self._under_way.discard(found.turn.id)

    def _is_new(self, lesson: Lesson, found: Feedback, scope: Scope) -> bool:
        """Return True if no entry says it yet; a lesson that does counts as confirmed. Raises InputError."""
        for text in (lesson.key, lesson.rule):
            check_private(text)
        rule = self._folded(lesson.rule)
        candidates = self.recall(Question(f"{lesson.key} {lesson.rule}"), scope)
        recalled = (one.entry for one in candidates if one.entry.counts_in(found.turn.conversation))
        near: Iterable[Entry] = (*filter(None, [found.told]), *recalled)
        same = next((entry for entry in near if entry.kind.is_note and self._folded(entry.shown) == rule), None)
        if same and same.kind is LESSON and found.told is None:
            self.memory.count(same.id, "helped", found.turn.id, scope)
        return same is None

    def _store(self, drawn: Drawn, found: Feedback, scope: Scope) -> None:
        """Add the draft to its turn, unless that changed meanwhile, or what the model saw was erased."""
        turn = self.turn_store.turn(found.turn.id, scope)
        seen = (*drawn.lesson.in_view, *found.before.used)
        for entry_id in seen:
            self.memory.entry(entry_id, scope)  # raises NotFound: its words are not to come back
        if turn.reply.says_the_same(found.turn.reply) and not has_draft(turn.reply):
            self.turn_store.record(replace(turn, reply=with_draft(turn.reply, drawn, seen)), scope)

    def _folded(self, text: str) -> list[str]:
        return [word.folded for word in self.languages.words(text)]
