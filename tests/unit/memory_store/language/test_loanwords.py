"""English words that were written by ear in another script."""

import pytest

from memory_store.language.word_translation import WordLists, glossary, sound_of
from tools.lists.build_word_lists import word_list

SOUNDS = {"mesej": "message", "misaj": "massage"}


@pytest.mark.parametrize(
    ("word", "english"),
    [("ट्रांसफर", "transfer"), ("बाइक", "bike"), ("ਨੈੱਟਵਰਕ", "network"), ("டிக்கெட்", "ticket"), ("رپورٹ", "report")],
)
def test_english_word_is_known_by_its_sound(word: str, english: str) -> None:
    assert glossary().by_ear(word) == english


@pytest.mark.parametrize("word", ["पानी", "घर", "ਧਰਤੀ", "আমি", "வீடு"])
def test_native_word_is_no_english_word(word: str) -> None:
    assert glossary().by_ear(word) is None


def test_same_sound_is_the_more_frequent_word() -> None:
    words = WordLists({}, sounds=SOUNDS)
    assert words.by_ear("मेसेज") == "message"
    assert words.by_ear("मिसज") == "massage"
    assert sound_of("सीट") != sound_of("शीट")


def test_word_list_comes_before_the_sound() -> None:
    listed = word_list({"mesej": "note"})
    assert WordLists({"hi": listed}, sounds=SOUNDS).english("मेसेज") == "note"
    assert WordLists({}, sounds=SOUNDS).english("मेसेज") == "message"
    assert WordLists({}).english("मेसेज") == "mesej"
    assert WordLists({}, sounds=SOUNDS).english("mesej mésej") == "mesej mesej"
