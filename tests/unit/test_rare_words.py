"""Which words are taken for English: listed ones, rare ones, and unknown ones by their letters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.models.lexicon import lexicon, rare_words
from memory_store.rare_words import is_english, is_name, looks_english

RARE = ["chelicera", "wassail", "truncheon", "ossuary", "zeugma", "torpid", "gnomon"]
UNLISTED = ["paralbumin", "mawseed", "lettish", "hornswogglement", "blithesomeness"]
OTHERS = ["khidkiyan", "samjhaaunga", "mohabbat", "naukri", "dukaan", "vichhorha", "puchheya", "kharidna"]


@pytest.mark.parametrize("word", RARE)
def test_a_rare_word_is_known(word: str) -> None:
    assert lexicon().find(word) is None
    assert is_english(word)
    assert is_english(word.upper())


@pytest.mark.parametrize("word", UNLISTED)
def test_an_unknown_word_is_judged_by_its_letters(word: str) -> None:
    assert not is_english(word)
    assert looks_english(word)


@pytest.mark.parametrize("word", OTHERS)
def test_words_of_hindi_and_punjabi_do_not_look_english(word: str) -> None:
    assert not is_english(word)
    assert not looks_english(word)


@pytest.mark.parametrize("word", ["salman", "Gurpreet", "ludhiana"])
def test_names_without_a_large_letter_are_names(word: str) -> None:
    assert is_name(word)
    assert not looks_english(word)


def test_the_list_has_no_word_of_the_lexicon() -> None:
    assert not [word for word in rare_words() if lexicon().find(word)]


@given(st.text(max_size=20))
def test_whatever_a_word_is_made_of_it_is_judged_the_same_in_any_case(word: str) -> None:
    if word.isascii():
        assert looks_english(word) == looks_english(word.upper())
    assert not (looks_english(word) and not word.isalpha())
