"""Split a text into sentences by punctuation, and search it for whole words."""

import re
import tomllib
from functools import cache
from pathlib import Path

_ENDS = re.compile(r"(?<=[.!?।॥…])[^\S\n]+|\n\s*")
_INITIAL = re.compile(r"[A-HJ-Z]")  # of a name; "I" is the pronoun
_LONGEST = 1_000  # characters
_LONGEST_WORD = 40


def sentences_of(text: str) -> list[str]:
    """Split a text into sentences, and very long sentences into pieces."""
    told, begin = [], 0
    for end in _ENDS.finditer(text):
        if "\n" in end[0] or not _is_before_name(text[max(begin, end.start() - _LONGEST_WORD) : end.start()]):
            told.append(text[begin : end.start()].strip())
            begin = end.end()
    told.append(text[begin:].strip())
    return [part[at : at + _LONGEST] for part in told for at in range(0, len(part), _LONGEST)]


def _is_before_name(said: str) -> bool:
    """Return True if a text ends in an abbreviation before a name: "Dr.", "J."."""
    word = said.rsplit(maxsplit=1)[-1].lstrip("\"'“‘(")
    short = word.removesuffix(".")
    return short != word and (short.lower() in _abbreviations() or _INITIAL.fullmatch(short) is not None)


@cache
def _abbreviations() -> frozenset[str]:
    text = Path(__file__).with_name("abbreviations.toml").read_text(encoding="utf-8")
    return frozenset(word for words in tomllib.loads(text).values() for word in words)


def as_words(thing: str) -> re.Pattern[str]:
    """Compile a pattern that finds a thing in a folded text as whole words."""
    return re.compile(rf"(?<!\w){re.escape(thing.casefold())}(?!\w)")
