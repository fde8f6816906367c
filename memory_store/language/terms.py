"""Terms of texts (character n-grams), how rare each is, and the similarity of a text with many others at once.

TF-IDF with the cosine, but how rare a term is comes from a fixed table, not from the texts that happen to be stored, so
that the similarity of two texts never depends on a third. Terms are 32-bit codes: an n-gram of up to four bytes is its
own code. In numpy, a question is compared with ten thousand stored texts in well under a millisecond.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memory_store.language.normalize import SLOT, respell

Codes: TypeAlias = NDArray[np.uint32]
Floats: TypeAlias = NDArray[np.float32]
Places: TypeAlias = NDArray[np.int64]

_NGRAM_RARITY = Path(__file__).with_name("lists") / "ngram_rarity.npz"
_ENGLISH = Path(__file__).with_name("lists") / "english.txt"
_SIZES = (2, 3, 4)  # each is made of the one before it
_SPACE = 32
_SLOT_BYTE = "\x01"
_STEM = 5  # letters
_FREQUENT = 50  # so many of the most frequent words of English say nothing
_TOKEN = re.compile(r"(?:[^\W_]+|[\u0300-\u036f\u0900-\u0dff]+)+")  # letters, digits, and the signs of Indic scripts


@dataclass(frozen=True, slots=True)
class Rarity:
    """How much each term says."""

    codes: Codes  # known terms, sorted; shape (terms,)
    values: Floats  # how rare each is, above 0; shape (terms,)
    unknown: float  # how rare all others are

    def __call__(self, codes: Codes) -> Floats:
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


def rarest_words(english: str, most: int) -> str:
    """The words of an English text that say most, at most so many."""
    ranks = _ranks()
    tokens = dict.fromkeys(_TOKEN.findall(english.lower()))
    return " ".join(sorted(tokens, key=lambda token: -ranks.get(token, len(ranks)))[:most])


def share_in(asked: str, text: str) -> float:
    """How much of the words of one English text stands in another, each by how rare it is; in [0, 1].

    Words that begin alike count as the same: "allergic", "allergy".
    """
    wanted, there = _stems(asked), _stems(text)
    total = sum(wanted.values())
    return sum(min(wanted[stem], there[stem]) for stem in wanted.keys() & there.keys()) / total if total else 0.0


@lru_cache(maxsize=4_096)
def _stems(english: str) -> Mapping[str, float]:
    ranks = _ranks()
    rarest = math.log(len(ranks) / _FREQUENT)
    stems: dict[str, float] = {}
    for token in _TOKEN.findall(english.lower()):
        rare = max(0.0, math.log((ranks.get(token, len(ranks)) + 1) / _FREQUENT) / rarest)
        stem = respell(token)[:_STEM]
        stems[stem] = max(rare, stems.get(stem, 0.0))
    return stems


class TermIndex:
    """`count` texts by their terms."""

    def __init__(self, terms: Terms, count: int, rarity: Rarity) -> None:
        self._fill(*_weighted(terms, count, rarity), count, rarity)

    def _fill(self, texts: Places, codes: Codes, weights: Floats, count: int, rarity: Rarity) -> None:
        """From the terms of each text, by code; each of shape (terms of each text,)."""
        self._count = count
        self._rarity = rarity
        self._texts, self._weights = texts.astype(np.min_scalar_type(count)), weights
        starts = np.flatnonzero(np.append(True, codes[1:] != codes[:-1])[: len(codes)])
        self._codes, self._ends = codes[starts], np.append(starts, len(codes))

    @classmethod
    def joined(cls, several: Sequence[Self], kept: Sequence[NDArray[np.bool_]]) -> Self:
        """One of those texts of several, of the same rarity, that are kept; each of `kept` is of shape (texts,)."""
        parts, count = [], 0
        for each, of_each in zip(several, kept, strict=True):
            numbers, stays = np.cumsum(of_each) + (count - 1), of_each[each._texts]
            codes = np.repeat(each._codes, np.diff(each._ends))
            parts.append((numbers[each._texts[stays]], codes[stays], each._weights[stays]))
            count += int(np.count_nonzero(of_each))
        texts, codes, weights = map(np.concatenate, zip(*parts, strict=True))
        order = np.argsort(codes, kind="stable")
        made = cls.__new__(cls)
        made._fill(texts[order], codes[order], weights[order], count, several[0]._rarity)
        return made

    def similarity(self, asked: Terms) -> Floats:
        """Cosine of the only text of `asked` with each text; shape (texts,), in [0, 1]."""
        _, codes, weights = _weighted(asked, 1, self._rarity)
        if not len(codes) or not len(self._codes):
            return np.zeros(self._count, dtype=np.float32)
        places = np.minimum(np.searchsorted(self._codes, codes), len(self._codes) - 1)
        known = self._codes[places] == codes
        starts, ends = self._ends[places[known]].tolist(), self._ends[places[known] + 1].tolist()
        summed = np.zeros(self._count, dtype=np.float32)
        for start, end, share in zip(starts, ends, weights[known], strict=True):
            np.add.at(summed, self._texts[start:end].astype(np.intp), self._weights[start:end] * share)
        return np.minimum(summed, np.float32(1.0), out=summed)


@cache
def ngram_rarity() -> Rarity:
    """From the table that comes with Noted (`python -m tools.lists.build_rarity`)."""
    with np.load(_NGRAM_RARITY) as table:
        return Rarity(table["codes"], table["values"].astype(np.float32), float(table["unknown"]))


@cache
def _ranks() -> Mapping[str, int]:  # English words, the most frequent first
    return {word: rank for rank, word in enumerate(_ENGLISH.read_text(encoding="utf-8").split())}


def _weighted(terms: Terms, count: int, rarity: Rarity) -> tuple[Places, Codes, Floats]:
    """Each term of each text once, by term, with its TF-IDF weight; the weights of a text have length 1."""
    pairs = (terms.codes.astype(np.uint64) << np.uint64(32)) | terms.texts.astype(np.uint64)
    pairs, times = np.unique(pairs, return_counts=True)
    texts, codes = pairs.astype(np.uint32).astype(np.int64), (pairs >> np.uint64(32)).astype(np.uint32)
    weights = (1 + np.log(times)).astype(np.float32) * rarity(codes)
    lengths = np.sqrt(np.bincount(texts, weights=weights**2, minlength=count))
    return texts, codes, (weights / np.maximum(lengths[texts], 1e-9)).astype(np.float32)
