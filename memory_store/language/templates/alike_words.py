"""Whether a word is one of some: in another spelling or form, with a typo, or one with the same meaning. Pure.

Only words that shape questions have meanings here; what a glossary says for a word is another word.
"""

import re
from collections.abc import Iterable
from functools import cached_property, lru_cache

from Levenshtein import ratio

from assistant.language.arguments import COUNTS
from assistant.language.lexicon import lexicon
from memory_store.language.function_words import TextWord, function_words
from memory_store.language.templates.alignment import is_typo
from memory_store.language.word_translation import glossary

# Endings of forms of one English word, each with what its other forms have in its place.
_ENDINGS = {"ies": ("y",), "es": ("", "e"), "s": ("",), "ed": ("", "e"), "ing": ("", "e")}
_SHORTEST_STEM = 3
_NEARLY = 0.7  # so alike are two spellings of one word, of which one is no word
_SOUNDS = {"w": "v", "ph": "f", "x": "ks", "z": "s", "q": "k", "c": "k"}  # letters that stand for the same sound
_SILENT = re.compile(r"(?<!^)[aeiouyh]|(.)(?=\1)")
_FEWEST_SOUNDS = 2
_LONGEST_NUMBER = 18  # digits; Python refuses to read some thousand


class AlikeWords:
    """Some words, to look another one up among them."""

    def __init__(self, words: Iterable[TextWord]) -> None:
        self._words = tuple(words)
        self._signs = frozenset[object]().union(*map(_signs, self._words))
        self._written = frozenset(word.written.lower() for word in self._words)
        self._other_forms = frozenset[str]().union(*map(_other_forms, self._written))

    def has(self, word: TextWord) -> bool:
        """Whether one of them is this word."""
        written = word.written.lower()
        if not self._signs.isdisjoint(_signs(word)):
            return True
        if written in self._other_forms or not self._written.isdisjoint(_other_forms(written)):
            return True
        # Of two known words, neither is a slip of the other.
        return any(_is_slip(word, other) for other in (self._unknown if _is_word(word) else self._words))

    @cached_property
    def _unknown(self) -> tuple[TextWord, ...]:
        return tuple(word for word in self._words if not _is_word(word))


def number(word: TextWord) -> int | None:
    """Of a word that is one, in digits or letters."""
    if word.folded.isdecimal():
        return int(word.folded) if len(word.folded) <= _LONGEST_NUMBER else None
    return COUNTS.get(word.written.lower())


@lru_cache(maxsize=16_384)
def _signs(word: TextWord) -> frozenset[object]:
    """What it shares with every other word of the same meaning."""
    value, task = number(word), function_words().task(word.folded)
    said = {word.folded, *word.groups, *([] if value is None else [value]), *([("task", task)] if task else [])}
    return frozenset(said)


def _is_slip(word: TextWord, other: TextWord) -> bool:
    is_one = is_typo(word.written.lower(), other.written.lower()) or is_typo(word.folded, other.folded)
    return is_one or _is_misspelt(word.folded, other.folded)


@lru_cache(maxsize=65_536)
def _is_misspelt(typed: str, meant: str) -> bool:
    """Whether two folded words begin alike and have the same consonants, or most letters: rowter, router."""
    if typed[0] != meant[0] or min(len(typed), len(meant)) < _SHORTEST_STEM:
        return False
    sounds = _consonants(typed)
    return (len(sounds) >= _FEWEST_SOUNDS and sounds == _consonants(meant)) or ratio(typed, meant) >= _NEARLY


def _consonants(folded: str) -> str:
    for letters, sound in _SOUNDS.items():
        folded = folded.replace(letters, sound)
    return _SILENT.sub("", folded)


@lru_cache(maxsize=16_384)
def _is_word(word: TextWord) -> bool:
    """Whether it is a known word, so that it is no typo of another one; in another script by how it sounds."""
    written = word.written.lower() if word.written.isascii() else word.folded
    is_listed = glossary().has(written, ("hi", "pa")) or function_words().is_written(written)
    return is_listed or bool(lexicon().find(written)) or lexicon().is_rare(written)


@lru_cache(maxsize=16_384)
def _other_forms(written: str) -> frozenset[str]:
    """What an English word may be a form of, and the other forms of that."""
    bases = {
        written.removesuffix(ending) + instead
        for ending, others in _ENDINGS.items()
        if written.endswith(ending) and len(written) - len(ending) >= _SHORTEST_STEM
        for instead in others
    }
    known = {base for base in bases if lexicon().find(base)}
    return frozenset(known or bases)
