"""Parse the arguments in a question or a clarification: letters, places of letters, and counts."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

_WORDS = tomllib.loads((Path(__file__).with_name("data") / "numbers.toml").read_text(encoding="utf-8"))
COUNTS: dict[str, int] = _WORDS["counts"]
_PLACES: dict[str, int] = _WORDS["places"]
_DIGITS = r"(?P<digits>\d{1,6})(?:st|nd|rd|th)?"
_NUMBER = re.compile(rf"(?<!\w)(?:{_DIGITS}|(?P<place>{'|'.join(_PLACES)})|(?P<count>{'|'.join(COUNTS)}))\b")
_LETTER = re.compile(r"(?<![\w'’])(?:[b-hj-z](?=['’]s\b|(?![\w'’]))|[ai](?=['’]s\b))|(?<=letter )[ai]\b")
NUMBER, NTH = "n", "nth"  # placeholders in the definitions: any number, and any place except the ends
FURTHER_PLACES = {NTH, *(name for name, place in _PLACES.items() if place > 1)}


def numbers_in(text: str) -> tuple[tuple[int, ...], int]:
    """Parse the places in an English text, in order, -1 for the last; and the count, 0 if there is none.

    Digits may be either: "letter 3", "3 letters". "The first three", or "the first 3", has no places.
    """
    found = [*_NUMBER.finditer(text.lower())]
    count = next((COUNTS.get(each["count"]) or int(each["digits"]) for each in found if not each["place"]), 0)
    places = [_PLACES.get(each["place"]) or int(each["digits"]) for each in found if not each["count"]]
    is_counted = any(each["count"] for each in found) or len({bool(each["digits"]) for each in found}) > 1
    if is_counted:
        return (), count
    return tuple(places), 0 if len(places) > 1 else count  # "letters 1 and 3" has no count


def letters_in(text: str) -> tuple[str, ...]:
    """Return the single letters that a text names."""
    return tuple(dict.fromkeys(_LETTER.findall(text.lower())))
