"""Which word is to another as mother is to father: the opposite of the same kind, by the lexicon."""

from __future__ import annotations

from functools import lru_cache

from assistant.language.lexicon import lexicon

_ABOVE = 2  # kinds over a word that are looked at: brother, kinsman, relative
_FEWEST = 3  # letters of a part


@lru_cache(maxsize=1_024)
def counterpart(word: str) -> str:
    """The word that says the same of the other sex, also of a compound: grandmother, grandfather; empty without one."""
    return _opposite(word) or next(filter(None, (_compound(word, at) for at in range(_FEWEST, len(word) - 2))), "")


def usual(word: str) -> str:
    """The word of which another one is only a kind, where that has a counterpart: mother for mom; else itself."""
    known = lexicon().find(word)
    return known.general if known and not counterpart(word) and counterpart(known.general) else word


def _opposite(word: str) -> str:
    """An opposite both ways, and of one kind: parent and child are opposites, but not of a kind."""
    known = lexicon().find(word)
    for other in known.antonyms if known else ():
        theirs = lexicon().find(other)
        if theirs and word in theirs.antonyms and _kinds(word) & _kinds(other):
            return other
    return ""


def _compound(word: str, at: int) -> str:
    """With its end changed, or what stands before a hyphen."""
    start, end = word[:at], word[at:]
    if end.startswith("-") and (other := _opposite(start)):
        return other + end
    made = start + other if (other := _opposite(end)) else ""
    return made if made and (start.endswith("-") or lexicon().find(made)) else ""


def _kinds(word: str) -> set[str]:
    kinds: set[str] = set()
    for _ in range(_ABOVE):
        known = lexicon().find(word)
        word = known.general if known else ""
        kinds.add(word)
    return kinds - {""}
