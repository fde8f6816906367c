from functools import cache
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory_store.language.loanwords import Loanwords, loanwords, sound_of
from memory_store.language.normalize import respell, respell_all
from memory_store.language.word_translation import Glossary, WordList, glossary

LIST = Path(__file__).parents[3] / "support" / "loanwords.tsv"
GLOSSES = Path(__file__).parents[4] / "memory_store" / "language" / "lists"
SCRIPTS = [chr(first + place) for first in (0x0600, 0x0900, 0x0980, 0x0A00, 0x0B80) for place in range(0x80)]


@cache
def kept(section: str) -> list[tuple[str, set[str]]]:
    """Every second word of a section of the list, which nobody looked at while the matching was made."""
    text = LIST.read_text(encoding="utf-8").split(f"# {section}\n")[1].split("\n#")[0]
    rows = [line.split("\t") for line in text.splitlines()]
    return [(word, set(english.split("/"))) for word, english in rows[1::2]]


@pytest.mark.parametrize(
    ("section", "share"),
    # Measured: 0.86, 0.80, 0.67, 0.60. With the word lists more of them are known.
    [("Devanagari", 0.82), ("Gurmukhi", 0.76), ("Bengali", 0.60), ("Tamil", 0.50)],
)
def test_most_loanwords_are_known_by_their_sound_alone(section: str, share: float) -> None:
    words = kept(section)
    known = [word for word, english in words if loanwords().english(word) in english]
    assert len(known) >= share * len(words)


@pytest.mark.parametrize(
    ("section", "share"), [("Devanagari", 0.07), ("Gurmukhi", 0.13), ("Bengali", 0.03), ("Tamil", 0.10)]
)
def test_few_loanwords_become_another_word(section: str, share: float) -> None:
    words = kept(section)
    wrong = [word for word, english in words if loanwords().english(word) not in {None, *english}]
    assert len(wrong) <= share * len(words)


def test_few_native_words_would_become_english_if_no_list_had_them() -> None:
    words = kept("Native words of Hindi and Punjabi")
    taken = [word for word, _ in words if loanwords().english(word)]
    assert len(taken) <= 0.09 * len(words)  # measured: 0.073


@pytest.mark.parametrize(
    ("word", "english"),
    [
        ("मैसेज", "message"),
        ("ट्रांसफर", "transfer"),
        ("कीबोर्ड", "keyboard"),
        ("बाथरूम", "bathroom"),
        ("ਸੀਜ਼ਨ", "season"),
        ("ਨੈੱਟਵਰਕ", "network"),  # written without the sign that joins consonants
        ("পাসওয়ার্ড", "password"),  # no letter for w
        ("ভিডিও", "video"),
        ("ரிப்போர்ட்", "report"),
        ("டிக்கெட்", "ticket"),
        ("رپورٹ", "report"),
    ],
)
def test_a_word_written_by_ear(word: str, english: str) -> None:
    assert loanwords().english(word) == english


@pytest.mark.parametrize("word", ["पानी", "दाल", "घर", "तोता", "दिल", "ਧਰਤੀ", "ਘੋੜਾ", "আমি", "বাড়ি", "நான்", "வீடு", "کام"])
def test_a_word_with_letters_or_too_few_sounds_of_its_own_stays(word: str) -> None:
    assert loanwords().english(word) is None


def test_the_same_sound_means_the_more_frequent_word() -> None:
    words = Loanwords({"mesej": "message", "misaj": "massage"})
    assert words.english("मेसेज") == "message"
    assert words.english("मिसज") == "massage"


def test_s_and_sh_stay_apart() -> None:
    assert sound_of("सीट") != sound_of("शीट")


def test_a_word_list_comes_first() -> None:
    listed = WordList({"mesej": "note"}, {}, frozenset())
    assert Glossary({"hi": listed}, borrowed=Loanwords({"mesej": "message"})).english("मेसेज") == "note"
    assert Glossary({}, borrowed=Loanwords({"mesej": "message"})).english("मेसेज") == "message"
    assert Glossary({}).english("मेसेज") == "mesej"


def test_latin_letters_are_never_read_by_ear() -> None:
    assert Glossary({}, borrowed=Loanwords({"mesej": "message"})).english("mesej mésej") == "mesej mesej"


def test_a_message_reads_in_english() -> None:
    assert glossary().english("मैसेज ट्रांसफर कीबोर्ड") == "message transfer keyboard"


@given(st.text(SCRIPTS, min_size=1, max_size=12))
@example("़")
@example("्")
def test_every_word_in_these_scripts_has_an_answer(word: str) -> None:
    assert loanwords().english(word) != ""


@given(st.lists(st.text("abcdehijkstwz", max_size=8)))
def test_many_words_are_respelled_like_one(words: list[str]) -> None:
    assert respell_all(words) == [respell(word) for word in words]


def test_the_notice_stands_beside_the_list() -> None:
    assert "Carnegie Mellon" in (GLOSSES / "NOTICE-cmudict.txt").read_text(encoding="utf-8")
    assert (GLOSSES / "loanwords.txt").stat().st_size < 400_000


@pytest.mark.parametrize(
    ("word", "english"),
    [("एटीएम", "atm"), ("ਐੱਲਆਈਸੀ", "lic"), ("ਪੀਆਰ", "pr"), ("ओटीपी", "otp"), ("दीदी", None)],
)
def test_letters_that_are_named_one_by_one(word: str, english: str | None) -> None:
    assert loanwords().english(word) == english


@pytest.mark.parametrize(
    ("word", "english"), [("फ्लैट", "flat"), ("बैंड", "band"), ("ਬੈਂਡ", "band"), ("फैन", "fan"), ("बाइक", "bike")]
)
def test_the_flat_a_is_not_the_i_of_bike(word: str, english: str) -> None:
    assert loanwords().english(word) == english
