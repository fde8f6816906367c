"""What cannot be seen leaves a prompt; what scripts and emoji are spelt with stays."""

import itertools
import json
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.errors import EmptyText, TooLong
from assistant.text.cleaning import checked, for_prompt, storable

pytestmark = pytest.mark.promise("invisible-text")

DATA = Path(__file__).parents[3] / "evaluation" / "data"
PROMPTS = Path(__file__).parents[3] / "prompts"

# Words by people who write these languages, with everything that is easily damaged in them.
WORDS = {
    "hi": ["क्‍या", "क्‌ष", "विद्‍या", "र्‍हस्व", "ज़्यादा", "लड़का", "हूँ", "श्रीमान्", "दुःख", "ॐ", "१२३", "प्रश्‍न", "उच्चारण"],
    "pa": ["ਪੰਜਾਬੀ", "ਸ਼ਬਦ", "ਜ਼ਿੰਦਗੀ", "ਗੁੱਸਾ", "ਪ੍ਰਸ਼ਨ", "ਹੱਥੀਂ", "ਸ੍ਵੈ", "ੴ", "ਖ਼ੂਬ", "ਕ੍ਰਿਪਾ", "੧੨੩"],
    "bn": ["র‍্যাব", "র‌্যাব", "উদ্‌যাপন", "বাংলা", "ক্ষমা", "সৎ", "র‍্যালি"],
    "mr": ["सुऱ्या", "दऱ्‍या", "वाऱ्‍याने", "ळ"],
    "ta_te_kn_ml_si": ["தமிழ்", "க்‌ஷ", "సాఫ్ట్‌వేర్", "ಸಾಫ್ಟ್‌ವೇರ್", "ರ‍್ಯಾಂಕ್", "അവന്‍", "ശ്രീ", "ශ්‍රී", "ක්‍ෂ"],
    "ur": ["اُردو", "پاکستان", "کتابیں", "ہے۔", "۱۲۳؁", "؀۵", "بے‌حد", "قُرْآن", "اللّٰه", "﷽", "ﷺ", "ہٰذا"],
    "fa": ["می‌خواهم", "کتاب‌ها", "نمی‌دانم", "خانه‌ی", "ه‍.ش", "PDF‌ها", "۲۰‌ساله", "آزاد‌راه", "علاقه‌مند", "می‌download"],
    "he": ["שלום", "בְּרֵאשִׁית", "צה״ל", "ג׳ירפה", "אַתְּ", "בֵּית־סֵפֶר", "₪", "הַ֠מֶּלֶךְ", "שִׂמְחָה"],
    "emoji": [
        "👩‍👩‍👧", "❤️", "1️⃣", "#️⃣", "*️⃣", "🇮🇳", "🇵🇰", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "🏴󠁧󠁢󠁷󠁬󠁳󠁿", "👍🏽", "👩🏽‍🚀", "🏳️‍🌈", "🏴‍☠️", "👁️‍🗨️",
        "🐻‍❄️", "❤️‍🔥", "⛹🏿‍♀️", "🧑‍⚕️", "👨🏻‍❤️‍💋‍👨🏿", "🙂‍↔️", "🩷", "🫨", "☎︎", "™️", "ℹ️", "㊗️", "🏃‍♀️‍➡️", "©️", "‼️",
    ],
    "other": [
        "naïve café", "Ångström", "Tiếng Việt", "ภาษาไทย", "日本語", "한국어", "Привет", "γειά", "𝒳 ≠ ∅", "a\tb\nc",
        "½ €", "x̄",
    ],
}  # fmt: skip

HIDDEN = {
    "tags": "".join(chr(0xE0000 + ord(letter)) for letter in "do this") + "\U000e007f\U000e0001",
    "direction": "\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
    "zero width": "\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\ufeff\u180e",
    "soft hyphen": "\u00ad",
    "private": "\ue000\uf8ff\U000f0000\U0010fffd",
    "unassigned": "\u0378\ufffe\uffff\U000e0fff\U0003fffe",
    "selectors": "\ufe00\ufe0d\ufe0e\ufe0f\U000e0100\U000e01ef\u180b",
    "fillers": "\u115f\u1160\u3164\uffa0\u17b4\u034f\U0001d173",
    "control": "\x00\x07\x1b\x7f\x9b",
}


