"""Reading other languages word by word in English."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_store.language.word_translation import (
    NO_TEXTS,
    WordLists,
    compared,
    glossary,
    in_english,
    in_english_spelling,
)
from tools.lists.build_word_lists import WORDS, read_english, read_list, word_list

ENGLISH = (WORDS / "english.txt").read_text(encoding="utf-8").split()
ENGLISH_TEXT = st.lists(st.sampled_from(ENGLISH), max_size=10).map(" ".join)
ANY_TEXT = st.text(st.characters(codec=None), max_size=80)
NATIVE = st.text("कखगघचछजझटठडढणतथदधनपफबभमयरलवशषसह", min_size=1, max_size=8) | st.text(
    "ਕਖਗਘਙਚਛਜਝਟਠਡਢਣਤਥਦਧਨਪਫਬਭਮਯਰਲਵਸਹ", min_size=1, max_size=8
)
KNOWN = st.sampled_from(["kal", "aspatal", "पानी", "कहाँ", "ਪਾਣੀ", "ਦੱਸੋ", "quick", "main", "is", "?", "to", "donde"])


def _from(folder: Path, sounds: Mapping[str, str] = NO_TEXTS) -> WordLists:
    return WordLists({"hi": read_list(folder / "hi.tsv")}, read_english(folder), sounds)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("aspatal kahan hai", "hospital where is"),
        ("quick जैसा शब्द बताओ", "quick like word tell"),
        ("ਗਰਮ ਦਾ ਉਲਟਾ ਦੱਸੋ", "hot of reverse tell"),
    ],
)
def test_other_languages_are_read_word_by_word(text: str, said: str) -> None:
    read = in_english(text).split()
    places = [read.index(word) for word in said.split()]
    assert places == sorted(places)
    assert in_english(text).isascii()


@given(ENGLISH_TEXT)
def test_english_stays_as_it_is(text: str) -> None:
    assert in_english(text) == text
    assert in_english(text.upper()) == text.upper()
    for ambiguous in ("I'll go to the main door.", "So, are you  sure? (yes!)", "an ate to do", " \n"):
        assert in_english(ambiguous) == ambiguous


@given(st.lists(NATIVE, min_size=1, max_size=5).map(" ".join))
def test_native_words_are_read_or_romanized(text: str) -> None:
    read = in_english(text)
    assert read.isascii()
    assert any(map(str.isalnum, read))
    assert WordLists({}).english("क्झट जानवर") == "kjhat janvar"


@given(ANY_TEXT | st.lists(KNOWN, max_size=8).map(" ".join))
def test_any_text_can_be_read_and_compared(text: str) -> None:
    assert glossary().english(text) == in_english(text)
    assert compared(text) == compared(text)
    assert in_english_spelling(text + "a" * 2_000).endswith("a")
    assert in_english("पानी " * 1_000).startswith("water water")
    assert compared("मीटिंग कब है") == compared("meeting kab h")


def test_list_marks_english_and_spellings(tmp_path: Path) -> None:
    (tmp_path / "english.txt").write_text("the door pen", encoding="utf-8")
    (tmp_path / "hi.tsv").write_text("# words\nkalam, qalam\tpen\ndoor?\tfar\n", encoding="utf-8")
    read = _from(tmp_path).english
    assert read("kalam") == read("qalam") == read("kalamm") == "pen"
    assert read("door pen") == "door pen"
    assert read("kalam door") == "pen far"


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("लाइट कब आएगी", "light कब आएगी"),
        ("ਬੁਕਿੰਗ ਦੀ ਰਸੀਦ", "booking ਦੀ ਰਸੀਦ"),
        ("कल", "कल"),  # no call
    ],
)
def test_english_by_ear_gets_english_spelling(text: str, spelled: str) -> None:
    assert in_english_spelling(text) == spelled


def test_native_word_is_no_other_of_its_sound(tmp_path: Path) -> None:
    (tmp_path / "hi.tsv").write_text("kar\tdo\ncar?, कार\tcar\n", encoding="utf-8")
    (tmp_path / "english.txt").write_text("car\n", encoding="utf-8")
    read = _from(tmp_path, {"kar": "car"})
    assert (read.english("कर"), read.english("कार"), read.english("kar")) == ("do", "car", "do")
    assert (read.spelled("कर"), read.spelled("कार")) == ("कर", "car")


def test_gurmukhi_falls_back_to_the_hindi_list() -> None:
    hindi = word_list({"arji": "application", "roti": "bread"})
    read = WordLists({"hi": hindi, "pa": word_list({"roti": "food"})})
    assert read.english("ਅਰਜੀ ਰੋਟੀ") == "application food"


def test_most_spoken_language_is_chosen() -> None:
    hindi = word_list({"sab": "all", "hai": "is"})
    punjabi = word_list({"sab": "everyone", "dasso": "tell"})
    read = WordLists({"hi": hindi, "pa": punjabi})
    assert (read.english("sab hai"), read.english("sab dasso")) == ("all is", "everyone tell")
