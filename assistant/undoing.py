"""What a turn is after something that was noted is taken back. Pure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from assistant.types import Entry, Kind, Turn, TurnState


def without(turn: Turn, gone: Collection[str], restored: Entry | None, taken_back: Entry) -> Turn:
    """A turn after an entry was taken back.

    Args:
        turn: the turn before.
        gone: ids of all entries that went with it.
        restored: the entry that counts again in its place, if any.
        taken_back: the entry.
    """
    if taken_back.kind is Kind.EXAMPLE:
        return replace(turn, confirmed=turn.confirmed and turn.id != taken_back.turn)
    if turn.corrected_by in gone and turn.state is not TurnState.CORRECTION:
        back = restored.id if restored and restored.turn == turn.id else None
        turn = replace(turn, corrected_by=back)
    if turn.clarified_with in gone or turn.corrected_by in gone:
        turn = replace(turn, state=TurnState.UNDONE, confirmed=False)
    return turn
