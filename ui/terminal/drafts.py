"""A drafted lesson, in a line of a terminal."""

from assistant.expnote.drafts import LessonDraft, State
from assistant.types import Scope, Turn
from ui.server.services import Services
from ui.terminal.command_parts import echo

_SAID = {
    State.PROPOSED: "Lesson drafted",
    State.KEPT: "Lesson kept",
    State.DROPPED: "Lesson not kept",
    State.GONE: "Lesson no longer kept",
}


def in_a_line(draft: LessonDraft) -> str:
    """A draft, with what became of it."""
    return f"{_SAID[draft.state]}: {draft.shown}"


def show_draft(services: Services, turn: Turn) -> None:
    """What was drafted of what was said just now, once that is done."""
    services.settle()
    draft = services.lessons.draft(services.assistant.turn(turn.id, Scope(turn.person)))
    if draft and draft.state is State.PROPOSED:
        echo(f"{in_a_line(draft)} (`lesson keep`, or drop)", err=True)
