"""Feedback on answers as cases of ExpNote: count it for or against lessons, and propose a lesson from it.

F of section 3.1 is the right answer of a benchmark in the paper. Here it is a confirmation, a correction, or the right
answer of a user (`feedback_in`). The lesson is a proposal on the turn, until the user keeps it (`LessonProposals`).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar, NamedTuple

from assistant.background import BackgroundJobs
from assistant.errors import NotedError, NotFound
from assistant.events import Answered, Reacted, TurnEvent
from assistant.feedback.learning import restore_or_remember
from assistant.kinds import LESSON, Lesson
from assistant.papers.expnote.lessons import LessonCase, NoteTaker, build_lesson, find_lessons, weigh
from assistant.papers.teachme.facts import find_replacing_fact, find_stated_entry, is_answer
from assistant.ports import Memory, TurnStore
from assistant.prompt.calling import IsStopped
from assistant.proposals import Proposal, Proposals, State
from assistant.reports.listing import EntryFilter
from assistant.text.content_rules import check_private
from assistant.types import Entry, Reaction, Reply, ReplyStatus, Scope, Status, Turn, TurnState

_log = logging.getLogger(__name__)


class Feedback(NamedTuple):
    """User feedback on an answer."""

    before: Turn  # with the answer that the feedback is about
    turn: Turn  # with the current answer: `before` if it was confirmed, else the turn that answers again
    told: Entry | None  # the entry of the correction; None for a confirmation
    case: LessonCase  # takes the current answer for right, unless the user gave one


def feedback_in(happening: TurnEvent, turns: TurnStore, scope: Scope) -> Feedback | None:
    """Return the feedback in an event: *Right*, a correction, *The answer is …*, a disputed reason.

    None if there is none, or no complete answer now. Raises NotFound and StoreError.
    """
    turn = before = happening.turn
    reply, told = turn.reply, None
    if isinstance(happening, Answered) and turn.answers_again:
        told = find_stated_entry(turn)
        if told is None or find_replacing_fact(turn):
            return None
        before = turns.turn(turn.answers_again, scope)
        if before.clarified_with == turn.clarified_with and not is_answer(told):  # it only tries again
            return None
    elif not (isinstance(happening, Reacted) and happening.reaction is Reaction.CONFIRM) or turn.corrected_by:
        return None
    if turn.state is not TurnState.ANSWERED or not reply.answer or reply.status is ReplyStatus.TRUNCATED:
        return None
    said = str(told.sentence) if told else ""
    answer, said = (said, "") if told and is_answer(told) else (reply.answer, said)
    return Feedback(before, turn, told, LessonCase(turn.question, answer, before.reply.answer, said))


@dataclass(frozen=True, slots=True)
class LearnFromFeedback:
    """Implements `Listener`: count feedback on an answer for or against the lessons that it was based on.

    A correction, another answer, or an excluded lesson counts against; a disputed reason does not count. With a
    `note_taker`, draft a lesson in the background, at most one per turn. One under way when the process ends is lost.
    """

    memory: Memory
    turn_store: TurnStore
    note_taker: NoteTaker | None = None
    background: BackgroundJobs = field(default_factory=lambda: BackgroundJobs("lessons"))  # by id of the turn

    def __call__(self, happening: TurnEvent, scope: Scope) -> None:
        with suppress(NotFound):  # deleted in the meantime
            if isinstance(happening, Reacted) and happening.reaction is Reaction.EXCLUDE:
                weigh(happening.turn, [happening.entry_id], self.memory, scope, was_right=False)
            elif found := feedback_in(happening, self.turn_store, scope):
                if found.told is None or found.told.kind.corrects or is_answer(found.told):
                    was_right = found.case.was_right and not found.case.told
                    weigh(found.before, found.before.used, self.memory, scope, was_right=was_right)
                if (note := self.note_taker) and "drafted_lesson" not in found.turn.reply.fields:
                    draft = partial(self._draft, note, found, scope)
                    self.background.soon(found.turn.id, scope.person, draft)

    def _draft(self, note_taker: NoteTaker, found: Feedback, scope: Scope, is_stopped: IsStopped) -> None:
        """Add a draft to the turn, unless the turn changed or an entry in the prompt was erased meanwhile."""
        try:
            known = find_lessons(self.memory, scope, found.turn.conversation)
            lesson = note_taker(found.case, known, scope, is_stopped)
            if lesson is None or is_stopped():
                return
            check_private(lesson.key)
            check_private(lesson.rule)
            for entry_id in (*lesson.in_view, *found.before.used):
                self.memory.entry(entry_id, scope)  # raises NotFound: an erased text must not come back
            turn = self.turn_store.turn(found.turn.id, scope)
            if turn.reply.says_the_same(found.turn.reply) and "drafted_lesson" not in turn.reply.fields:
                in_view = tuple(dict.fromkeys((*turn.reply.in_view, *lesson.in_view, *found.before.used)))
                reply = turn.reply.with_fields(drafted_lesson=lesson.stored(), in_view=in_view)
                self.turn_store.record(replace(turn, reply=reply), scope)
        except NotedError as error:  # later feedback may teach the same
            _log.info("No lesson was drafted of the turn %s: %s", found.turn.id, error)


@dataclass(frozen=True, slots=True)
class LessonProposals(Proposals[Lesson]):
    """At most one lesson per turn, with the user's decision in the same field of the reply."""

    unknown: ClassVar[str] = "lesson.unknown"
    reply_field: ClassVar[str] = "drafted_lesson"

    def of(self, turn: Turn, scope: Scope) -> Sequence[Proposal[Lesson]]:
        if not (draft := turn.reply.fields.get("drafted_lesson")):
            return []
        kept = self._kept(turn, scope)
        if turn.state is not TurnState.ANSWERED and not (turn.state is TurnState.UNDONE and kept):
            return []
        try:
            lesson = Lesson.model_validate(draft)
            decided = State(str(draft.get("state", State.PROPOSED)))
        except ValueError:  # from an imported file
            return []
        state = State.KEPT if kept else State.GONE if decided is State.KEPT else decided
        said = lesson.model_copy(update={"rule": kept.shown}) if kept else lesson
        return [Proposal(1, lesson, said, state, kept)]

    def changed(self, said: Lesson, words: str) -> Lesson:
        return said.model_copy(update={"rule": words})

    def store(self, turn: Turn, proposal: Proposal[Lesson], said: Lesson, scope: Scope) -> None:
        if proposal.entry:
            self.memory.edit(proposal.entry.id, said.rule, scope)
        else:
            kept = build_lesson(said, turn.id, turn.model)
            restore_or_remember(kept, self.memory, scope, Status.SUPERSEDED, Status.RETRACTED)

    def take_back(self, turn: Turn, proposal: Proposal[Lesson], scope: Scope) -> None:  # noqa: ARG002
        while entry := self._kept(turn, scope):  # each change by the user superseded an entry
            self.memory.retract(entry.id, scope)

    def decided(self, reply: Reply, number: int, state: State, said: Lesson) -> Reply:  # noqa: ARG002
        return reply.with_fields(drafted_lesson={**reply.fields["drafted_lesson"], "state": state.value})

    def _kept(self, turn: Turn, scope: Scope) -> Entry | None:
        """Return the active entry of a turn's draft."""
        wanted = EntryFilter(kind=LESSON.name, turn=turn.id)
        return next(iter(self.memory.find(scope, wanted, 1).entries), None)
