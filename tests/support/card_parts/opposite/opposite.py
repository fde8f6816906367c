"""A toy: below each answer it says the question once more, with a button that has the opposite of it answered."""

from collections.abc import Iterator
from pathlib import Path

from assistant.conversation import Assistant
from assistant.errors import InputError
from assistant.events import Event
from assistant.types import Scope, Turn, TurnState
from ui.server.services import CardPart


def _said(turn: Turn) -> str | None:
    return turn.question if turn.state is TurnState.ANSWERED else None


def _answer_the_opposite(assistant: Assistant, turn: str, told: object, scope: Scope) -> Iterator[Event]:
    if not isinstance(told, str):
        raise InputError
    return assistant.clarify(turn, told, scope)


OPPOSITE = CardPart("opposite", Path(__file__).parent, _said, _answer_the_opposite)
