"""Prompts lose invisible characters, terminal output loses control sequences, and people's texts stay."""

import itertools
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.text.cleaning import clean_for_prompt, clean_for_terminal, clean_text

pytestmark = pytest.mark.promise("invisible-text", "terminal-text")

# Written by native speakers, with everything that is easily damaged in them.
WORDS = [
    "क्‍या", "क्‌ष", "र्‍हस्व", "ज़्यादा", "हूँ", "श्रीमान्", "दुःख", "ॐ", "१२३",
    "ਪੰਜਾਬੀ", "ਸ਼ਬਦ", "ਜ਼ਿੰਦਗੀ", "ਗੁੱਸਾ", "ਪ੍ਰਸ਼ਨ", "ਸ੍‌ਰੀ", "ੴ", "੧੨੩",
    "র‍্যাব", "র‌্যাব", "উদ্‌যাপন", "सुऱ्या", "दऱ्‍या", "க்‌ஷ", "సాఫ్ట్‌వేర్", "ರ‍್ಯಾಂಕ್", "അവന്‍", "ශ්‍රී",
    "اُردو", "ہے۔", "۱۲۳؁", "بے‌حد", "قُرْآن", "اللّٰه", "﷽", "می‌خواهم", "ه‍.ش", "PDF‌ها", "۲۰‌ساله",
    "שלום", "בְּרֵאשִׁית", "צה״ל", "בֵּית־סֵפֶר", "₪",
    "👩‍👩‍👧", "❤️", "1️⃣", "*️⃣", "🇮🇳", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "👍🏽", "🏳️‍🌈", "👨🏻‍❤️‍💋‍👨🏿", "🙂‍↔️", "☎︎", "™️", "㊗️", "🏃‍♀️‍➡️", "‼️",
    "naïve café", "Tiếng Việt", "ภาษาไทย", "日本語", "한국어", "Привет", "𝒳 ≠ ∅", "a\tb\nc", "x̄", "100% [31m ] ^[ ok",
]  # fmt: skip
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

COMMANDS = [
    *("\x1b[31m", "\x9b2J", "\x1b]0;title\x07", "\x1b]8;;http://x\x1b\\", "\x9d52;c;AAAA\x9c", "\x1bP1$x\x1b\\"),
    *("\x1b_a\x1b\\", "\x1bc", "\x1b(B", "\x1b[?1049h", "\u202e", "\u2066", "\u200f", "\x07", "\x08", "\x7f"),
]
ANY_TEXT = st.text(st.characters(codec=None), max_size=60)
PIECES = st.lists(st.sampled_from([*WORDS, *COMMANDS, "\x1b", "\x9b", "a"])).map("".join)


@pytest.mark.parametrize("word", [unicodedata.normalize("NFC", word) for word in WORDS])
def test_word_stays_and_hidden_text_goes(word: str) -> None:
    assert clean_for_prompt(word) == clean_text(word) == clean_for_terminal(word) == word
    assert clean_for_prompt(f"{word}, {word}?") == f"{word}, {word}?"
    assert clean_for_prompt(f"{word}{HIDDEN['tags']} {word}\u202e{HIDDEN['private']}\u00ad") == f"{word} {word}"
    assert clean_for_prompt(f"{word} \u200d\u200c\ufe0f\u200d {word}") == f"{word}  {word}"


@pytest.mark.parametrize("kind", HIDDEN)
@pytest.mark.parametrize("around", ["ab", "a b", "אב", "中文", "12", "!?"])
def test_hidden_text_is_not_in_prompts(kind: str, around: str) -> None:
    first, second = around[0], around[1:]
    for character in HIDDEN[kind]:
        assert clean_for_prompt(first + character + second) == around
        assert clean_for_prompt(character + around + character) == around
    assert clean_for_prompt(first + HIDDEN[kind] * 3 + second) == around


@pytest.mark.parametrize("text", ["a\u200db", "می\u200c ", "🏴\U000e0067\U000e0062", "1\ufe0f2", "❤️\u200dx"])
def test_joiner_that_joins_nothing_goes(text: str) -> None:
    assert not set(clean_for_prompt(text)) & set("\u200c\u200d\U000e0067\U000e0062")
    assert not clean_for_prompt(text).startswith("1\ufe0f")


def test_stacked_marks_are_bounded() -> None:
    assert clean_for_prompt("z" + "\u0335" * 50 + "\u0300" * 50 + "!") == "z" + "\u0335" * 6 + "!"
    assert clean_for_prompt("x\u20dd\u20dd\u20dd y") == "x\u20dd\u20dd\u20dd y"


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from([*"".join(HIDDEN.values()), *"aक्मש中❤👩1\u0301\u093c", "\u20e3", " "]), max_size=30).map(
        "".join
    )
)
def test_cleaning_leaves_no_hidden_run(text: str) -> None:
    once = clean_for_prompt(text)
    assert clean_for_prompt(once) == once == unicodedata.normalize("NFC", once)
    allowed = set("\u200c\u200d\ufe0e\ufe0f")
    hidden = [unicodedata.category(character) in {"Cf", "Co", "Cn", "Cs", "Cc"} for character in once]
    assert all(character in allowed for character, is_hidden in zip(once, hidden, strict=True) if is_hidden)
    assert not any(
        first in allowed and second in "\u200c\u200d" and first != "\ufe0f"
        for first, second in itertools.pairwise(once)
    )


def test_stored_text_has_plain_line_ends() -> None:
    assert clean_text("a\ud800b\r\nc\u2028d") == "a\ufffdb\nc\nd"


@settings(max_examples=300, deadline=None)
@given(ANY_TEXT | PIECES)
def test_any_text_is_cleaned_once(text: str) -> None:
    for clean in (clean_text, clean_for_prompt, clean_for_terminal):
        once = clean(text)
        assert "\x00" not in once
        once.encode()
        assert clean(once) == once
    shown = clean_for_terminal(text)
    assert {unicodedata.category(sign) for sign in shown if sign not in "\n\t"}.isdisjoint({"Cc", "Cs", "Zl", "Zp"})
    assert not set(shown) & set(HIDDEN["direction"])


@pytest.mark.parametrize("command", COMMANDS)
def test_terminal_command_goes_whole(command: str) -> None:
    assert clean_for_terminal(f"a{command}b") == "ab"
