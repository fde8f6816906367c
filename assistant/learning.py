"""What is learnt from a reaction: an entry that was confirmed has helped, one that was left out has hurt.

The question stands with each reaction, so that the gate can weigh it for that kind of question. An entry that was left
out at least two times more often than it helped rests (`Entry.resting`): it is recalled no more until its owner has it
used again.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from assistant.errors import NotFound
from assistant.ports import Memory
from assistant.types import Reaction, Scope, Turn

_EVENTS = {Reaction.CONFIRM: "helped", Reaction.LEAVE_OUT: "hurt"}


class CountReactions:
    """Implements `Learn`: counts reactions for and against the entries they are about. The gate weighs the counts."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def __call__(self, turn: Turn, reaction: Reaction, entries: Sequence[str], scope: Scope) -> None:
        for entry_id in entries:
            # An entry that was deleted since has nothing left to learn.
            with suppress(NotFound):
                self._memory.count(entry_id, _EVENTS[reaction], turn.id, scope)
