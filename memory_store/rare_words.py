"""Whether a word is an English one, be it as rare as "patricide", and not one of Hindi or Punjabi, as "khidkiyan" is.

People ask about the words that they do not know, and nobody's list of English is ever whole. So a word that no list has
is judged by its letters: a naive Bayes over n-grams, of frequent English words against words of Hindi and Punjabi as
people write them in Latin letters. Pure, but for the lists, which are read once.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache

from assistant.models.lexicon import lexicon, rare_words
from memory_store.gloss import FOLDER, glossary

_NAMES = FOLDER / "names.txt"
_LANGUAGES = ("hi", "pa")
_LENGTH = 4  # letters of an n-gram
_WORDS = 20_000  # of English; more do not tell them apart better
_UNSEEN = 0.5  # how often an n-gram counts that was never seen


@lru_cache(maxsize=16_384)
def is_english(word: str) -> bool:
    """Whether a word is a known English one, in whatever case. A rare one that Hindi or Punjabi has too is not."""
    text = word.lower()
    if lexicon().find(text):
        return True
    return text in rare_words() and not is_name(text) and not glossary().has(text, _LANGUAGES)


@lru_cache(maxsize=16_384)
def looks_english(word: str, least: float = 0.0) -> bool:
    """Whether the letters of a word are rather those of an English one, and no list has it as another word.

    Args:
        word: in Latin letters, in whatever case.
        least: mean log odds of its n-grams from which it does.
    """
    text = word.lower()
    if not text.isascii() or not text.isalpha() or is_name(word) or glossary().has_alike(text, _LANGUAGES):
        return False
    odds = _odds()
    found = _ngrams(text)
    return sum(odds.get(ngram, 0.0) for ngram in found) >= least * len(found)


def is_name(word: str) -> bool:
    """Whether a word is one of the names that people often type without a large letter."""
    return word.lower() in _names()


@cache
def _names() -> frozenset[str]:
    lines = _NAMES.read_text(encoding="utf-8").splitlines()
    return frozenset(name for line in lines if not line.startswith("#") for name in line.split())


def _ngrams(word: str) -> list[str]:
    closed = f"^{word}$"
    return [closed[at : at + _LENGTH] for at in range(max(1, len(closed) - _LENGTH + 1))]


@cache
def _odds() -> Mapping[str, float]:
    """How much likelier each n-gram is in English, as a logarithm."""
    english = _counted(word.text for word in lexicon().frequent(_WORDS))
    other = _counted(word for word in glossary().written(_LANGUAGES) if lexicon().find(word) is None)
    known = english.keys() | other.keys()
    share = math.log(other.total() + _UNSEEN * len(known)) - math.log(english.total() + _UNSEEN * len(known))
    return {ngram: math.log(english[ngram] + _UNSEEN) - math.log(other[ngram] + _UNSEEN) + share for ngram in known}


def _counted(words: Iterable[str]) -> Counter[str]:
    return Counter(ngram for word in words if word.isascii() and word.isalpha() for ngram in _ngrams(word))
