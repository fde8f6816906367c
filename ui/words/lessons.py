"""A drafted lesson, in a line."""

from assistant.expnote.drafts import LessonDraft, State

_SAID = {
    State.PROPOSED: "Lesson drafted",
    State.KEPT: "Lesson kept",
    State.DROPPED: "Lesson not kept",
    State.GONE: "Lesson no longer kept",
}


def in_a_line(draft: LessonDraft) -> str:
    """A draft, with what became of it."""
    return f"{_SAID[draft.state]}: {draft.shown}"
