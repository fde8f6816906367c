"""Likeness in letters, against a plain TF-IDF cosine written out beside it."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_store.language.normalize import fold
from memory_store.retrieval.letters import Letters, rarity_table

ANY_TEXT = st.text(st.characters(codec=None), max_size=60)
WORDS = st.sampled_from(
    ["what", "is", "akin", "to", "quick", "quickly", "kya", "शब्द", "ਸ਼ਬਦ", "a", "ab", "aaaa", "meetings", "?", "10"]
)
TEXT = st.one_of(ANY_TEXT, st.lists(WORDS, max_size=8).map(" ".join))
TEXTS = st.lists(TEXT, min_size=1, max_size=6)
CLOSE = 1e-4  # 32-bit numbers


@pytest.fixture(scope="module", autouse=True)
def _loaded() -> None:
    rarity_table()


def naive_ngrams(text: str) -> Counter[int]:
    padded = [f" {word} " for word in fold(text).split()]
    grams = (word[at : at + size] for word in padded for size in (2, 3, 4) for at in range(len(word) - size + 1))
    return Counter(int.from_bytes(gram.encode("ascii"), "big") for gram in grams)


def naive_cosine(first: str, second: str) -> float:
    codes, values, unknown = rarity_table()
    rare = dict(zip(codes.tolist(), values.tolist(), strict=True))
    weights = [
        {code: (1 + math.log(times)) * rare.get(code, unknown) for code, times in naive_ngrams(text).items()}
        for text in (first, second)
    ]
    lengths = [math.sqrt(sum(weight**2 for weight in each.values())) for each in weights]
    shared = sum(weights[0][code] * weights[1][code] for code in weights[0].keys() & weights[1].keys())
    return shared / (lengths[0] * lengths[1]) if all(lengths) else 0.0


@given(asked=TEXT, known=TEXTS)
def test_similarity_is_tf_idf_cosine(asked: str, known: list[str]) -> None:
    found = Letters([fold(text) for text in known]).similarity(fold(asked)).tolist()
    assert found == pytest.approx([naive_cosine(asked, text) for text in known], abs=CLOSE)


def test_empty_texts_are_like_nothing() -> None:
    assert Letters([]).similarity("quick").shape == (0,)
    assert Letters(["quick"]).similarity("").tolist() == [0.0]
