"""What a person did with an entry, and for which question, so that the gate can weigh it for that kind of question."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReactionTo:
    """What became of an entry in one turn.

    Args:
        question: the question of the turn.
        helped: whether the person said that the answer was right, or had the entry left out.
    """

    question: str
    helped: bool
