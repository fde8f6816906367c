"""Learn lessons from user feedback on answers (ExpNote, section 3.1).

- `feedback_in`: F of section 3.1, a confirmation, a correction or the right answer, with the case that it makes.
- `weigh_feedback`: count the feedback for or against the lessons that the answer was based on.
- `DraftLessons`: NOTE (equation 2), in the background. A draft under way when the process ends is lost.
- `LessonProposals`: store a drafted lesson on its turn, unused until the user keeps it. Waiting and decided drafts are
  two fields of the reply, so that a query finds the waiting ones.
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
from assistant.feedback.clarifications import restore_or_remember
from assistant.kinds import LESSON, Lesson
from assistant.papers.calls import IsStopped
from assistant.papers.expnote.lesson_writing import LessonCase, LessonDraft, NoteTaker, find_lessons
from assistant.papers.teachme.facts import find_replacing_fact, find_stated_entry, is_answer
from assistant.ports import Memory, TurnStore
from assistant.proposals import Proposal, Proposals, State
from assistant.reports.listing import EntryFilter
from assistant.text.content_rules import check_private
from assistant.types import Entry, Reply, ReplyStatus, Scope, Status, Turn, TurnState

_TOO_OFTEN = 2
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Feedback:
    """User feedback on an answer."""

    before: Turn  # with the answer that the feedback is about
    turn: Turn  # with the current answer: `before` if it was confirmed, else the turn that answers again
    told: Entry | None  # the entry of the correction; None for a confirmation
    case: LessonCase  # takes the current answer for right, unless the user gave one


def feedback_in(happening: TurnEvent, turns: TurnStore, scope: Scope) -> Feedback | None:
    """Return the feedback in an event: *Yes, that's it*, a correction, *The answer is …*, a disputed reason.

    None if there is none, or no complete answer now. Raises StoreError.
    """
    if isinstance(happening, Confirmed) and happening.turn.corrected_by is None:
        turn = before = happening.turn
        told = None
    elif isinstance(happening, Answered) and happening.turn.answers_again:
        turn = happening.turn
        told = find_stated_entry(turn)
        if told is None or find_replacing_fact(turn):
            return None
        try:
            before = turns.turn(turn.answers_again or "", scope)
        except NotFound:
            return None
        if before.clarified_with == turn.clarified_with and not is_answer(told):  # it only tries again
            return None
    else:
        return None
    reply = turn.reply
    if turn.state is not TurnState.ANSWERED or not reply.answer or reply.status is ReplyStatus.TRUNCATED:
        return None
    if told and is_answer(told):
        case = LessonCase(turn.question, told.shown, before.reply.answer)
    else:
        case = LessonCase(turn.question, reply.answer, before.reply.answer, str(told.sentence) if told else "")
    return Feedback(before, turn, told, case)


def weigh(turn: Turn, used: Sequence[str], memory: Memory, scope: Scope, *, was_right: bool) -> None:
    """Count an answer for or against the lessons among the entries `used`.

    If `hurt` exceeds `helped` by two or more, the lesson is paused until the user resumes it. Raises StoreError.
    """
    for entry_id in used:
        if memory.entry(entry_id, scope).kind is not LESSON:
            continue
        memory.count(entry_id, "helped" if was_right else "hurt", turn.id, scope)
        counted = memory.entry(entry_id, scope)
        if not was_right and counted.hurt - counted.helped >= _TOO_OFTEN:
            memory.pause(entry_id, scope)


def weigh_feedback(memory: Memory, turn_store: TurnStore, happening: TurnEvent, scope: Scope) -> None:
    """Implement `Listener`: count feedback on an answer for or against the lessons that it was based on.

    A correction, another answer, or an excluded lesson counts against. A disputed reason does not count.
    """
    with suppress(NotFound, ReadOnly):  # deleted in the meantime
        if isinstance(happening, Excluded):
            weigh(happening.turn, [happening.entry_id], memory, scope, was_right=False)
            return
        found = feedback_in(happening, turn_store, scope)
        if found and (found.told is None or found.told.kind.corrects or is_answer(found.told)):
            was_right = found.case.was_right and not found.case.told
            weigh(found.before, found.before.used, memory, scope, was_right=was_right)


@dataclass(frozen=True, slots=True)
class DraftLessons:
    """Implements `Listener`: draft a lesson from feedback, at most one per turn."""

    note_taker: NoteTaker
    memory: Memory
    turn_store: TurnStore
    background: BackgroundJobs = field(default_factory=lambda: BackgroundJobs("lessons"))
    _under_way: set[str] = field(default_factory=set)  # ids of turns

    def __call__(self, happening: TurnEvent, scope: Scope) -> None:
        found = feedback_in(happening, self.turn_store, scope)
        if found is None or _drafted(found.turn.reply) or self.is_drafting(found.turn.id):
            return
        self._under_way.add(found.turn.id)
        if not self.background.soon(scope.person, lambda is_stopped: self._draft(found, scope, is_stopped)):
            self._under_way.discard(found.turn.id)

    def is_drafting(self, turn_id: str) -> bool:
        """Return True while a lesson is being drafted from a turn."""
        return turn_id in self._under_way

    def _draft(self, found: Feedback, scope: Scope, is_stopped: IsStopped) -> None:
        """Add a draft to the turn, unless the turn changed or an entry in the prompt was erased meanwhile."""
        denied = found.before.used if found.told else ()  # feedback outweighs an older lesson
        try:
            known = find_lessons(self.memory, scope, found.turn.conversation, denied)
            drawn = self.note_taker.note(found.case, known, scope, is_stopped)
            if drawn is None or is_stopped():
                return
            check_private(drawn.lesson.key)
            check_private(drawn.lesson.rule)
            seen = (*drawn.lesson.in_view, *found.before.used)
            for entry_id in seen:
                self.memory.entry(entry_id, scope)  # raises NotFound: an erased text must not come back
            turn = self.turn_store.turn(found.turn.id, scope)
            if turn.reply.says_the_same(found.turn.reply) and not _drafted(turn.reply):
                refutes = drawn.refuted.id if drawn.refuted else ""
                in_view = tuple(dict.fromkeys(filter(None, (*turn.reply.in_view, *seen, refutes))))
                draft = {**drawn.lesson.stored(), "refutes": refutes}
                reply = turn.reply.with_fields(drafted_lesson=draft, in_view=in_view)
                self.turn_store.record(replace(turn, reply=reply), scope)
        except NotedError as error:  # later feedback may teach the same
            _log.info("No lesson was drafted of the turn %s: %s", found.turn.id, error)
        finally:
            self._under_way.discard(found.turn.id)


@dataclass(frozen=True, slots=True)
class LessonProposals(Proposals[Lesson]):
    """At most one lesson per turn, which may replace an earlier one."""

    unknown: ClassVar[str] = "lesson.unknown"
    reply_field: ClassVar[str] = "drafted_lesson"

    def of(self, turn: Turn, scope: Scope) -> Sequence[Proposal[Lesson]]:
        draft = _drafted(turn.reply)
        if not isinstance(draft, Mapping):
            return []
        kept = self._kept(turn, scope)
        if turn.state is not TurnState.ANSWERED and not (turn.state is TurnState.UNDONE and kept):
            return []
        try:
            decided = State(draft.get("state") or State.PROPOSED)
            lesson = Lesson.model_validate(draft)
        except ValueError:  # from an imported file
            return []
        state = State.KEPT if kept else State.GONE if decided is State.KEPT else decided
        said = lesson.model_copy(update={"rule": kept.shown}) if kept else lesson
        return [Proposal(1, lesson, said, state, kept, str(draft.get("refutes", "")))]

    def changed(self, said: Lesson, words: str) -> Lesson:
        return said.model_copy(update={"rule": words})

    def store(self, turn: Turn, proposal: Proposal[Lesson], said: Lesson, scope: Scope) -> None:
        if proposal.entry:
            self.memory.edit(proposal.entry.id, said.rule, scope)
            return
        refuted = None
        with suppress(NotFound):  # a draft from a file may name an entry that is not here
            refuted = self.memory.entry(proposal.replaces, scope) if proposal.replaces else None
        draft = LessonDraft(said, refuted).entry(turn.model, turn.id)
        restore_or_remember(draft, self.memory, scope, Status.SUPERSEDED, Status.RETRACTED)

    def take_back(self, turn: Turn, proposal: Proposal[Lesson], scope: Scope) -> None:  # noqa: ARG002
        while entry := self._kept(turn, scope):  # each change by the user superseded an entry
            self.memory.retract(entry.id, scope)

    def decided(self, reply: Reply, number: int, state: State, said: Lesson) -> Reply:  # noqa: ARG002
        draft = {name: part for name, part in _drafted(reply).items() if name != "state"}
        if state is State.PROPOSED:
            return reply.with_fields(drafted_lesson=draft, decided_lesson={})
        return reply.with_fields(drafted_lesson={}, decided_lesson={**draft, "state": state.value})

    def _kept(self, turn: Turn, scope: Scope) -> Entry | None:
        """Return the active entry of a turn's draft."""
        wanted = EntryFilter(kind=LESSON.name, turn=turn.id)
        return next(iter(self.memory.find(scope, wanted, 1).entries), None)


def _drafted(reply: Reply) -> Any:
    """Return the stored draft of a reply, decided or not."""
    return reply.fields.get("drafted_lesson") or reply.fields.get("decided_lesson")
