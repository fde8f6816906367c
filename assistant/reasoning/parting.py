"""Takes an English sentence that tells several things apart into sentences that tell one each. Pure.

Rex and Bruno are dogs        Rex are dogs. Bruno are dogs.
Rex has a tail and a collar   Rex has a tail. Rex has a collar.
Kiwis are birds that can't fly   Kiwis are birds. Kiwis can't fly.
My sister Kate lives in York  Kate is my sister. Kate lives in York.
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.reasoning.draft import HELPERS
from assistant.reasoning.words import Word, is_known_word, is_verb

_MOST = 6  # sentences
_IS, _A, _MY = Word("is", frozenset({"is"}), frozenset()), "a", "my"


def parts_of(words: Sequence[Word]) -> list[str]:
    """The sentences, as texts; one where nothing parts it."""
    waiting, done = [[*words]], list[list[Word]]()
    while waiting and len(waiting) + len(done) <= _MOST:
        some = waiting.pop()
        if parts := _named(some) or _related(some) or _joined(some):
            waiting += reversed(parts)
        else:
            done.append(some)
    return [" ".join(word.written for word in some) for some in (*done, *waiting)]


def _verb(words: Sequence[Word]) -> int:
    """The place of the first verb that holds a sentence together; 0 where there is none."""
    return next((at for at, word in enumerate(words) if at and not word.roles.isdisjoint(HELPERS)), 0)


def _named(words: list[Word]) -> list[list[Word]]:
    """That somebody is one's sister, and the rest of her: "My sister Kate lives in York"."""
    for at in range(len(words) - 3):
        is_named = words[at + 2].written[:1].isupper() and not (words[at + 2].roles or words[at + 2].owns)
        owned = words[at : at + 2]
        if at == 0 and "owner" in owned[0].roles and not owned[1].roles and not owned[1].owns and is_named:
            return [[words[2], _IS, *owned], words[2:]]
    return []


def _related(words: list[Word]) -> list[list[Word]]:
    """Of what something is said, and what is said of it beside that: "birds that can't fly"."""
    verb = _verb(words)
    for at in range(verb + 2, len(words) - 1):
        if verb and "relates" in words[at].roles and not words[at - 1].roles and _is_verb(words[at + 1]):
            return [words[:at], [*words[:verb], *words[at + 1 :]]]
        # "I have a dog named Bruno"
        if verb and "names" in words[at].roles and not words[at - 1].roles and words[at + 1].written[:1].isupper():
            kind = [Word(_MY if "me" in words[0].roles else _A, frozenset({"article"}), frozenset()), words[at - 1]]
            return [words[:at], [words[at + 1], _IS, *kind]]
    return []


def _joined(words: list[Word]) -> list[list[Word]]:
    """What "and" joins: two things that something is said of, or two that are said."""
    verb = _verb(words) or (1 if words and not is_known_word(words[0].written) else 0)
    at = next((at for at, word in enumerate(words) if "and" in word.roles), 0)
    if not (verb and 0 < at < len(words) - 1):
        return []
    before, behind = words[:at], words[at + 1 :]
    if at < verb:
        return [[*before, *words[verb:]], behind]
    if behind[0].roles & {"he"}:
        return [before, [*words[:verb], *behind[1:]]]
    if _is_verb(behind[0]):
        return [before, [*words[:verb], *behind]]
    return [before, behind if _verb(behind) or _is_clause(behind) else [*words[: verb + 1], *behind]]


def _is_clause(words: Sequence[Word]) -> bool:
    """Whether somebody does something of their own: "Dana lives in Goa"."""
    return len(words) > 1 and words[0].written[:1].isupper() and _is_verb(words[1])


def _is_verb(word: Word) -> bool:
    return not word.roles.isdisjoint(HELPERS) or (not word.roles and is_verb(word.written))
