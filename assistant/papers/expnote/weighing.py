"""What a case says of the lessons that its answer rested on: each helped or hurt; one that hurts too often rests."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

from assistant.errors import NotFound, ReadOnly
from assistant.events import Happening, LeftOut
from assistant.kinds import LESSON
from assistant.papers.expnote.reactions import Reacted, reacted
from assistant.ports import Memory, Turns
from assistant.teachme.told import is_answer
from assistant.types import Scope, Turn

_TOO_OFTEN = 2


def weigh(turn: Turn, memory: Memory, scope: Scope, *, was_right: bool) -> None:
    """Count for the lessons of an answered turn, or against them.

    One that hurt, and did so at least two times more often than it helped, is paused, until the person resumes it.

    Raises StoreError.
    """
    for entry_id in turn.used:
        if memory.entry(entry_id, scope).kind is not LESSON:
            continue
        memory.count(entry_id, "helped" if was_right else "hurt", turn.id, scope)
        counted = memory.entry(entry_id, scope)
        if not was_right and counted.hurt - counted.helped >= _TOO_OFTEN:
            memory.pause(entry_id, scope)


@dataclass(frozen=True, slots=True)
class WeighLessons:
    """Implements `Learn`: what people say of answers counts for and against the lessons that these rested on.

    Against them counts that one was left out, and that the person corrected the answer or told another one. A reason
    that they dispute says nothing of the answer.
    """

    memory: Memory
    turn_store: Turns

    def __call__(self, happening: Happening, scope: Scope) -> None:
        with suppress(NotFound, ReadOnly):  # what was deleted since has nothing left to learn
            if isinstance(happening, LeftOut):
                turn = replace(happening.turn, used=(happening.entry_id,))
                weigh(turn, self.memory, scope, was_right=False)
            elif (found := reacted(happening, self.turn_store, scope)) and _is_about_the_answer(found):
                was_right = found.told is None or (is_answer(found.told) and found.case.was_right)
                weigh(found.before, self.memory, scope, was_right=was_right)


def _is_about_the_answer(found: Reacted) -> bool:
    return found.told is None or found.told.kind.corrects or is_answer(found.told)
