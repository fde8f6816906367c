"""Which earlier turns of a conversation matter for the next one."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.types import ReplyStatus, Turn, TurnState


def correctable(turns: Sequence[Turn]) -> Turn | None:
    """The turn that the next message may put right: the last one that still stands and shows something."""
    standing = [turn for turn in turns if turn.state not in {TurnState.UNDONE, TurnState.CORRECTION}]
    if not standing or standing[-1].corrected_by or standing[-1].state not in {TurnState.ANSWERED, TurnState.STOPPED}:
        return None
    return standing[-1] if standing[-1].reply.understanding or standing[-1].reply.answer else None


def good_history(turns: Sequence[Turn]) -> list[Turn]:
    """The turns that a model may see again: its own wrong, replaced or cut output is never shown to it."""
    replaced = {turn.answers_again for turn in turns if turn.state is TurnState.ANSWERED}
    return [
        turn
        for turn in turns
        if turn.state is TurnState.ANSWERED
        and not turn.corrected_by
        and turn.id not in replaced
        and turn.reply.status is not ReplyStatus.TRUNCATED
        and turn.reply.answer
    ]
