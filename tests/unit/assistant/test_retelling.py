"""Where a person repeats their question when they put an answer right, and what that leaves out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.feedback.retelling import retelling

WORDS = st.lists(st.sampled_from(["take", "a", "for", "word", "x"]), max_size=8).map(tuple)


def left_out(question: str, said: str) -> str | None:
    found = retelling(tuple(question.split()), tuple(said.split()))
    return None if found is None else " ".join(question.split()[slice(*found.left_out)])


@pytest.mark.parametrize(
    ("question", "said", "word"),
    [
        ("take bridge for a walk", "by take for a walk I mean a sentence", "bridge"),
        ("take bridge for a walk", "when I say take x for a walk use it", "bridge"),
        ("ok take bridge for a walk please", "by take for a walk I mean a sentence", "bridge"),
        ("mean ki gehrai mein jao", "jab main ki gehrai mein jao bolun to paribhasha dena", "mean"),
        ("who walks with bridge", "who walks with means the same", "bridge"),
        ("what rings when bell rings", "by what rings when rings I mean a homophone", "bell"),
        ("for the for a walk", "by for for a walk I mean that", "the"),
        # All of it is repeated, so nothing tells.
        ("take bridge for a walk", "by take bridge for a walk I mean a sentence", ""),
    ],
)
def test_what_a_repetition_leaves_out(question: str, said: str, word: str) -> None:
    assert left_out(question, said) == word


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("take bridge for a walk", "I wanted a sentence"),
        ("take bridge for a walk", "by walk I mean a sentence"),
        ("what is the opposite of hot", "what is the same as hot"),
        ("", "a sentence"),
        ("take bridge for a walk", ""),
    ],
)
def test_a_few_words_in_common_are_no_repetition(question: str, said: str) -> None:
    assert left_out(question, said) is None


@given(WORDS, WORDS)
def test_what_is_found_stands_in_both(question: tuple[str, ...], said: tuple[str, ...]) -> None:
    if found := retelling(question, said):
        (first, last), (begins, ends) = found
        assert 0 <= first <= last <= len(question)
        assert 0 <= begins < ends <= len(said)
        assert set(said[begins:ends]) <= {*question, "x", "word", "something"}
