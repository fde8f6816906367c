"""What is stored and what a terminal prints: of any text at all, and of those that people and attackers write."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.text.cleaning import printable, storable

pytestmark = pytest.mark.promise("terminal-text")

PLAIN = ["क्या आप ठीक हैं?", "ਕੀ ਹਾਲ ਹੈ", "क्‍ष", "👩‍👩‍👧", "می‌خواهم", "tab\there\nline", "100% [31m ] ^[ ok", "ß"]
COMMANDS = [
    *("\x1b[31m", "\x9b2J", "\x1b]0;title\x07", "\x1b]8;;http://x\x1b\\", "\x9d52;c;AAAA\x9c", "\x1bP1$x\x1b\\"),
    *("\x1b_a\x1b\\", "\x1bc", "\x1b(B", "\x1b[?1049h", "\u202e", "\u2066", "\u200f", "\x07", "\x08", "\x7f"),
]
PIECES = st.lists(st.sampled_from([*PLAIN, *COMMANDS, "\x1b", "\x9b", "a"]))
ANYTHING = st.text(st.characters(), max_size=40) | PIECES.map("".join)


@settings(max_examples=300, deadline=None)
@given(ANYTHING)
def test_nothing_that_steers_a_terminal_is_left(text: str) -> None:
    shown = printable(text)
    assert {unicodedata.category(sign) for sign in shown if sign not in "\n\t"}.isdisjoint({"Cc", "Cs", "Zl", "Zp"})
    assert not set(shown) & set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
    assert printable(shown) == shown
    kept = storable(text)
    assert storable(kept) == kept
    assert kept.encode().decode() == kept


@pytest.mark.parametrize("text", PLAIN)
def test_what_people_write_stays(text: str) -> None:
    assert printable(text) == storable(text) == text


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_goes_whole(command: str) -> None:
    assert printable(f"a{command}b") == "ab"
