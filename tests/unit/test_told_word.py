"""Which word a clarification tells to be the one that is asked about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.models.told_word import told_places

WORDS = st.lists(st.sampled_from(["take", "bridge", "for", "a", "walk"]), max_size=7)


@pytest.mark.parametrize(
    ("question", "about", "said", "words"),
    [
        ("take have for a walk", "take bridge for a walk", "a sentence", "have"),
        ("take have for a walk please", "take bridge for a walk", "a sentence", "have"),
        ("what echoes two please", "what echoes four", "a homophone", "two please"),
        ("take have for a walk", "take have for a walk", "by take for a walk I mean a sentence", "have"),
        # What is repeated tells even where the earlier question was another one.
        ("take have for a walk", "send bridge on holiday", "by take for a walk I mean a sentence", "have"),
        ("take have for a walk", "take have for a walk", "a sentence", ""),
        ("take have for a walk", "send bridge on holiday", "a sentence", ""),
        ("where might night go", "where does night sleep", "a homophone", ""),
        ("", "take bridge for a walk", "a sentence", ""),
    ],
)
def test_the_place_that_is_told(question: str, about: str, said: str, words: str) -> None:
    places = told_places(question.split(), about.split(), said.split())
    assert " ".join(question.split()[place] for place in places) == words


@given(WORDS, WORDS, WORDS)
def test_any_texts_can_be_compared(question: list[str], about: list[str], said: list[str]) -> None:
    assert all(0 <= place < len(question) for place in told_places(question, about, said))
