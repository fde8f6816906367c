"""What a person's earlier reactions to an entry say about using it for a new question of the same kind. Pure.

*Leave it out* counts against an entry for that kind of question, and *Yes, that's it* for it. So each reaction weighs
as much as the question that it was about is like the new one, by its frame and by what fills the slot
(`memory_store.frames`): fully for the same question, nothing for one of another kind.
"""

from __future__ import annotations

from collections.abc import Iterable

from assistant.types import Entry
from memory_store.frames import ALIKE, match_frame
from memory_store.surface import fold

_LONGEST_QUESTION = 2_000  # characters that are compared


def reactions_like(question: str, entry: Entry) -> tuple[float, float]:
    """How much the entry helped, and how much it hurt, for questions of this kind.

    Each number lies in [0, 1) and is s / (1 + s), where s is the sum of the likenesses of the questions that helped
    (or hurt): 0 without any, 1/2 for one reaction to the same question, 2/3 for two. One more reaction never lowers its
    number, and never touches the other one.

    Args:
        question: the new question.
        entry: the entry with its `reactions`, those of the person who asks.
    """
    helped = (reaction.question for reaction in entry.reactions if reaction.helped)
    hurt = (reaction.question for reaction in entry.reactions if not reaction.helped)
    return _weight(question, helped), _weight(question, hurt)


def kind_likeness(question: str, other: str) -> float:
    """How alike two questions are in kind, in [0, 1]: 1 for the same question, 0 for one asked in another way."""
    question, other = question[:_LONGEST_QUESTION], other[:_LONGEST_QUESTION]
    if question == other or ("" != fold(question) == fold(other)):
        return 1.0
    # The frame of either may be the one that can be told; likeness of kind has no direction.
    return max(_frame_likeness(question, other), _frame_likeness(other, question))


def _frame_likeness(question: str, other: str) -> float:
    match = match_frame(question, other, other)
    return match.likeness * match.filler if match.likeness >= ALIKE else 0.0


def _weight(question: str, others: Iterable[str]) -> float:
    total = sum(kind_likeness(question, other) for other in others)
    return total / (1 + total)