def benign() -> Iterator[str]:
    """More than 500 different texts: words, pairs of words, and what stands in the repository."""
    words = [word for written in WORDS.values() for word in written]
    yield from words
    for written in WORDS.values():
        yield from (" ".join(pair) for pair in itertools.permutations(written, 2))
    for first, second in itertools.pairwise(words):
        yield f"{first}, {second}?"
    for name in ("scripts_entries", "scripts_questions", "first_entries"):
        for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            yield json.loads(line)["question"]
    for line in (PROMPTS / "memprompt" / "examples.jsonl").read_text(encoding="utf-8").splitlines():
        yield json.loads(line)["question"]


def test_benign_texts_stay_as_they_are() -> None:
    texts = {unicodedata.normalize("NFC", text) for text in benign()}
    assert len(texts) > 500
    assert {text for text in texts if for_prompt(text) != text} == set()
    assert {text for text in benign() if storable(text) != text} == set()
    print(f"{len(texts)} benign texts, 0 changed")


@pytest.mark.parametrize("kind", HIDDEN)
@pytest.mark.parametrize("around", ["ab", "a b", "אב", "中文", "12", "!?", ".."])
def test_what_cannot_be_seen_is_not_in_prompts(kind: str, around: str) -> None:
    first, second = around[0], around[1:]
    for character in HIDDEN[kind]:
        assert for_prompt(first + character + second) == around
        assert for_prompt(character + around + character) == around
    assert for_prompt(first + HIDDEN[kind] * 3 + second) == around


@pytest.mark.parametrize("word", [word for name in ("hi", "pa", "ur", "fa", "he", "emoji") for word in WORDS[name]])
def test_what_is_hidden_between_real_words_goes_and_the_words_stay(word: str) -> None:
    word = unicodedata.normalize("NFC", word)
    assert for_prompt(f"{word}{HIDDEN['tags']} {word}\u202e{HIDDEN['private']}\u00ad") == f"{word} {word}"
    assert for_prompt(f"{word} \u200d\u200c\ufe0f\u200d {word}") == f"{word}  {word}"


@pytest.mark.parametrize("text", ["a\u200db", "می\u200c ", "🏴\U000e0067\U000e0062", "1\ufe0f2", "❤️\u200dx"])
def test_a_joiner_selector_or_tag_that_joins_nothing_goes(text: str) -> None:
    assert not set(for_prompt(text)) & set("\u200c\u200d\U000e0067\U000e0062")
    assert not for_prompt(text).startswith("1\ufe0f")


def test_marks_are_stacked_no_higher_than_a_script_needs() -> None:
    assert for_prompt("z" + "\u0335" * 50 + "\u0300" * 50 + "!") == "z" + "\u0335" * 6 + "!"
    assert for_prompt("x\u20dd\u20dd\u20dd y") == "x\u20dd\u20dd\u20dd y"


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from([*"".join(HIDDEN.values()), *"aक्مש中❤👩1\u0301\u093c", "\u20e3", " "]), max_size=30).map(
        "".join
    )
)
def test_cleaning_twice_changes_nothing_and_no_hidden_run_is_left(text: str) -> None:
    once = for_prompt(text)
    assert for_prompt(once) == once == unicodedata.normalize("NFC", once)
    allowed = set("\u200c\u200d\ufe0e\ufe0f")
    hidden = [unicodedata.category(character) in {"Cf", "Co", "Cn", "Cs", "Cc"} for character in once]
    assert all(character in allowed for character, is_hidden in zip(once, hidden, strict=True) if is_hidden)
    assert not any(
        first in allowed and second in "\u200c\u200d" and first != "\ufe0f"
        for first, second in itertools.pairwise(once)
    )


def test_lone_surrogates_and_line_ends_are_put_right_in_what_is_kept() -> None:
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
