"""Compare texts by letters: TF-IDF cosine of character n-grams, tolerant of typos and spellings.

The IDF comes from a fixed table, not from stored texts, so the similarity of two texts depends on no third text and on
no other user. An n-gram of up to four bytes is its own code.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from memory_store.arrays import Codes, Floats, Places

_RARITY = Path(__file__).parents[1] / "language" / "lists" / "ngram_rarity.npz"
_SIZES = (2, 3, 4)  # each is made from the one before
_SPACE = 32


@cache
def load_rarity_table() -> tuple[Codes, Floats, float]:
    """Return the table of Noted: sorted codes of n-grams, their weights, and the weight of all other n-grams.

    The weight is the inverse document frequency: the log of one over the share of messages with the n-gram, counted
    once over mixed-language messages (decision 10); it is above 0.
    """
    with np.load(_RARITY) as table:
        return table["codes"], table["values"].astype(np.float32), float(table["unknown"])


class LetterSimilarity:
    """N-grams of some folded texts, to compare with others."""

    def __init__(self, folded: Sequence[str]) -> None:
        self._count = len(folded)
        self._texts, self._codes, self._weights = _weigh(folded)

    def similarity(self, folded: str) -> Floats:
        """Return the cosine of another folded text with each of them: shape (texts,), in [0, 1]."""
        _, codes, weights = _weigh([folded])
        if not len(codes):
            return np.zeros(self._count, dtype=np.float32)
        places = np.minimum(np.searchsorted(codes, self._codes), len(codes) - 1)
        shared = codes[places] == self._codes
        products = self._weights[shared] * weights[places[shared]]
        summed = np.bincount(self._texts[shared], weights=products, minlength=self._count)
        return np.minimum(summed, 1.0).astype(np.float32)


def ngrams(folded: Sequence[str]) -> tuple[Places, Codes]:
    """Return, for each 2- to 4-gram within the words of folded texts, its text's number and its code.

    A word begins and ends with a space. Both arrays have shape (occurrences,).
    """
    padded = [f" {text.replace(' ', '  ')} ".encode("ascii", "replace") for text in folded]
    letters = np.frombuffer(b"".join(padded), dtype=np.uint8).astype(np.uint32)
    owner = np.repeat(np.arange(len(padded)), [len(text) for text in padded])
    # Words and texts are separated by two spaces, so any n-gram across a border contains both.
    inside = (letters[:-1] != _SPACE) | (letters[1:] != _SPACE)
    texts, codes = [], []
    code, whole = letters, np.ones(len(letters), dtype=bool)
    for size in _SIZES:
        code = (code[:-1] << np.uint32(8)) | letters[size - 1 :]  # the n-gram one shorter, and one more letter
        whole = whole[:-1] & inside[size - 2 :]
        texts.append(owner[: len(whole)][whole])
        codes.append(code[whole])
    return np.concatenate(texts), np.concatenate(codes)


def _weigh(folded: Sequence[str]) -> tuple[Places, Codes, Floats]:
    """Return each n-gram of each text once: the text's number, the code and the TF-IDF weight.

    Sorted by code, for fast lookups; the weights of a text have length 1.
    """
    places, found = ngrams(folded)
    pairs, times = np.unique(found.astype(np.int64) << 31 | places, return_counts=True)
    texts, codes = pairs & 0x7FFFFFFF, (pairs >> 31).astype(np.uint32)
    known, values, unknown = load_rarity_table()
    at = np.minimum(np.searchsorted(known, codes), len(known) - 1)
    rarity = np.where(known[at] == codes, values[at], np.float32(unknown))
    weights = (1 + np.log(times)).astype(np.float32) * rarity
    lengths = np.sqrt(np.bincount(texts, weights=weights * weights, minlength=len(folded))).astype(np.float32)
    return texts, codes, weights / np.maximum(lengths, np.float32(1e-9))[texts]
