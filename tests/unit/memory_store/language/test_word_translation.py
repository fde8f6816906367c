"""Words of other languages: translated to English, recognised by sound, and used in answers."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.language.lexicon import save_tables
from memory_store.language.languages import NATIVE_WORDS, native
from memory_store.language.word_translation import (
    WORD_LISTS_FILE,
    WordLists,
    fold_for_comparison,
    glossary,
    translate_to_english,
)
from tools.lists.build_word_lists import WORDS, build_tables

ENGLISH = (WORDS / "english.txt").read_text(encoding="utf-8").split()
ENGLISH_TEXT = st.lists(st.sampled_from(ENGLISH), max_size=10).map(" ".join)
ANY_TEXT = st.text(st.characters(codec=None), max_size=80)
NATIVE = st.text("कखगघचछजझटठडढणतथदधनपफबभमयरलवशषसह", min_size=1, max_size=8) | st.text(
    "ਕਖਗਘਙਚਛਜਝਟਠਡਢਣਤਥਦਧਨਪਫਬਭਮਯਰਲਵਸਹ", min_size=1, max_size=8
)
KNOWN = st.sampled_from(["kal", "aspatal", "पानी", "कहाँ", "ਪਾਣੀ", "ਦੱਸੋ", "quick", "main", "is", "?", "to", "donde"])


@pytest.mark.parametrize(
    ("text", "said"), [("aspatal kahan hai", "hospital where is"), ("ਗਰਮ ਦਾ ਉਲਟਾ ਦੱਸੋ", "hot of reverse tell")]
)
def test_other_languages_are_read_word_by_word(text: str, said: str) -> None:
    read = translate_to_english(text).split()
    places = [read.index(word) for word in said.split()]
    assert places == sorted(places)
    assert translate_to_english(text).isascii()


@given(ENGLISH_TEXT)
def test_english_stays_as_it_is(text: str) -> None:
    assert translate_to_english(text) == text
    assert translate_to_english(text.upper()) == text.upper()
    for ambiguous in ("I'll go to the main door.", "So, are you  sure? (yes!)", "an ate to do", " \n"):
        assert translate_to_english(ambiguous) == ambiguous


@given(st.lists(NATIVE, min_size=1, max_size=5).map(" ".join))
def test_native_words_are_read_or_romanized(text: str) -> None:
    read = translate_to_english(text)
    assert read.isascii()
    assert any(map(str.isalnum, read))
    assert WordLists({}).english("क्झट जानवर") == "kjhat janvar"


@given(ANY_TEXT | st.lists(KNOWN, max_size=8).map(" ".join))
def test_any_text_can_be_read_and_compared(text: str) -> None:
    assert glossary().english(text) == translate_to_english(text)
    assert fold_for_comparison(text) == fold_for_comparison(text)
    assert glossary().spelled(text + "a" * 2_000).endswith("a")
    assert translate_to_english("पानी " * 1_000).startswith("water water")
    assert fold_for_comparison("मीटिंग कब है") == fold_for_comparison("meeting kab h")


def test_english_by_ear_gets_english_spelling() -> None:
    assert glossary().spelled("लाइट कब आएगी") == "light कब आएगी"
    assert glossary().spelled("कल") == "कल"  # not "call"


@pytest.mark.parametrize(
    ("word", "english"),
    [("ट्रांसफर", "transfer"), ("ਨੈੱਟਵਰਕ", "network"), ("டிக்கெட்", "ticket"), ("رپورٹ", "report"), ("पानी", None)],
)
def test_english_word_is_known_by_its_sound(word: str, english: str | None) -> None:
    assert glossary().by_ear(word) == english


_ROWS = [line.split("\t") for line in NATIVE_WORDS.read_text(encoding="utf-8").splitlines()[1:]]


@pytest.mark.parametrize(("language", "own", "in_latin"), [("hi", "ठंडा", "thanda"), ("pa", "ਗਰਮ", "garam")])
def test_word_is_given_in_either_script(language: str, own: str, in_latin: str) -> None:
    english = next(row[0] for row in _ROWS if own in row)
    assert native(english, language, in_latin=False) == own
    assert native(english, language, in_latin=True) == in_latin
    assert native("xylophonist", language, in_latin=True) == ""


@pytest.mark.slow
def test_built_file_is_of_the_lists(tmp_path: Path) -> None:
    save_tables(tmp_path / "lists", build_tables())
    is_same = (tmp_path / "lists").read_bytes() == WORD_LISTS_FILE.read_bytes()
    assert is_same, "run `python -m tools.lists.build_word_lists`"
