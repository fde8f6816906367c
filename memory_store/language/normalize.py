"""Fold texts to one comparable Latin form, and compare spellings.

`fold` normalises scripts, accents, invisible characters and the spelling habits of romanized Hindi and Punjabi, by
`spelling.toml`. The Levenshtein distance of MemPrompt (appendix C) is taken relative to length, so that "what is like"
and "what is unlike" stay apart. Pure.
"""

import re
import tomllib
import unicodedata
from functools import cache, lru_cache
from pathlib import Path

import Levenshtein
from anyascii import anyascii

from memory_store.language.transliterate import Romanizer

_SPELLING = Path(__file__).with_name("lists") / "spelling.toml"
_CACHED_LENGTH = 400  # characters; longer texts are not cached, to keep the cache small
# Format characters (zero width, bidi, tags), combining variation selectors: invisible to readers.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]"
)
_UNPRINTABLE = re.compile("[\ud800-\udfff\x00-\x1f\x7f-\x9f]")
_PICTURES = frozenset({"So", "Sk"})  # emoji are ignored
_APOSTROPHE = re.compile("(?<=[a-z])['`](?=[a-z])")
_SPLIT_LETTERS = re.compile("(?<![a-z0-9])[a-z](?:[^a-z0-9 ]+[a-z](?![a-z0-9]))+")  # q.u.i.c.k
_SYMBOLS = re.compile("[^a-z0-9]+")
_DOUBLED = re.compile(r"([a-z])\1+")
_SIGNS = re.compile(r"(?<=\w)[+#]+|(?<!\w)[-−](?=\d)")  # C++, C#, -5


def fold(text: str) -> str:
    """Return the comparable form of a text: words of Latin letters and digits, separated by single spaces.

    Accepts any string, also with lone surrogates. Idempotent.
    """
    return _fold_short(text) if len(text) <= _CACHED_LENGTH else _fold(text)


def _fold(text: str) -> str:
    text = _APOSTROPHE.sub("", _UNPRINTABLE.sub(" ", _to_ascii(text).lower()))
    text = _SPLIT_LETTERS.sub(lambda letters: _SYMBOLS.sub("", letters[0]), text)
    return " ".join(" ".join(map(_spelling().word, _SYMBOLS.sub(" ", text).split())).split())


_fold_short = lru_cache(maxsize=16_384)(_fold)


@lru_cache(maxsize=65_536)
def to_latin(word: str) -> str:
    """Return a word in lower-case Latin letters, otherwise spelled as written."""
    return _SYMBOLS.sub("", _UNPRINTABLE.sub(" ", _to_ascii(word).lower()))


@lru_cache(maxsize=65_536)
def respell(word: str) -> str:
    """Return `to_latin` with spelling habits normalised; `fold` also merges the variants in [words] of the table."""
    return _spelling().respell(to_latin(word))


def fold_name(name: str) -> str:
    """Return the lookup form of a name: folded, with signs that distinguish names (C++, C#, -5).

    A name without letters, digits and these signs is returned unchanged. Names with one form may still differ: see
    `is_same_name`.
    """
    signs = "".join(_SIGNS.findall(name)).replace("−", "-")
    return " ".join(filter(None, (fold(name), signs))) or name


def is_same_name(one: str, other: str) -> bool:
    """Return True if two names have one form, and the same letters if in the same script (Anna is not Ana)."""
    if fold_name(one) != fold_name(other):
        return False
    ours, theirs = _letters(one), _letters(other)
    return ours == theirs or _scripts(ours).isdisjoint(_scripts(theirs))


def spelling_similarity(first: str, second: str) -> float:
    """Return 1 - Levenshtein distance / length of the longer of two folded texts; 0 if one is empty."""
    return 1 - Levenshtein.distance(first, second) / max(len(first), len(second)) if first and second else 0.0


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", name).casefold()))


def _scripts(written: str) -> set[str]:
    return {unicodedata.name(letter, letter).partition(" ")[0] for letter in written if letter.isalpha()}


def _to_ascii(text: str) -> str:
    if text.isascii():
        return text
    text = _INVISIBLE.sub("", _UNPRINTABLE.sub(" ", text))
    text = "".join(sign for sign in text if unicodedata.category(sign) not in _PICTURES)
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    table = _spelling()
    return anyascii(table.romanized(text.replace("’", "'")).translate(table.arabic))


class _Spelling:
    """Parsed table of `spelling.toml`."""

    def __init__(self) -> None:
        table = tomllib.loads(_SPELLING.read_text(encoding="utf-8"))
        self._letters = tuple(table["letters"].items())
        self.arabic = str.maketrans(table["arabic"])
        self.romanized = Romanizer(table["consonants"], table["vowels"], table["dotted"])
        self._words = {
            self.respell(variant.replace("'", "")): self.respell(word)
            for word, variants in table["words"].items()
            for variant in variants
        }
        self.word = lru_cache(maxsize=65_536)(self._word)

    def _word(self, word: str) -> str:
        respelled = self.respell(word)
        return self._words.get(respelled, respelled)

    def respell(self, word: str) -> str:
        before = ""
        while before != word:
            before = word
            for written, meant in self._letters:
                word = word.replace(written, meant)
            word = _DOUBLED.sub(r"\1", word)
        return word


@cache
def _spelling() -> _Spelling:
    return _Spelling()
