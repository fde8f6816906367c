"""A drafted lesson as a proposal: it stands on its turn, and counts for nothing until the user keeps it.

A waiting draft and a decided one are two fields of the reply, so that the waiting ones can be found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from assistant.errors import NotFound
from assistant.feedback.clarifications import remember_anew
from assistant.kinds import LESSON, Lesson
from assistant.papers.expnote.noting import Drawn
from assistant.ports import Memory
from assistant.proposals import Proposal, State
from assistant.reports.listing import EntryFilter
from assistant.types import DECIDED_LESSON, OPEN_LESSON, Entry, Reply, Scope, Status, Turn, TurnState

_ONLY = 1  # the number of the lesson of a turn


def has_draft(reply: Reply) -> bool:
    """Return True if a lesson was drafted, decided or not."""
    return OPEN_LESSON in reply.fields or DECIDED_LESSON in reply.fields


def with_draft(reply: Reply, drawn: Drawn, seen: tuple[str, ...]) -> Reply:
    """Return the reply with a draft; it is erased with the entries `seen`, whose words may stand in it."""
    refutes = drawn.refuted.id if drawn.refuted else ""
    in_view = tuple(dict.fromkeys((*reply.in_view, *seen, *filter(None, [refutes]))))
    return reply.with_fields(**{OPEN_LESSON: {**drawn.lesson.stored(), "refutes": refutes}}, in_view=in_view)


def draft_of(turn: Turn, kept: Entry | None) -> Proposal[Lesson] | None:
    """Return the draft on a turn; `kept` is the entry that it became. None where there is none that can be read."""
    told = _told(turn.reply)
    counts = turn.state is TurnState.ANSWERED or (turn.state is TurnState.UNDONE and kept is not None)
    if not counts or not isinstance(told, Mapping):
        return None
    decided = told.get("state")
    try:
        state = State.KEPT if kept else State.GONE if decided == State.KEPT else State(decided or State.PROPOSED)
        lesson = Lesson.model_validate(told)
    except ValueError:  # it came with a file
        return None
    said = lesson.model_copy(update={"rule": kept.shown}) if kept else lesson
    return Proposal(_ONLY, lesson, said, state, kept, str(told.get("refutes", "")))


@dataclass(frozen=True, slots=True)
class LessonProposals:
    """Implements `ProposedType`: at most one lesson of a turn, which may replace an earlier one."""

    memory: Memory
    unknown: ClassVar[str] = "lesson.unknown"
    field: ClassVar[str] = OPEN_LESSON

    def proposals(self, turn: Turn, scope: Scope) -> Sequence[Proposal[Lesson]]:
        draft = draft_of(turn, self._kept(turn, scope)) if has_draft(turn.reply) else None
        return [draft] if draft else []

    def changed(self, said: Lesson, words: str) -> Lesson:
        return said.model_copy(update={"rule": words})

    def store(self, turn: Turn, proposal: Proposal[Lesson], said: Lesson, scope: Scope) -> None:
        if proposal.entry:
            self.memory.edit(proposal.entry.id, said.rule, scope)
            return
        lesson = replace(Drawn(said).draft(turn.model, turn.id), supersedes=self._there(proposal.replaces, scope))
        remember_anew(lesson, self.memory, scope, Status.SUPERSEDED, Status.RETRACTED)

    def take_back(self, turn: Turn, proposal: Proposal[Lesson], scope: Scope) -> None:  # noqa: ARG002
        while entry := self._kept(turn, scope):  # each change by the user is an entry before the last
            self.memory.retract(entry.id, scope)

    def decided(self, reply: Reply, number: int, state: State, said: Lesson) -> Reply:  # noqa: ARG002
        told = {name: part for name, part in _told(reply).items() if name != "state"}
        if state is State.PROPOSED:
            return reply.with_fields(**{OPEN_LESSON: told, DECIDED_LESSON: None})
        return reply.with_fields(**{OPEN_LESSON: None, DECIDED_LESSON: {**told, "state": state.value}})

    def _kept(self, turn: Turn, scope: Scope) -> Entry | None:
        """Return the active entry of a turn's draft."""
        wanted = EntryFilter(kind=LESSON.name, turn=turn.id)
        return next(iter(self.memory.find(scope, wanted, 1).entries), None)

    def _there(self, entry_id: str, scope: Scope) -> str | None:
        """Return the id of an entry if there is one: a draft from a file may name one that is not here."""
        with suppress(NotFound):
            return self.memory.entry(entry_id, scope).id if entry_id else None
        return None


def _told(reply: Reply) -> Any:
    return reply.fields.get(OPEN_LESSON) or reply.fields.get(DECIDED_LESSON)
