"""What a case says of the lessons that its answer rested on: each helped or hurt; one that hurts too often rests."""

from __future__ import annotations

from assistant.kinds import LESSON
from assistant.ports import Memory
from assistant.types import Scope, Turn

_TOO_OFTEN = 2


def weigh(turn: Turn, memory: Memory, scope: Scope, *, was_right: bool) -> None:
    """Count for the lessons of an answered turn, or against them.

    One that hurt at least two times more often than it helped is paused, until the person resumes it.

    Raises StoreError.
    """
    for entry_id in turn.used:
        if memory.entry(entry_id, scope).kind is not LESSON:
            continue
        memory.count(entry_id, "helped" if was_right else "hurt", turn.id, scope)
        counted = memory.entry(entry_id, scope)
        if counted.hurt - counted.helped >= _TOO_OFTEN:
            memory.pause(entry_id, scope)
