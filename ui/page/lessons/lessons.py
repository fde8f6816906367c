"""The part of a card that shows which lesson was drafted of what was said of its answer."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assistant.conversation import Assistant
from assistant.errors import InputError, NotedError
from assistant.events import Event, Finished
from assistant.papers.expnote.drafts import LessonDraft
from assistant.papers.expnote.keeping import Lessons
from assistant.types import Scope, Turn
from ui.server.services import CardPart


def lessons_part(lessons: Lessons) -> CardPart:
    """The part. While one is being drafted, it says so; the page then looks again."""

    def view(turn: Turn) -> dict[str, Any] | None:
        try:
            draft = lessons.draft(turn)
        except NotedError:  # the answer is shown all the same
            return None
        return draft_view(draft) if draft else {"drafting": True} if lessons.is_drafting(turn.id) else None

    def act(_assistant: Assistant, turn: str, told: object, scope: Scope) -> Iterator[Event]:
        yield Finished(decide(lessons, turn, told, scope))

    return CardPart("lessons", Path(__file__).parent, view, act)


def draft_view(draft: LessonDraft) -> dict[str, Any]:
    """A draft, as the page draws it."""
    return {"rule": draft.shown, "state": draft.state.value}


def decide(lessons: Lessons, turn: str, told: object, scope: Scope) -> Turn:
    """`keep` the draft of a turn, in other `words` if there are some; `drop` it, or `undo` what was said of it.

    Raises InputError where a browser sends something else.
    """
    said = told if isinstance(told, dict) else {}
    words = said.get("words", "")
    if not isinstance(words, str):
        raise InputError
    return lessons.decide(str(said.get("act")), turn, scope, words)
