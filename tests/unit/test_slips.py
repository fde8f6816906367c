"""Slips of typing: mended towards a known question, and never so far that another word comes out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_store.slips import mended

KNOWN = "what waits at the other pole from ▢ ?"
WORD = st.text(st.sampled_from("abdeilmnorst"), min_size=1, max_size=9)
TEXT = st.lists(WORD, max_size=8).map(" ".join)


@pytest.mark.parametrize(
    ("question", "meant", "slips"),
    [
        ("what waits at the other pole from calm ?", "what waits at the other pole from calm ?", 0),
        ("what wiats at the other pole from calm ?", "what waits at the other pole from calm ?", 1),
        ("what waits att the othr pole form calm ?", "what waits att the other pole from calm ?", 2),
        ("what waits at the other pol from calm", "what waits at the other pole from calm", 1),
        ("hwat waits at the other opel from calm", "what waits at the other opel from calm", 1),
        ("what waits at the otther pole from calm", "what waits at the otther pole from calm", 0),  # compared alike
    ],
)
def test_a_word_is_read_as_the_known_one_that_it_is_a_slip_away_from(question: str, meant: str, slips: int) -> None:
    assert mended(question, KNOWN) == (meant, slips)


def test_a_slip_that_looks_like_a_small_word_is_one() -> None:
    """Folded, "phr" is "for" and "aaa" is "a", and yet nobody writes them so; "fr" and "wid" people do."""
    assert mended("calm nahi to phr kya", "▢ nahi to phir kya ?") == ("calm nahi to phir kya", 1)
    assert mended("calm ke ghar mein kaun aaa hai", "▢ ke ghar mein kaun aata hai ?")[0].split()[5] == "aata"
    assert mended("open it fr me", "open it far from me") == ("open it fr me", 0)
    assert mended("show it wid care", "show it wide") == ("show it wid care", 0)


@pytest.mark.parametrize(
    ("question", "known"),
    [
        ("is this illegal", "is this legal"),  # the first letter stays
        ("a bin for it", "a ban for it"),  # three letters are another word
        ("an act for it", "a cat for it"),
        ("is it 4500", "is it 4501"),  # numbers are no words
        ("boat or bot", "boat"),  # what the question has already is not looked for
        ("", "what"),
        ("what", ""),
    ],
)
def test_another_word_is_no_slip(question: str, known: str) -> None:
    assert mended(question, known) == (question, 0)


@given(TEXT, TEXT)
def test_only_words_are_changed_and_only_into_known_ones(question: str, known: str) -> None:
    found, changed = mended(question, known)
    before, after = question.split(), found.split()
    different = [new for old, new in zip(before, after, strict=True) if old != new]
    assert changed == len(different)
    assert set(different) <= set(known.split())
    assert all(new[0] in {word[0] for word in before} for new in different)


@given(TEXT)
def test_a_text_is_itself(text: str) -> None:
    assert mended(text, text) == (text, 0)


def test_the_signs_around_a_mended_word_stay() -> None:
    assert mended("quick ka jodidra, exam hai", "▢ ka jodidar") == ("quick ka jodidar, exam hai", 1)


def test_a_word_of_both_questions_is_no_slip_of_another() -> None:
    assert mended("blue is heard the same", "hear is heard the same") == ("blue is heard the same", 0)
