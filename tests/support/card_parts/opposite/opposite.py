"""A toy: below each answer it says the question once more, with a button that has the opposite of it answered."""

from pathlib import Path

from assistant.types import Turn, TurnState
from ui.actions.answering import clarify
from ui.server.services import CardPart


def _said(turn: Turn) -> str | None:
    return turn.question if turn.state is TurnState.ANSWERED else None


OPPOSITE = CardPart("opposite", _said, [clarify], Path(__file__).parent)
