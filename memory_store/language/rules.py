"""Whether two rules say the same in other words: "The brother of a mother is an uncle", "A mother's brother is …"."""

import re
from collections.abc import Sequence
from functools import lru_cache

from memory_store.language.function_words import WordKind, function_words
from memory_store.language.normalize import fold

_LONGEST = 500  # characters; a longer rule is the same only in the same words
_WORD = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*")
_OWNS, _OF = "'s", "of"
_TELLING = frozenset({WordKind.CONTENT, WordKind.NEGATION, WordKind.ASKING})
_FEWEST = 2  # things that a rule puts together

Thing = tuple[str, ...]
"""What is spoken of, with whose it is before it: mother, brother."""


@lru_cache(maxsize=1_024)
def rule_parts(text: str) -> frozenset[Thing]:
    """The things that a rule speaks of, in whichever order; none where they are too few to compare."""
    if len(text) > _LONGEST:
        return frozenset()
    things = _owned(_possessives(_WORD.findall(text.replace("’", "'").lower())))
    told = frozenset(thing for thing in things if len(thing) > 1 or _tells(thing[0]))
    return told if len(told) >= _FEWEST else frozenset()


def is_same_rule(text: str, other: str) -> bool:
    """Whether they say the same, in other words. Of the same words under two keys, the keys tell apart."""
    return text != other and bool(parts := rule_parts(text)) and parts == rule_parts(other)


def _possessives(words: Sequence[str]) -> list[Thing]:
    things: list[Thing] = []
    is_owned = False
    for word in words:
        named = fold(word.removesuffix(_OWNS))
        if is_owned:
            things[-1] += (named,)
        else:
            things.append((named,))
        is_owned = word.endswith(_OWNS)
    return things


def _owned(things: list[Thing]) -> list[Thing]:
    """With whose each is that is said behind it; the last first: the son of the brother of a mother."""
    for at in range(len(things) - 2, 0, -1):
        owner = next((place for place in range(at + 1, len(things)) if _tells(things[place][-1])), 0)
        if things[at] == (_OF,) and owner:
            things[at - 1 : owner + 1] = [things[owner] + things[at - 1]]
    return things


def _tells(word: str) -> bool:
    return function_words().kind(word) in _TELLING
