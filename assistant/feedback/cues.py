"""Read lists of cue words and phrases, data files that native speakers can extend."""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from assistant.text.cleaning import clean_for_prompt


def fold_for_cues(text: str) -> str:
    """Normalise a text for comparison with cues."""
    return unicodedata.normalize("NFC", clean_for_prompt(text)).replace("’", "'")


def words_of(text: str) -> set[str]:
    """Return the set of casefolded words of a text."""
    return set(re.findall(r"\w+", fold_for_cues(text).casefold()))


@cache
def load_cues(file: Path) -> Mapping[str, frozenset[str]]:
    """Load the lists of a file of cues, by name."""
    lists = tomllib.loads(file.read_text(encoding="utf-8"))
    return {name: frozenset(unicodedata.normalize("NFC", cue) for cue in cues) for name, cues in lists.items()}


def join_cues(cues: Iterable[str]) -> str:
    """Return a regular expression for any of the cues, the longest first, up to the end of a word."""
    longest_first = sorted(cues, key=lambda cue: (-len(cue), cue))
    return "(?:" + "|".join(re.escape(cue).replace(r"\ ", r"\s+") for cue in longest_first) + r")(?!\w)"


def cue_pattern(file: Path, name: str) -> re.Pattern[str]:
    """Compile the pattern that finds a cue of one list in a text."""
    return re.compile(rf"(?<!\w){join_cues(load_cues(file)[name])}", re.IGNORECASE)
