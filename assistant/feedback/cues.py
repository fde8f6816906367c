"""Lists of words by which people show what they mean to do with what was said: data, that a speaker can extend."""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from assistant.text.cleaning import for_prompt


def comparable(text: str) -> str:
    """A text as cues are compared with it."""
    return unicodedata.normalize("NFC", for_prompt(text)).replace("’", "'")


def words_of(text: str) -> set[str]:
    """The words of a text, however they are written."""
    return set(re.findall(r"\w+", comparable(text).casefold()))


@cache
def cues_in(file: Path) -> Mapping[str, frozenset[str]]:
    """The lists of a file of cues, by name."""
    lists = tomllib.loads(file.read_text(encoding="utf-8"))
    return {name: frozenset(unicodedata.normalize("NFC", cue) for cue in cues) for name, cues in lists.items()}


def any_of(cues: Iterable[str]) -> str:
    """A pattern for any one of the cues, the longest first, that ends where a word does."""
    longest_first = sorted(cues, key=lambda cue: (-len(cue), cue))
    return "(?:" + "|".join(re.escape(cue).replace(r"\ ", r"\s+") for cue in longest_first) + r")(?!\w)"


def cue_pattern(file: Path, name: str) -> re.Pattern[str]:
    """What finds a cue of one list anywhere in a text."""
    return re.compile(rf"(?<!\w){any_of(cues_in(file)[name])}", re.IGNORECASE)
