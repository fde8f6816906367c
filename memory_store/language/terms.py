"""Terms of texts (character n-grams, words), how rare each is, and the likeness of a text with many others at once.

TF-IDF with the cosine, as in any search engine, but for one thing: how rare a term is comes from a fixed table, not
from the texts that happen to be stored, so that the likeness of two texts never depends on a third. Terms are 32-bit
codes: an n-gram of up to four bytes is its own code, a word is hashed. All of it is numpy, so that a question is
compared with ten thousand stored texts in well under a millisecond.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from memory_store.surface import SLOT

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Codes: TypeAlias = NDArray[numpy.uint32]
    Floats: TypeAlias = NDArray[numpy.float32]
    Places: TypeAlias = NDArray[numpy.int64]

_NGRAM_RARITY = Path(__file__).with_name("ngram_rarity.npz")
_ENGLISH = Path(__file__).with_name("glosses") / "english.txt"
_SIZES = (2, 3, 4)  # each is made of the one before it
_SPACE = 32
_SLOT_BYTE = "\x01"
_TOKEN = re.compile(r"(?:[^\W_]+|[\u0300-\u036f\u0900-\u0dff]+)+")  # letters, digits, and the signs of Indic scripts
_ENDINGS = ("ings", "ing", "edly", "ed", "ies", "es", "s", "ly")
_SHORTEST_STEM = 3
_COMMONEST, _RAREST = 0.3, 6.5  # rarity of the most common English word and of one that no list has


@dataclass(frozen=True, slots=True)
class Rarity:
    """How much each term says.

    Args:
        codes: known terms, sorted; shape (terms,).
        values: how rare each is, above 0; shape (terms,).
        unknown: how rare all others are.
    """

    codes: Codes
    values: Floats
    unknown: float

    def __call__(self, codes: Codes) -> Floats:
        """Shape of `codes`."""
        import numpy as np

        places = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        found: Floats = np.where(self.codes[places] == codes, self.values[places], np.float32(self.unknown))
        return found


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of some texts: text number and code of each occurrence, both of shape (occurrences,)."""

    texts: Places
    codes: Codes


def ngrams(folded: Sequence[str]) -> Terms:
    """The character 2- to 4-grams within the words of folded texts; a word begins and ends with a space."""
    import numpy as np

    padded = [f" {text.replace(SLOT, _SLOT_BYTE).replace(' ', '  ')} ".encode("ascii", "replace") for text in folded]
    letters = np.frombuffer(b"".join(padded), dtype=np.uint8).astype(np.uint32)
    owner = np.repeat(np.arange(len(padded)), [len(text) for text in padded])
    # Two spaces stand between words and between texts, so what crosses a border holds both of them.
    inside = (letters[:-1] != _SPACE) | (letters[1:] != _SPACE)
    texts, codes = [], []
    code, whole = letters, np.ones(len(letters), dtype=bool)
    for size in _SIZES:
        # One letter more at the end of those that are one shorter.
        code = (code[:-1] << np.uint32(8)) | letters[size - 1 :]
        whole = whole[:-1] & inside[size - 2 :]
        texts.append(owner[: len(whole)][whole])
        codes.append(code[whole])
    return Terms(np.concatenate(texts), np.concatenate(codes))


def words(english: Sequence[str]) -> Terms:
    """The words of texts as they read in English, without their endings."""
    import numpy as np

    found = [_word_codes(text) for text in english]
    owner = np.repeat(np.arange(len(found)), [len(codes) for codes in found])
    return Terms(owner, np.fromiter(chain.from_iterable(found), dtype=np.uint32))


def rarest_words(english: str, most: int) -> str:
    """The words of an English text that say most, at most so many."""
    import numpy as np

    tokens = list(dict.fromkeys(_TOKEN.findall(english.lower())))
    rare = word_rarity()(np.array([_code(token) for token in tokens], dtype=np.uint32))
    order = np.argsort(-rare, kind="stable")[:most]
    return " ".join(tokens[place] for place in order.tolist())


class TermIndex:
    """Texts by their terms.

    Args:
        terms: of all texts.
        count: how many texts there are.
        rarity: how much each term says.
    """

    def __init__(self, terms: Terms, count: int, rarity: Rarity) -> None:
        import numpy as np

        self._count = count
        self._rarity = rarity
        self._texts, codes, self._weights = _weighted(terms, count, rarity)
        starts = np.flatnonzero(np.append(True, codes[1:] != codes[:-1])[: len(codes)])
        self._codes, self._ends = codes[starts], np.append(starts, len(codes))

    def likeness(self, asked: Terms) -> Floats:
        """Cosine of the only text of `asked` with each text; shape (texts,), in [0, 1]."""
        import numpy as np

        _, codes, weights = _weighted(asked, 1, self._rarity)
        if not len(codes) or not len(self._codes):
            return np.zeros(self._count, dtype=np.float32)
        places = np.minimum(np.searchsorted(self._codes, codes), len(self._codes) - 1)
        known = self._codes[places] == codes
        starts, ends = self._ends[places[known]].tolist(), self._ends[places[known] + 1].tolist()
        summed = np.zeros(self._count, dtype=np.float32)
        for start, end, share in zip(starts, ends, weights[known], strict=True):
            np.add.at(summed, self._texts[start:end], self._weights[start:end] * share)
        return np.minimum(summed, np.float32(1.0), out=summed)


@cache
def ngram_rarity() -> Rarity:
    """From the table that comes with Noted (`python -m tools.build_rarity`)."""
    import numpy as np

    with np.load(_NGRAM_RARITY) as table:
        return Rarity(table["codes"], table["values"].astype(np.float32), float(table["unknown"]))


@cache
def word_rarity() -> Rarity:
    """From the English words in the order of their frequency: by Zipf's law, rarity grows with the log of the rank."""
    import numpy as np

    english = _ENGLISH.read_text(encoding="utf-8").split()
    step = (_RAREST - _COMMONEST) / np.log(len(english))
    rare: dict[int, float] = {}
    for rank, word in enumerate(english, start=1):
        rare.setdefault(_code(word), float(_COMMONEST + step * np.log(rank)))
    codes = np.array(sorted(rare), dtype=np.uint32)
    return Rarity(codes, np.array([rare[int(code)] for code in codes], dtype=np.float32), _RAREST)


def _weighted(terms: Terms, count: int, rarity: Rarity) -> tuple[Places, Codes, Floats]:
    """Each term of each text once, by term, with its TF-IDF weight; the weights of a text have length 1."""
    import numpy as np

    pairs = (terms.codes.astype(np.uint64) << np.uint64(32)) | terms.texts.astype(np.uint64)
    pairs, times = np.unique(pairs, return_counts=True)
    texts, codes = pairs.astype(np.uint32).astype(np.int64), (pairs >> np.uint64(32)).astype(np.uint32)
    weights = (1 + np.log(times)).astype(np.float32) * rarity(codes)
    lengths = np.sqrt(np.bincount(texts, weights=weights**2, minlength=count))
    return texts, codes, (weights / np.maximum(lengths[texts], 1e-9)).astype(np.float32)


@lru_cache(maxsize=16_384)
def _word_codes(english: str) -> tuple[int, ...]:
    return tuple(map(_code, _TOKEN.findall(english.lower())))


@lru_cache(maxsize=65_536)
def _code(word: str) -> int:
    return zlib.crc32(_stem(word).encode("utf-8", "replace"))


def _stem(word: str) -> str:
    """The word without a common English ending. Wrong now and then, but for both texts alike."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word[: -len(ending)]
    return word
