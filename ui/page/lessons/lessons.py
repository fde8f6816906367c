"""The part of a card that shows which lesson was drafted of what was said of its answer."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from assistant.errors import NotedError
from assistant.kinds import Lesson
from assistant.proposals import Proposal, Proposals
from assistant.types import Scope, Turn
from ui.actions.facts import decide
from ui.server.services import CardPart


def lessons_part(lessons: Proposals[Lesson], is_drafting: Callable[[str], bool]) -> CardPart:
    """Return the part. While a lesson is being drafted, it says so; the page then looks again."""

    def view(turn: Turn) -> dict[str, Any] | None:
        try:
            drafts = lessons.of(turn, Scope(turn.person))
        except NotedError:  # the answer is shown all the same
            return None
        return draft_view(drafts[0]) if drafts else {"drafting": True} if is_drafting(turn.id) else None

    return CardPart("lessons", Path(__file__).parent, view, [decide])


def draft_view(draft: Proposal[Lesson]) -> dict[str, Any]:
    """Return a draft as the page draws it."""
    return {"rule": draft.said.rule, "state": draft.state.value}
