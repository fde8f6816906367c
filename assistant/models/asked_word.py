"""Finds the word that a question asks about, and where its letters are asked for, their positions."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import IntEnum

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
ARTICLES = frozenset(["a", "an", "the"])
# "tell me a joke" asks for a thing, not about a word; "the opposite of a joke" asks about one.
_INDEFINITE = frozenset(["a", "an"])
_NEVER_BEFORE = frozenset(["my", "your", "his", "her", "our", "their"])
_BEFORE_VERB = frozenset(["to", "word"])
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
_HOLDS_SYMBOLS, _BESIDE_PARTICLE, _LEAST = 2, 2, 2


class Kind(IntEnum):
    """How likely a word is the one that a question asks about, by itself."""

    PHRASING = 0
    EVERYDAY = 2
    CONTENT = 3


def asked_word(question: str, glossary: Glossary, kind: Callable[[str], Kind]) -> str | None:
    """The word a question asks about, as it is written there; None where there is none.

    In brackets or quotes it is marked. Otherwise it is the word that is least part of how people ask: next to a
    preposition (English) or postposition (Hindi, Punjabi), and near the end or the beginning. It is never an article;
    what stands before the article counts for the noun.

    Args:
        question: the question.
        glossary: tells the language, and particles.
        kind: how likely a word is asked about, by itself.
    """
    if marked := marked_word(question):
        return marked
    words = words_in(question)
    if not words:
        return None
    foreign = glossary.is_foreign(words)
    scores = [_score(words, at, glossary, kind(words[at]), foreign=foreign) for at in range(len(words))]
    best = max(scores)
    if best < _LEAST:
        return None
    return words[scores.index(best) if foreign else len(scores) - 1 - scores[::-1].index(best)]


def words_in(question: str) -> list[str]:
    """The words of a question as they are written, without the punctuation around them."""
    return [stripped for word in question.split() if (stripped := word.strip(_EDGES))]


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


def _score(words: list[str], at: int, glossary: Glossary, kind: Kind, *, foreign: bool) -> int:
    word = words[at]
    article = words[at - 1].lower() if at > 0 and words[at - 1].lower() in ARTICLES else ""
    before = [word.lower() for word in words[: at - 1 if article else at]]
    if word.lower() in ARTICLES or not any(character.isalpha() for character in word):
        return 0
    if not foreign and before and before[-1] in _NEVER_BEFORE:
        return 0
    signs = _BESIDE_PARTICLE if not foreign and _marks(before, kind) else 0
    follows = at + 1 < len(words) and glossary.says(words[at + 1], _AFTER)
    if follows and (kind is Kind.CONTENT or (kind and foreign)):  # an English verb takes these itself: "hides in"
        signs += _BESIDE_PARTICLE
    if article in _INDEFINITE and not (kind and signs):
        return 0
    if word.isascii() and any(not character.isalnum() and character != "'" for character in word):
        signs += _HOLDS_SYMBOLS
    return kind + signs


def _marks(before: list[str], kind: Kind) -> bool:
    """Whether the word after these is marked by the last of them as the one that is asked about."""
    if not before or before[-1] not in _BEFORE:
        return False
    if kind is Kind.CONTENT:
        return True
    # "something to put", "which word matches": a verb follows here. "the word put": none does.
    return before[-1] not in _BEFORE_VERB or before[-2:] == ["the", "word"]
