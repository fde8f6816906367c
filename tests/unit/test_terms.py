"""Likeness by terms, against a plain TF-IDF cosine written out beside it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_store.gloss import in_english
from memory_store.surface import SLOT, fold
from memory_store.terms import Rarity, TermIndex, Terms, ngram_rarity, ngrams, rarest_words, word_rarity, words

ANY_TEXT = st.text(st.characters(codec=None), max_size=60)
WORDS = st.sampled_from(
    ["what", "is", "akin", "to", "quick", "quickly", "kya", "शब्द", "ਸ਼ਬਦ", "a", "▢", "ab", "aaaa", "meetings", "?", "10"]
)
TEXT = st.one_of(ANY_TEXT, st.lists(WORDS, max_size=8).map(" ".join))
TEXTS = st.lists(TEXT, min_size=1, max_size=6)
CLOSE = 1e-4  # 32-bit numbers

BOTH = pytest.mark.parametrize("kind", ["ngrams", "words"])


@pytest.fixture(scope="module", autouse=True)
def _loaded() -> None:
    ngram_rarity(), word_rarity(), in_english("")


def prepared(kind: str) -> tuple[Callable[[Sequence[str]], Terms], Callable[[], Rarity]]:
    """Texts as written to their terms, and how rare these are."""
    if kind == "ngrams":
        return lambda texts: ngrams([fold(text) for text in texts]), ngram_rarity
    return lambda texts: words([in_english(text) for text in texts]), word_rarity


def likeness(kind: str, asked: str, known: Sequence[str]) -> list[float]:
    terms, rarity = prepared(kind)
    found: list[float] = TermIndex(terms(known), len(known), rarity()).likeness(terms([asked])).tolist()
    return found


def naive_ngrams(text: str) -> Counter[int]:
    padded = [f" {word} ".replace(SLOT, "\x01") for word in fold(text).split()]
    grams = (word[at : at + size] for word in padded for size in (2, 3, 4) for at in range(len(word) - size + 1))
    return Counter(int.from_bytes(gram.encode("ascii"), "big") for gram in grams)


def counted(kind: str, text: str) -> Counter[int]:
    return naive_ngrams(text) if kind == "ngrams" else Counter(prepared(kind)[0]([text]).codes.tolist())


def naive_cosine(kind: str, first: str, second: str) -> float:
    rarity = prepared(kind)[1]()
    rare = dict(zip(rarity.codes.tolist(), rarity.values.tolist(), strict=True))
    weights = [
        {code: (1 + math.log(times)) * rare.get(code, rarity.unknown) for code, times in counted(kind, text).items()}
        for text in (first, second)
    ]
    lengths = [math.sqrt(sum(weight**2 for weight in each.values())) for each in weights]
    shared = sum(weights[0][code] * weights[1][code] for code in weights[0].keys() & weights[1].keys())
    return shared / (lengths[0] * lengths[1]) if all(lengths) else 0.0


@BOTH
@given(asked=TEXT, known=TEXTS)
def test_likeness_is_the_cosine_of_tf_idf(kind: str, asked: str, known: list[str]) -> None:
    expected = [naive_cosine(kind, asked, text) for text in known]
    assert likeness(kind, asked, known) == pytest.approx(expected, abs=CLOSE)


@BOTH
@given(first=TEXT, second=TEXT)
def test_likeness_is_symmetric(kind: str, first: str, second: str) -> None:
    assert likeness(kind, first, [second]) == pytest.approx(likeness(kind, second, [first]), abs=CLOSE)


@BOTH
@given(asked=TEXT, known=TEXTS)
def test_likeness_is_in_0_to_1_and_a_text_is_wholly_like_itself(kind: str, asked: str, known: list[str]) -> None:
    *others, itself = likeness(kind, asked, [*known, asked])
    assert all(0.0 <= value <= 1.0 for value in others)
    assert itself == pytest.approx(1.0 if counted(kind, asked) else 0.0, abs=CLOSE)


@BOTH
@given(asked=TEXT, known=TEXTS, text=TEXT)
def test_the_likeness_of_two_texts_never_depends_on_a_third(kind: str, asked: str, known: list[str], text: str) -> None:
    (alone,) = likeness(kind, asked, [text])
    assert likeness(kind, asked, [*known, text, *known])[len(known)] == pytest.approx(alone, abs=CLOSE)


@given(TEXTS)
def test_every_text_is_taken_apart_by_itself(texts: list[str]) -> None:
    found = ngrams([fold(text) for text in texts])
    for number, text in enumerate(texts):
        assert Counter(found.codes[found.texts == number].tolist()) == naive_ngrams(text)


@given(st.lists(st.text(alphabet=st.characters(max_codepoint=127)), min_size=1, max_size=5))
def test_a_text_has_one_word_for_each_run_of_letters_and_digits(texts: list[str]) -> None:
    found = words(texts)
    for number, text in enumerate(texts):
        assert (found.texts == number).sum() == len(re.findall("[a-z0-9]+", text.lower()))


def test_words_of_other_scripts_stay_whole() -> None:
    assert likeness("words", "राजधानी क्या है", ["राजधानी", "रजधन"])[0] > likeness("words", "राजधानी", ["रजधन"])[0] == 0.0
    assert rarest_words("the राजधानी is", 1) == "राजधानी"


def test_endings_say_nothing_and_rare_words_say_more() -> None:
    assert likeness("words", "meeting", ["meetings", "quick"]) == pytest.approx([1.0, 0.0])
    common, rare = likeness("words", "the hospital", ["the", "hospital"])
    assert rare > common > 0.0


def test_without_texts_there_is_nothing_to_be_like() -> None:
    assert TermIndex(ngrams([]), 0, ngram_rarity()).likeness(ngrams(["quick"])).shape == (0,)
    assert TermIndex(words([]), 0, word_rarity()).likeness(words(["quick"])).shape == (0,)


@pytest.mark.parametrize("table", [ngram_rarity, word_rarity])
def test_the_tables_of_rarity_are_sorted_and_above_0(table: Callable[[], Rarity]) -> None:
    rarity = table()
    codes = rarity.codes.tolist()
    assert codes == sorted(set(codes))
    assert (rarity.values > 0).all()
    assert rarity.unknown >= float(rarity.values.max()) > 0.0
