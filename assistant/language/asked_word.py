"""Split a question into words, and find those that it marks by brackets or quotes, and letters, places and counts."""

import re
import tomllib
from pathlib import Path

LONGEST_SLOT = 3  # words of the subject
EDGES = "\"'“”‘’«»()[]{}<>,;:?!.…।॥`"  # punctuation around a word
MARKED = re.compile(
    r"""<[^<>\n]{1,60}>|“[^”\n]{1,60}”|"[^"\n]{1,60}"|«[^»\n]{1,60}»|`[^`\n]{1,60}`"""
    r"""|‘[^’\n]{1,60}’(?!\w)|(?<!\w)'[^'\n]{1,60}'(?!\w)"""
)
"""Words in brackets or quotes of one character."""
_WORDS = tomllib.loads((Path(__file__).with_name("data") / "numbers.toml").read_text(encoding="utf-8"))
COUNTS: dict[str, int] = _WORDS["counts"]
_PLACES: dict[str, int] = _WORDS["places"]
_DIGITS = r"(?P<digits>\d{1,6})(?:st|nd|rd|th)?"
_NUMBER = re.compile(rf"(?<!\w)(?:{_DIGITS}|(?P<place>{'|'.join(_PLACES)})|(?P<count>{'|'.join(COUNTS)}))\b")
_LETTER = re.compile(r"(?<![\w'’])(?:[b-hj-z](?=['’]s\b|(?![\w'’]))|[ai](?=['’]s\b))|(?<=letter )[ai]\b")
_FURTHER = frozenset(_WORDS["further"])
NUMBER, NTH = "n", "nth"  # placeholders in the definitions: any number, and any place except the ends
FURTHER_PLACES = {NTH, *(name for name, place in _PLACES.items() if place > 1)}


def words_in(text: str) -> list[str]:
    """Split a text into words, without punctuation around them."""
    return [stripped for word in text.split() if (stripped := word.strip(EDGES))]


def marked_words(text: str) -> list[str]:
    """Return the texts in brackets or quotes."""
    return [inside for found in MARKED.findall(text) if (inside := found[1:-1].strip())]


def numbers_in(text: str) -> tuple[tuple[int, ...], int]:
    """Parse the places in an English text, in order, -1 for the last; and the count, 0 if there is none.

    Digits may be either: "letter 3", "3 letters". "The first three", or "the first 3", has no places.
    """
    found = [*_NUMBER.finditer(text.lower())]
    count = next((COUNTS.get(each["count"]) or int(each["digits"]) for each in found if not each["place"]), 0)
    places = [_PLACES.get(each["place"]) or int(each["digits"]) for each in found if not each["count"]]
    is_counted = any(each["count"] for each in found) or len({bool(each["digits"]) for each in found}) > 1
    # "Letters 1 and 3" has no count.
    return ((), count) if is_counted else (tuple(places), 0 if len(places) > 1 else count)


def letters_in(text: str) -> tuple[str, ...]:
    """Return the single letters that a text names."""
    return tuple(dict.fromkeys(_LETTER.findall(text.lower())))


def limit_in(text: str) -> tuple[int, frozenset[str]]:
    """Return the number of things that an English text limits itself to, 0 if none, and the words that may say so.

    >>> limit_in("only one please")[0]
    1
    """
    words = text.lower().split()
    count, known = numbers_in(text)[1], {*COUNTS, *_WORDS["limits"]}
    if not count and "one" in words and not known.isdisjoint(words):
        count = 1
    return (0 if not _FURTHER.isdisjoint(words) else count), frozenset({*known, "one", NUMBER})
