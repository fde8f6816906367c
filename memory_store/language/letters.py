"""Compare texts by letters: TF-IDF cosine of character n-grams, tolerant of typos and spellings.

The IDF comes from a fixed table, not from stored texts, so the similarity of two texts depends on no third text and on
no other user. An n-gram of up to four bytes is its own code.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memory_store.arrays import Codes, Floats, Places

_RARITY = Path(__file__).with_name("lists") / "ngram_rarity.npz"
_SIZES = (2, 3, 4)  # each is made from the one before
_TWO_SPACES = 0x2020


@cache
def load_rarity_table() -> tuple[Codes, Floats, float]:
    """Return the table of Noted: sorted codes of n-grams, their weights, and the weight of all other n-grams.

    The weight is the inverse document frequency: the log of one over the share of messages with the n-gram, counted
    once over mixed-language messages (decision 10); it is above 0.
    """
    with np.load(_RARITY) as table:
        return table["codes"], table["values"].astype(np.float32), float(table["unknown"])


def compare_letters(folded: str, others: Sequence[str], lengths: Sequence[float]) -> Floats:
    """Return the cosine of a folded text with each of the others: shape (others,), in [0, 1].

    `lengths` are the results of `measure_letters` for the others; the index stores them, since computing them is slow.
    """
    texts, found = _ngrams(others)
    asked = _ngrams([folded])[1]
    codes, times = np.unique(asked[_is_in_word(asked)], return_counts=True)
    if not len(codes) or not len(texts):
        return np.zeros(len(others), dtype=np.float32)
    is_known = np.zeros(1 << 16, dtype=bool)
    is_known[_hash(codes)] = True
    likely = np.flatnonzero(is_known[_hash(found)])  # a filter, since searching for all codes is slower
    texts, found = texts[likely], found[likely]
    at = np.minimum(np.searchsorted(codes, found), len(codes) - 1)
    is_shared = codes[at] == found
    counts = np.bincount(texts[is_shared] * len(codes) + at[is_shared])
    shared = np.flatnonzero(counts)
    texts, at = np.divmod(shared, len(codes))
    rarity = _rarity(codes)
    weights = _damp(times) * rarity
    products = np.bincount(texts, _damp(counts[shared]) * (weights * rarity)[at], minlength=len(others))
    cosines = products / np.maximum(np.sqrt(weights @ weights) * np.asarray(lengths), 1e-9)
    found_cosines: Floats = np.minimum(cosines, 1).astype(np.float32)
    return found_cosines


def measure_letters(folded: Sequence[str]) -> Floats:
    """Return the lengths of the TF-IDF vectors of folded texts: shape (texts,)."""
    texts, codes = _ngrams(folded)
    kept = np.flatnonzero(_is_in_word(codes))
    pairs, times = np.unique(codes[kept].astype(np.int64) << 31 | texts[kept], return_counts=True)
    weights = _damp(times) * _rarity((pairs >> 31).astype(np.uint32))
    return np.sqrt(np.bincount(pairs & 0x7FFFFFFF, weights=weights * weights, minlength=len(folded)))


def _ngrams(folded: Sequence[str]) -> tuple[Places, Codes]:
    """Return, for each 2- to 4-gram of folded texts, its text's number and its code: shape (occurrences,).

    A word begins and ends with a space, and so does a text. An n-gram across a border contains both, side by side.
    """
    padded = [f" {text.replace(' ', '  ')} ".encode("ascii", "replace") for text in folded]
    letters = np.frombuffer(b"".join(padded), dtype=np.uint8).astype(np.uint32)
    owner = np.repeat(np.arange(len(padded)), [len(text) for text in padded])
    codes = [letters]
    for size in _SIZES:
        codes.append((codes[-1][:-1] << np.uint32(8)) | letters[size - 1 :])
    return np.concatenate([owner[: len(each)] for each in codes[1:]]), np.concatenate(codes[1:])


def _is_in_word(codes: Codes) -> NDArray[np.bool_]:
    last, middle, first = codes & 0xFFFF, (codes >> np.uint32(8)) & 0xFFFF, codes >> np.uint32(16)
    is_whole: NDArray[np.bool_] = (last != _TWO_SPACES) & (middle != _TWO_SPACES) & (first != _TWO_SPACES)
    return is_whole


def _rarity(codes: Codes) -> Floats:
    known, values, unknown = load_rarity_table()
    at = np.minimum(np.searchsorted(known, codes), len(known) - 1)
    return np.where(known[at] == codes, values[at], np.float32(unknown))


def _hash(codes: Codes) -> Codes:
    return (codes * np.uint32(2_654_435_761)) >> np.uint32(16)  # Knuth's multiplicative hash


def _damp(times: Places) -> Floats:
    return (1 + np.log(times)).astype(np.float32)
