"""English words that were written by ear in another script."""

from functools import cache
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory_store.language.word_translation import WordLists, glossary, sound_of
from tools.lists.build_word_lists import word_list

LIST = Path(__file__).parents[3] / "support" / "texts" / "loanwords.tsv"
SCRIPTS = [chr(first + place) for first in (0x0600, 0x0900, 0x0980, 0x0A00, 0x0B80) for place in range(0x80)]


@cache
def kept(section: str) -> list[tuple[str, set[str]]]:
    """Every second word of a section of the list, which nobody looked at while the matching was made."""
    text = LIST.read_text(encoding="utf-8").split(f"# {section}\n")[1].split("\n#")[0]
    rows = [line.split("\t") for line in text.splitlines()]
    return [(word, set(english.split("/"))) for word, english in rows[1::2]]


# Measured: known 0.88, 0.82, 0.80, 0.40. With the word lists more of them are known.
@pytest.mark.parametrize(
    ("section", "least", "wrong_at_most"),
    [("Devanagari", 0.82, 0.07), ("Gurmukhi", 0.76, 0.13), ("Bengali", 0.75, 0.07), ("Tamil", 0.40, 0.10)],
)
def test_most_loanwords_are_known_by_their_sound_alone_and_few_become_another_word(
    section: str, least: float, wrong_at_most: float
) -> None:
    words = kept(section)
    found = [(glossary().by_ear(word), english) for word, english in words]
    assert sum(read in english for read, english in found) >= least * len(words)
    assert sum(read not in {None, *english} for read, english in found) <= wrong_at_most * len(words)


def test_few_native_words_would_become_english_if_no_list_had_them() -> None:
    words = kept("Native words of Hindi and Punjabi")
    taken = [word for word, _ in words if glossary().by_ear(word)]
    assert len(taken) <= 0.1 * len(words)  # measured: 0.1


# Each line has words that are heard as the English one before them; nothing where they are no English word.
HEARD = """
    transfer ट्रांसफर
    bathroom बाथरूम
    network ਨੈੱਟਵਰਕ
    ticket டிக்கெட்
    report رپورٹ ரிப்போர்ட்
    flat फ्लैट
    band बैंड ਬੈਂਡ
    bike बाइक
"""


@pytest.mark.parametrize("line", HEARD.strip().splitlines())
def test_a_word_written_by_ear(line: str) -> None:
    english, *heard = line.split()
    assert [glossary().by_ear(word) for word in heard] == [english] * len(heard)


@pytest.mark.parametrize("word", ["पानी", "दाल", "दीदी", "घर", "तोता", "ਧਰਤੀ", "ਘੋੜਾ", "আমি", "বাড়ি", "வீடு"])
def test_a_word_with_letters_or_too_few_sounds_of_its_own_stays(word: str) -> None:
    assert glossary().by_ear(word) is None


def test_the_same_sound_means_the_more_frequent_word() -> None:
    words = WordLists({}, sounds={"mesej": "message", "misaj": "massage"})
    assert words.by_ear("मेसेज") == "message"
    assert words.by_ear("मिसज") == "massage"
    assert sound_of("सीट") != sound_of("शीट")


def test_a_word_list_comes_first_and_latin_letters_are_never_read_by_ear() -> None:
    listed = word_list({"mesej": "note"})
    assert WordLists({"hi": listed}, sounds={"mesej": "message"}).english("मेसेज") == "note"
    assert WordLists({}, sounds={"mesej": "message"}).english("मेसेज") == "message"
    assert WordLists({}).english("मेसेज") == "mesej"
    assert WordLists({}, sounds={"mesej": "message"}).english("mesej mésej") == "mesej mesej"


@given(st.text(SCRIPTS, min_size=1, max_size=12))
@example("़")
@example("्")
def test_every_word_in_these_scripts_has_an_answer(word: str) -> None:
    assert glossary().by_ear(word) != ""
