"""Text to keep and text for prompts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import EmptyText, TooLong
from assistant.text.cleaning import checked, for_prompt, storable


def test_lone_surrogates_and_line_ends() -> None:
    assert storable("a\ud800b\r\nc\u2028d") == "a\ufffdb\nc\nd"


@pytest.mark.parametrize("text", ["", "  \n", "\u200b\u202e", "\x00"])
def test_nothing_to_be_seen_is_empty(text: str) -> None:
    with pytest.raises(EmptyText):
        checked(text, 10)


def test_too_long_says_how_long() -> None:
    with pytest.raises(TooLong, match="1,000,000 characters long; please shorten it to 8,000"):
        checked("x" * 1_000_000, 8000)


@given(st.text(st.characters(codec=None), max_size=60))
def test_any_text_can_be_encoded_and_cleaning_twice_changes_nothing(text: str) -> None:
    for clean in (storable, for_prompt):
        once = clean(text)
        assert "\x00" not in once
        once.encode()
        assert clean(once) == once
