"""What a text looks like, in one comparable Latin form, and how alike two texts look.

`fold` brings scripts, accents, invisible characters and the spelling habits of romanized Hindi and Punjabi together, by
`spelling.toml`. The similarities compare folded texts, are symmetric and lie in [0, 1]. The Levenshtein distance of
MemPrompt (appendix C) is taken relative to length, to tell "what is like" from "what is unlike". Pure.
"""

import math
import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path

import Levenshtein
from anyascii import anyascii

from memory_store.language.transliterate import Romanizer

SLOT = "▢"

_SPELLING = Path(__file__).with_name("lists") / "spelling.toml"
_CACHED_LENGTH = 400  # characters; longer texts are folded anew each time, so that the cache stays small
_NGRAMS = (2, 3, 4)
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
    """The comparable form of a text: Latin letters and digits in words with one space between them.

    Every string has one, lone surrogates included. Folding twice is folding once. The sign `SLOT` is kept.
    """
    return _fold_short(text) if len(text) <= _CACHED_LENGTH else _fold(text)


def form_of(name: str) -> str:
    """A name in the form in which it is looked for; one of signs only is the same only as itself.

    Signs that make another name of it are kept. Names of one form may still be two: see `same_name`.
    """
    signs = "".join(_SIGNS.findall(name)).replace("−", "-")
    return " ".join(filter(None, (fold(name), signs))) or name


def same_name(one: str, other: str) -> bool:
    """Whether two names are one: of one form, and in one script also written alike (Anna is not Ana)."""
    if form_of(one) != form_of(other):
        return False
    ours, theirs = _written(one), _written(other)
    return ours == theirs or _scripts(ours).isdisjoint(_scripts(theirs))


def _written(name: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", name).casefold()))


def _scripts(written: str) -> set[str]:
    return {unicodedata.name(letter, letter).partition(" ")[0] for letter in written if letter.isalpha()}


def latin_once(word: str) -> str:
    """`latin`, not kept in memory: for lists, the words of which would take the place of those that people use."""
    if word.isascii() and word.isalnum():
        return word.lower()
    word = _UNPRINTABLE.sub(" ", (word if word.isascii() else _to_ascii(word)).lower())
    return _SYMBOLS.sub("", word)


@lru_cache(maxsize=65_536)
def latin(word: str) -> str:
    """One word in plain Latin letters, lower case, spelled as it was written."""
    return latin_once(word)


@lru_cache(maxsize=65_536)
def respell(word: str) -> str:
    """`latin` with the habits of spelling brought together; `fold` also merges the words of the table's [words]."""
    return _spelling().respell(latin(word))


def respell_all(words: Iterable[str]) -> list[str]:
    """`respell` for each of many words, in a fraction of the time: the table goes over all of them at once."""
    plain = [latin_once(word) for word in words]
    return _spelling().respell("\n".join(plain)).split("\n") if plain else []


def is_variant(word: str) -> bool:
    """Whether the table of spellings has a word or a variant with just these letters."""
    return word in _spelling().written


def folded_similarity(first: str, second: str) -> float:
    """1 - Levenshtein distance / length of the longer, of two folded texts. 0 where a text has no letter."""
    return 1 - Levenshtein.distance(first, second) / max(len(first), len(second)) if first and second else 0.0


def ngram_similarity(first: str, second: str) -> float:
    """Cosine of the counts of character 2- to 4-grams within the words of two folded texts."""
    ours, theirs = _ngrams(first), _ngrams(second)
    if not ours or not theirs:
        return 0.0
    shared = sum(count * theirs[gram] for gram, count in ours.items())
    return min(1.0, shared / math.sqrt(_squared(ours) * _squared(theirs)))


def _fold(text: str) -> str:
    if not text.isascii():
        text = _to_ascii(text)
    text = _APOSTROPHE.sub("", _UNPRINTABLE.sub(" ", text.lower()))
    parts = (_SPLIT_LETTERS.sub(lambda letters: _SYMBOLS.sub("", letters[0]), part) for part in text.split(SLOT))
    words = (_SYMBOLS.sub(" ", part).split() for part in parts)
    folded = f" {SLOT} ".join(" ".join(map(_spelling().word, part)) for part in words)
    return " ".join(folded.split())


def _to_ascii(text: str) -> str:
    text = _INVISIBLE.sub("", _UNPRINTABLE.sub(" ", text))
    text = "".join(sign for sign in text if sign == SLOT or unicodedata.category(sign) not in _PICTURES)
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    table = _spelling()
    parts = (table.romanized(part).translate(table.arabic) for part in text.replace("’", "'").split(SLOT))
    return SLOT.join(part if part.isascii() else anyascii(part) for part in parts).lower()


def _ngrams(folded: str) -> Counter[str]:
    padded = [f" {word} " for word in folded.split()]
    return Counter(word[at : at + size] for word in padded for size in _NGRAMS for at in range(len(word) - size + 1))


def _squared(counts: Counter[str]) -> int:
    return sum(count**2 for count in counts.values())


_fold_short = lru_cache(maxsize=16_384)(_fold)


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
