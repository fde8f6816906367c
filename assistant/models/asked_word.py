"""Finds the word that a question asks about, and where its letters are asked for, their positions."""

from __future__ import annotations

import re
from collections.abc import Callable

from assistant.models.glossary import Glossary

_MARKED = (
    re.compile(r"<\s*([^<>]*[^<>\s])\s*>"),
    re.compile(r'"\s*([^"]*[^"\s])\s*"|“\s*([^”]*[^”\s])\s*”|‘\s*([^’]*[^’\s])\s*’'),
    re.compile(r"(?<!\w)'\s*([^']*[^'\s])\s*'(?!\w)"),
)
_EDGES = "\"'“”‘’«»()[]{}<>,;:?!.…।॥"
_BEFORE = frozenset(
    [
        "of",
        "to",
        "for",
        "with",
        "about",
        "on",
        "like",
        "as",
        "from",
        "than",
        "define",
        "word",
        "use",
        "using",
        "into",
        "letters",
        "mean",
    ]
)
_AFTER = frozenset(["of", "to", "from", "in", "like", "meaning", "means", "mean", "same", "different", "use", "as"])
_NEVER_BEFORE = frozenset(
    ["a", "an", "my", "your", "his", "her", "our", "their"]
)  # "tell me a joke" asks for a thing, not about a word
_NUMBER = re.compile(r"\d+")
_ORDINALS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "last": -1,
}
_NOT_PHRASING, _HOLDS_SYMBOLS, _BESIDE_PARTICLE, _AT_EDGE, _LEAST = 3, 2, 2, 1, 2


def asked_word(question: str, glossary: Glossary, is_phrasing: Callable[[str], bool]) -> str | None:
    """The word a question asks about, as it is written there; None where there is none.

    In brackets or quotes it is marked. Otherwise it is the word that is least part of how people ask: next to a
    preposition (English) or postposition (Hindi, Punjabi), and near the end or the beginning.

    Args:
        question: the question.
        glossary: tells the language, and particles.
        is_phrasing: whether a word belongs to how people ask.
    """
    if marked := marked_word(question):
        return marked
    words = [stripped for word in question.split() if (stripped := word.strip(_EDGES))]
    if not words:
        return None
    foreign = glossary.is_foreign(words)
    scores = [_score(words, at, glossary, is_phrasing, foreign=foreign) for at in range(len(words))]
    best = max(scores)
    if best < _LEAST:
        return None
    return words[scores.index(best) if foreign else len(scores) - 1 - scores[::-1].index(best)]


def marked_word(question: str) -> str | None:
    """The word or letters that stand in brackets or quotes, if any."""
    found = next((match for pattern in _MARKED if (match := pattern.search(question))), None)
    return next(group for group in found.groups() if group) if found else None


def positions_in(question: str, word: str) -> tuple[int, ...]:
    """Letter positions that a question names, from 1, in digits or as English ordinals; -1 is the last letter."""
    rest = question.replace(word, " ").lower()
    found = [(match.start(), int(match[0][:6])) for match in _NUMBER.finditer(rest)]
    found += [(at, number) for name, number in _ORDINALS.items() if (at := rest.find(name)) >= 0]
    return tuple(number for _, number in sorted(found))


def _score(words: list[str], at: int, glossary: Glossary, is_phrasing: Callable[[str], bool], *, foreign: bool) -> int:
    word = words[at]
    if not any(character.isalpha() for character in word):
        return 0
    score = 0 if is_phrasing(word) else _NOT_PHRASING
    if any(not character.isalnum() for character in word) and word.isascii():
        score += _HOLDS_SYMBOLS
    if not foreign and at > 0:
        if words[at - 1].lower() in _NEVER_BEFORE:
            return 0
        if words[at - 1].lower() in _BEFORE:
            score += _BESIDE_PARTICLE
    if at + 1 < len(words) and score and glossary.says(words[at + 1], _AFTER):
        score += _BESIDE_PARTICLE
    return score
