"""Views of a run in progress."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from assistant.events import RunState
from assistant.types import Turn
from ui.page.conversation.views import turn_view, undo_once
from ui.server.services import CardPart
from ui.words.markup import GrowingMarkup, safe_markup

# Characters; a list or table of this length takes about five milliseconds.
_LONG = 4_000


class RunViews:
    """Cached views of one run: a view is made again only when its turn has changed."""

    def __init__(self, parts: Sequence[CardPart]) -> None:
        self._parts = parts
        self._made: dict[str, tuple[object, dict[str, Any]]] = {}
        self._markups: defaultdict[str, GrowingMarkup] = defaultdict(GrowingMarkup)

    def __call__(self, so_far: RunState) -> list[dict[str, Any]]:
        """Return the views of the turns."""
        return undo_once([self._view(turn, so_far) for turn in so_far.turns.values()])

    def _view(self, turn: Turn, so_far: RunState) -> dict[str, Any]:
        noted = so_far.noted.get(turn.corrected_by or "")
        phase = so_far.phase if turn.id == so_far.answering else None
        shown = (turn, noted, phase)
        if turn.id not in self._made or self._made[turn.id][0] != shown:
            markup = self._markups[turn.id] if phase else safe_markup
            self._made[turn.id] = shown, turn_view(turn, noted=noted, phase=phase, markup=markup, parts=self._parts)
        return self._made[turn.id][1]


def is_long(so_far: RunState) -> bool:
    """Return True if making the views may block the event loop for some milliseconds."""
    return any(len(turn.reply.answer) > _LONG for turn in so_far.turns.values())
