"""Drafted lessons, in a line and as programs get them."""

from collections.abc import Iterable
from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from assistant.expnote.drafts import LessonDraft, State
from assistant.types import Turn


class DraftedLesson(TypedDict):
    """A lesson that was drafted of what a person said of an answer."""

    turn: Annotated[str, Field(description="Id of the answer.")]
    question: str
    lesson: Annotated[str, Field(description="What it says, as it is kept if it is.")]
    state: Annotated[str, Field(description="`proposed`, `kept`, `dropped`, or `gone`: kept once, and no more.")]


class DraftedLessons(TypedDict):
    """Some of them."""

    drafted: list[DraftedLesson]


def drafted(found: Iterable[tuple[Turn, LessonDraft | None]]) -> DraftedLessons:
    """Drafts with their turns, as plain data."""
    return {
        "drafted": [
            {"turn": turn.id, "question": turn.question, "lesson": draft.shown, "state": draft.state.value}
            for turn, draft in found
            if draft
        ]
    }


_SAID = {
    State.PROPOSED: "Lesson drafted",
    State.KEPT: "Lesson kept",
    State.DROPPED: "Lesson not kept",
    State.GONE: "Lesson no longer kept",
}


def in_a_line(draft: LessonDraft) -> str:
    """A draft, with what became of it."""
    return f"{_SAID[draft.state]}: {draft.shown}"
