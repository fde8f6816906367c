"""The part of a card that says what was looked up for its answer, also while that is still written."""

from typing import Any

from assistant.types import Turn
from ui.server.services import CardPart
from ui.words.answers import looked_up


def _view(turn: Turn) -> list[Any] | None:
    return list(looked_up(turn.reply)) or None


LOOKED_PART = CardPart("looked", _view)
