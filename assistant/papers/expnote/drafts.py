"""A lesson that was drafted stands on its turn, and counts for nothing until its person keeps it.

What is open and what was decided are two fields of the reply, so that the open ones can be found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from assistant.kinds import Lesson
from assistant.papers.expnote.noting import Drawn
from assistant.types import DECIDED_LESSON, OPEN_LESSON, Entry, Reply, Turn, TurnState

OPEN = OPEN_LESSON
"""The field of a reply in which a draft stands that nothing was said of."""


class State(StrEnum):
    """Where a draft stands."""

    PROPOSED = "proposed"
    KEPT = "kept"
    DROPPED = "dropped"
    GONE = "gone"  # it was kept, and counts no more: it was taken back, or a better one has its place


@dataclass(frozen=True, slots=True)
class LessonDraft:
    """A lesson that was drawn from what a person said of an answer."""

    lesson: Lesson
    refutes: str = ""  # id of the lesson whose place it is to take
    state: State = State.PROPOSED
    entry: Entry | None = None  # as it is kept

    @property
    def shown(self) -> str:
        """What it says, as it is kept if it is."""
        return self.entry.shown if self.entry else self.lesson.rule


def has_draft(reply: Reply) -> bool:
    """Whether a lesson was drafted, whatever became of it."""
    return OPEN in reply.fields or DECIDED_LESSON in reply.fields


def with_draft(reply: Reply, drawn: Drawn, seen: tuple[str, ...]) -> Reply:
    """The reply with a draft; `seen` are ids of entries whose words may stand in it, so that it goes with them."""
    refutes = drawn.refuted.id if drawn.refuted else ""
    in_view = tuple(dict.fromkeys((*reply.in_view, *seen, *filter(None, [refutes]))))
    return reply.with_fields(**{OPEN: {**drawn.lesson.stored(), "refutes": refutes}}, in_view=in_view)


def decided(reply: Reply, state: State) -> Reply:
    """The reply after its person said what becomes of the draft: kept, dropped, or open again."""
    told = {name: part for name, part in _told(reply).items() if name != "state"}
    if state is State.PROPOSED:
        return reply.with_fields(**{OPEN: told, DECIDED_LESSON: None})
    return reply.with_fields(**{OPEN: None, DECIDED_LESSON: {**told, "state": state.value}})


def draft_of(turn: Turn, kept: Entry | None) -> LessonDraft | None:
    """The draft on a turn, if there is one that can be read; `kept` is the entry that its turn has of it."""
    told = _told(turn.reply)
    stands = turn.state is TurnState.ANSWERED or (turn.state is TurnState.UNDONE and kept is not None)
    if not stands or not isinstance(told, Mapping):
        return None
    said = told.get("state")
    try:
        state = State.KEPT if kept else State.GONE if said == State.KEPT else State(said or State.PROPOSED)
        return LessonDraft(Lesson.model_validate(told), str(told.get("refutes", "")), state, kept)
    except ValueError:  # it came with a file
        return None


def _told(reply: Reply) -> Any:
    return reply.fields.get(OPEN) or reply.fields.get(DECIDED_LESSON)
