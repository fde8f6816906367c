"""Lessons from what users say of answers, which is the feedback of ExpNote (section 3.1).

- `feedback_in`: F of section 3.1, a confirmation, a correction or the right answer, with the case that it makes.
- `WeighLessons`: the feedback counts for or against the lessons that the answer was based on.
- `DraftLessons`: NOTE (equation 2) in the background, where nothing waits for it. A draft that is not made when the
  process ends is lost.
- `LessonProposals`: a drafted lesson stands on its turn, and counts for nothing until the user keeps it. One that waits
  and one that is decided are two fields of the reply, so that the waiting ones can be found.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from assistant.background import BackgroundJobs
from assistant.errors import NotedError, NotFound, ReadOnly
from assistant.events import Answered, Confirmed, Excluded, TurnEvent
from assistant.feedback.clarifications import remember_anew
from assistant.kinds import LESSON, Lesson
from assistant.language.languages import Languages
from assistant.papers.expnote.noting import Case, Drawn, IsStopped, NoteTaker, known_lessons
from assistant.papers.teachme.facts import is_answer, retold, told_of
from assistant.ports import Memory, Recall, TurnStore
from assistant.proposals import Proposal, State
from assistant.reports.listing import EntryFilter
from assistant.text.content_rules import check_private
from assistant.types import (
    Entry,
    Question,
    Reply,
    ReplyStatus,
    Scope,
    Status,
    Turn,
    TurnState,
)

_TOO_OFTEN = 2
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Feedback:
    """What the user said of an answer."""

    before: Turn  # with the answer that they said something of
    turn: Turn  # with the answer that counts now: the same where they confirmed it, else the one that answers again
    told: Entry | None  # what they said; None where they confirmed the answer
    case: Case  # without an answer in the user's words, the one that counts now is taken for right


def feedback_in(happening: TurnEvent, turns: TurnStore, scope: Scope) -> Feedback | None:
    """Return what a happening says of an answer: *Yes, that's it*, a correction, *The answer is …*, a disputed reason.

    None where it says nothing, or there is no whole answer now. Raises StoreError.
    """
    told = None
    match happening:
        case Confirmed(Turn(corrected_by=None) as turn):
            before = turn
        case Answered(Turn(answers_again=str() as again) as turn) if (told := told_of(turn)) and not retold(turn):
            try:
                before = turns.turn(again, scope)
            except NotFound:
                return None
            if before.clarified_with == turn.clarified_with and not is_answer(told):  # it only tries again
                return None
        case _:
            return None
    reply = turn.reply
    if turn.state is not TurnState.ANSWERED or not reply.answer or reply.status is ReplyStatus.TRUNCATED:
        return None
    is_told = told is not None and is_answer(told)
    said = "" if told is None or is_told else str(told.sentence)
    right = told.shown if told and is_told else reply.answer
    return Feedback(before, turn, told, Case(turn.question, right, before.reply.answer, said))


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
    """Implements `Listener`: weigh the lessons that an answer was based on by what the user says of it.

    It counts against them that one was left out, and that the user corrected the answer or told another one. A reason
    that they dispute says nothing of the answer.
    """

    memory: Memory
    turn_store: TurnStore

    def __call__(self, happening: TurnEvent, scope: Scope) -> None:
        with suppress(NotFound, ReadOnly):  # what was deleted since has nothing left to learn
            if isinstance(happening, Excluded):
                turn = replace(happening.turn, used=(happening.entry_id,))
                weigh(turn, self.memory, scope, was_right=False)
            elif found := feedback_in(happening, self.turn_store, scope):
                told = found.told
                if told is None or told.kind.corrects or is_answer(told):
                    was_right = found.case.was_right and not found.case.told
                    weigh(found.before, self.memory, scope, was_right=was_right)


@dataclass(frozen=True, slots=True)
class DraftLessons:
    """Implements `Listener`: draft one lesson of what the user said of an answer, or none."""

    note_taker: NoteTaker
    memory: Memory
    turn_store: TurnStore
    recall: Recall
    languages: Languages
    background: BackgroundJobs = field(default_factory=lambda: BackgroundJobs("lessons"))
    _under_way: set[str] = field(default_factory=set)  # ids of turns

    def __call__(self, happening: TurnEvent, scope: Scope) -> None:
        found = feedback_in(happening, self.turn_store, scope)
        if found is None or _told(found.turn.reply) or self.is_drafting(found.turn.id):
            return
        self._under_way.add(found.turn.id)
        if not self.background.soon(scope.person, lambda is_stopped: self._draft(found, scope, is_stopped)):
            self._under_way.discard(found.turn.id)

    def is_drafting(self, turn_id: str) -> bool:
        """Return True while a lesson is being drafted of a turn."""
        return turn_id in self._under_way

    def _draft(self, found: Feedback, scope: Scope, is_stopped: IsStopped) -> None:
        """Add a draft to the turn, unless that changed meanwhile, or what the model saw was erased."""
        # What the user says counts more than an older lesson, however often that helped.
        denied = found.before.used if found.told else ()
        try:
            known = known_lessons(self.memory, scope, found.turn.conversation, denied)
            drawn = self.note_taker.note(found.case, known, scope, is_stopped)
            if drawn is None or is_stopped() or not self._is_new(drawn.lesson, found, scope):
                return
            seen = (*drawn.lesson.in_view, *found.before.used)
            for entry_id in seen:
                self.memory.entry(entry_id, scope)  # raises NotFound: its words are not to come back
            turn = self.turn_store.turn(found.turn.id, scope)
            if turn.reply.says_the_same(found.turn.reply) and not _told(turn.reply):
                refutes = drawn.refuted.id if drawn.refuted else ""
                told = {**drawn.lesson.stored(), "refutes": refutes}
                in_view = tuple(dict.fromkeys(filter(None, (*turn.reply.in_view, *seen, refutes))))
                reply = turn.reply.with_fields(drafted_lesson=told, in_view=in_view)
                self.turn_store.record(replace(turn, reply=reply), scope)
        except NotedError as error:  # the next thing that is said may teach the same
            _log.info("No lesson was drafted of the turn %s: %s", found.turn.id, error)
        finally:
            self._under_way.discard(found.turn.id)

    def _is_new(self, lesson: Lesson, found: Feedback, scope: Scope) -> bool:
        """Return True if no entry says it yet; a lesson that does counts as confirmed. Raises InputError."""

        def folded(text: str) -> list[str]:
            return [word.folded for word in self.languages.words(text)]

        for text in (lesson.key, lesson.rule):
            check_private(text)
        candidates = self.recall(Question(f"{lesson.key} {lesson.rule}"), scope)
        near = [one.entry for one in candidates if one.entry.counts_in(found.turn.conversation)]
        near = [found.told, *near] if found.told else near
        rule = folded(lesson.rule)
        same = next((entry for entry in near if entry.kind.is_note and folded(entry.shown) == rule), None)
        if same and same.kind is LESSON and found.told is None:
            self.memory.count(same.id, "helped", found.turn.id, scope)
        return same is None


@dataclass(frozen=True, slots=True)
class LessonProposals:
    """Implements `ProposedType`: at most one lesson of a turn, which may replace an earlier one."""

    memory: Memory
    unknown: ClassVar[str] = "lesson.unknown"
    field: ClassVar[str] = "drafted_lesson"

    def proposals(self, turn: Turn, scope: Scope) -> Sequence[Proposal[Lesson]]:
        told = _told(turn.reply)
        if not isinstance(told, Mapping):
            return []
        kept = self._kept(turn, scope)
        if turn.state is not TurnState.ANSWERED and not (turn.state is TurnState.UNDONE and kept):
            return []
        try:
            decided = State(told.get("state") or State.PROPOSED)
            lesson = Lesson.model_validate(told)
        except ValueError:  # it came with a file
            return []
        state = State.KEPT if kept else State.GONE if decided is State.KEPT else decided
        said = lesson.model_copy(update={"rule": kept.shown}) if kept else lesson
        return [Proposal(1, lesson, said, state, kept, str(told.get("refutes", "")))]

    def changed(self, said: Lesson, words: str) -> Lesson:
        return said.model_copy(update={"rule": words})

    def store(self, turn: Turn, proposal: Proposal[Lesson], said: Lesson, scope: Scope) -> None:
        if proposal.entry:
            self.memory.edit(proposal.entry.id, said.rule, scope)
            return
        refuted = None
        with suppress(NotFound):  # a draft from a file may name an entry that is not here
            refuted = self.memory.entry(proposal.replaces, scope) if proposal.replaces else None
        draft = Drawn(said, refuted).draft(turn.model, turn.id)
        remember_anew(draft, self.memory, scope, Status.SUPERSEDED, Status.RETRACTED)

    def take_back(self, turn: Turn, proposal: Proposal[Lesson], scope: Scope) -> None:  # noqa: ARG002
        while entry := self._kept(turn, scope):  # each change by the user is an entry before the last
            self.memory.retract(entry.id, scope)

    def decided(self, reply: Reply, number: int, state: State, said: Lesson) -> Reply:  # noqa: ARG002
        told = {name: part for name, part in _told(reply).items() if name != "state"}
        if state is State.PROPOSED:
            return reply.with_fields(drafted_lesson=told, decided_lesson={})
        return reply.with_fields(drafted_lesson={}, decided_lesson={**told, "state": state.value})

    def _kept(self, turn: Turn, scope: Scope) -> Entry | None:
        """Return the active entry of a turn's draft."""
        wanted = EntryFilter(kind=LESSON.name, turn=turn.id)
        return next(iter(self.memory.find(scope, wanted, 1).entries), None)


def _told(reply: Reply) -> Any:
    """Return the drafted lesson of a reply, decided or not, as it is stored."""
    return reply.fields.get("drafted_lesson") or reply.fields.get("decided_lesson")
