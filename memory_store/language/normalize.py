"""Bring texts into one comparable Latin form, and compare how alike two of them are spelled.

`fold` brings scripts, accents, invisible characters and the spelling habits of romanized Hindi and Punjabi together, by
`spelling.toml`. The Levenshtein distance of MemPrompt (appendix C) is taken relative to length, to tell "what is like"
from "what is unlike". Pure.
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
_CACHED_LENGTH = 400  # characters; longer texts are folded anew each time, so that the cache stays small
# Format characters (zero width, bidi, tags), combining variation selectors: they change nothing that a person reads.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]"
)
_UNPRINTABLE = re.compile("[\ud800-\udfff\x00-\x1f\x7f-\x9f]")
_PICTURES = frozenset({"So", "Sk"})  # emoji say nothing that is compared
_APOSTROPHE = re.compile("(?<=[a-z])['`](?=[a-z])")
_SPLIT_LETTERS = re.compile("(?<![a-z0-9])[a-z](?:[^a-z0-9 ]+[a-z](?![a-z0-9]))+")  # q.u.i.c.k
_SYMBOLS = re.compile("[^a-z0-9]+")
_DOUBLED = re.compile(r"([a-z])\1+")
_SIGNS = re.compile(r"(?<=\w)[+#]+|(?<!\w)[-−](?=\d)")  # C++, C#, -5


def fold(text: str) -> str:
    """Return the comparable form of a text: Latin letters and digits in words with one space between them.

    Every string has one, lone surrogates included. Folding twice is folding once.
    """
    return _fold_short(text) if len(text) <= _CACHED_LENGTH else _fold(text)


def _fold(text: str) -> str:
    text = _APOSTROPHE.sub("", _UNPRINTABLE.sub(" ", _to_ascii(text).lower()))
    text = _SPLIT_LETTERS.sub(lambda letters: _SYMBOLS.sub("", letters[0]), text)
    return " ".join(" ".join(map(_spelling().word, _SYMBOLS.sub(" ", text).split())).split())


_fold_short = lru_cache(maxsize=16_384)(_fold)


@lru_cache(maxsize=65_536)
def latin(word: str) -> str:
    """Return one word in plain Latin letters, lower case, spelled as it was written."""
    return _SYMBOLS.sub("", _UNPRINTABLE.sub(" ", _to_ascii(word).lower()))


@lru_cache(maxsize=65_536)
def respell(word: str) -> str:
    """Return `latin` with the habits of spelling brought together; `fold` also merges the words of [words]."""
    return _spelling().respell(latin(word))


def form_of(name: str) -> str:
    """Return the form in which a name is looked up; a name of signs only is the same only as itself.

    Signs that make another name of it are kept. Names of one form may still be two: see `same_name`.
    """
    signs = "".join(_SIGNS.findall(name)).replace("−", "-")
    return " ".join(filter(None, (fold(name), signs))) or name


def same_name(one: str, other: str) -> bool:
    """Return True if two names are one: of one form, and in one script also written alike (Anna is not Ana)."""
    if form_of(one) != form_of(other):
        return False
    ours, theirs = _letters(one), _letters(other)
    return ours == theirs or _scripts(ours).isdisjoint(_scripts(theirs))


def folded_similarity(first: str, second: str) -> float:
    """Return 1 - Levenshtein distance / length of the longer of two folded texts; 0 where a text has no letter."""
    return 1 - Levenshtein.distance(first, second) / max(len(first), len(second)) if first and second else 0.0


def is_variant(word: str) -> bool:
    """Return True if the table of spellings has a word or a variant with just these letters."""
    return word in _spelling().written


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
    """The table of `spelling.toml`, ready for use."""

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
        self.written = frozenset(table["words"]).union(*table["words"].values())
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
