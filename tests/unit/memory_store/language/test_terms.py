"""Likeness by terms, against a plain TF-IDF cosine written out beside it."""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import compress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_store.language.normalize import SLOT, fold
from memory_store.language.terms import TermIndex, ngram_rarity, ngrams, rarest_words

ANY_TEXT = st.text(st.characters(codec=None), max_size=60)
WORDS = st.sampled_from(
    ["what", "is", "akin", "to", "quick", "quickly", "kya", "शब्द", "ਸ਼ਬਦ", "a", "▢", "ab", "aaaa", "meetings", "?", "10"]
)
TEXT = st.one_of(ANY_TEXT, st.lists(WORDS, max_size=8).map(" ".join))
TEXTS = st.lists(TEXT, min_size=1, max_size=6)
CLOSE = 1e-4  # 32-bit numbers


@pytest.fixture(scope="module", autouse=True)
def _loaded() -> None:
    ngram_rarity()


def similarity(asked: str, known: Sequence[str]) -> list[float]:
    terms = ngrams([fold(text) for text in known])
    found: list[float] = TermIndex(terms, len(known), ngram_rarity()).similarity(ngrams([fold(asked)])).tolist()
    return found


def naive_ngrams(text: str) -> Counter[int]:
    padded = [f" {word} ".replace(SLOT, "\x01") for word in fold(text).split()]
    grams = (word[at : at + size] for word in padded for size in (2, 3, 4) for at in range(len(word) - size + 1))
    return Counter(int.from_bytes(gram.encode("ascii"), "big") for gram in grams)


def naive_cosine(first: str, second: str) -> float:
    rarity = ngram_rarity()
    rare = dict(zip(rarity.codes.tolist(), rarity.values.tolist(), strict=True))
    weights = [
        {code: (1 + math.log(times)) * rare.get(code, rarity.unknown) for code, times in naive_ngrams(text).items()}
        for text in (first, second)
    ]
    lengths = [math.sqrt(sum(weight**2 for weight in each.values())) for each in weights]
    shared = sum(weights[0][code] * weights[1][code] for code in weights[0].keys() & weights[1].keys())
    return shared / (lengths[0] * lengths[1]) if all(lengths) else 0.0


@given(asked=TEXT, known=TEXTS)
def test_likeness_is_the_cosine_of_tf_idf(asked: str, known: list[str]) -> None:
    expected = [naive_cosine(asked, text) for text in known]
    assert similarity(asked, known) == pytest.approx(expected, abs=CLOSE)


@given(asked=TEXT, first=TEXTS, second=TEXTS, data=st.data())
def test_joined_indexes_say_of_what_is_kept_what_one_made_anew_says(
    asked: str, first: list[str], second: list[str], data: st.DataObject
) -> None:
    several = [TermIndex(ngrams([fold(text) for text in some]), len(some), ngram_rarity()) for some in (first, second)]
    kept = [np.array([data.draw(st.booleans()) for _ in some]) for some in (first, second)]
    joined = TermIndex.joined(several, kept).similarity(ngrams([fold(asked)])).tolist()
    assert joined == similarity(asked, list(compress([*first, *second], np.concatenate(kept))))


@pytest.mark.parametrize(("text", "rarest"), [("the राजधानी is", "राजधानी"), ("the hospital", "hospital")])
def test_the_rarest_words_are_searched_for(text: str, rarest: str) -> None:
    assert rarest_words(text, 1) == rarest


def test_without_texts_there_is_nothing_to_be_like() -> None:
    assert TermIndex(ngrams([]), 0, ngram_rarity()).similarity(ngrams(["quick"])).shape == (0,)
