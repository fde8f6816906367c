"""Which word of a question is asked about, where a clarification tells. Pure; the caller folds the words.

What a person said may repeat their question but for that word ("by take for a walk I mean …"), and the earlier question
that they said it about differs from this one in that word only.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from assistant.retelling import retelling

_FEWEST_SHARED = 2  # words


def told_places(question: Sequence[str], about: Sequence[str], said: Sequence[str]) -> range:
    """The places of the question of which one holds the word asked about; none where nothing tells.

    Args:
        question: the words of the question.
        about: those of the earlier question that was put right.
        said: those with which it was put right.
    """
    repeated = retelling(tuple(question), tuple(said))
    if repeated is not None and repeated.left_out[0] < repeated.left_out[1]:
        return range(*repeated.left_out)
    return _differing(question, about)


def _differing(question: Sequence[str], about: Sequence[str]) -> range:
    """The one place where two questions have other words, where they share as many as that at least."""
    matcher = SequenceMatcher(None, about, question, autojunk=False)
    replaced = [range(first, last) for tag, _, _, first, last in matcher.get_opcodes() if tag == "replace"]
    shared = sum(block.size for block in matcher.get_matching_blocks())
    if len(replaced) != 1 or shared < max(_FEWEST_SHARED, (len(question) - len(replaced[0])) / 2):
        return range(0)
    return replaced[0]
