"""An example card part: repeats the question below each answer, with a button to answer its opposite."""

from pathlib import Path

from assistant.types import Turn, TurnState
from ui.actions.answering import clarify
from ui.server.services import CardPart


def _said(turn: Turn) -> str | None:
    return turn.question if turn.state is TurnState.ANSWERED else None


OPPOSITE = CardPart("opposite", _said, [clarify], Path(__file__).parent)
