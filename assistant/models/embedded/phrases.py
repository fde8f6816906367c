"""Sentences that the embedded model says around what it finds, in the language and script of the question.

They stand in `data/phrases.toml`; what is wanted stands in `data/operations.toml`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

LATIN = "latin"
_FILE = Path(__file__).with_name("data") / "phrases.toml"
# A danda stands among the letters of Devanagari, and is of both scripts.
_SCRIPTS = {"devanagari": re.compile("[\u0900-\u0963\u0966-\u097f]"), "gurmukhi": re.compile("[\u0a00-\u0a7f]")}
VOICES = (("en", LATIN), ("hi", LATIN), ("pa", LATIN), ("hi", "devanagari"), ("pa", "gurmukhi"))


@dataclass(frozen=True, slots=True)
class Phrases:
    """The sentences in one script: English in Latin, Hindi in Devanagari, Punjabi in Gurmukhi."""

    table: Mapping[str, Any]  # by name
    native: Callable[[str], str] = str  # an English word in their language; empty where none is known
    english: Callable[[str], str] = str  # a word of another language in English; empty where none is known
    native_in: Callable[[str, str], str] = lambda _word, _language: ""  # an English word in a language

    def say(self, name: str, **values: str) -> str:
        """Return a sentence, or a part of one, with its places filled."""
        return str(self.table[name]).format(**values)


def script_of(text: str) -> str:
    """Return "devanagari", "gurmukhi" or "latin"."""
    return next((name for name, letter in _SCRIPTS.items() if letter.search(text)), LATIN)


def phrases_for(text: str) -> Phrases:
    """Return the sentences in the script of a text."""
    return phrases_in(script_of(text))


def phrases_in(script: str) -> Phrases:
    """Return the sentences in a script."""
    return Phrases(_tables()[script])


def voice(language: str, text: str) -> int:
    """Return the place among `VOICES` of a text in a language."""
    return VOICES.index(spoken) if (spoken := (language, script_of(text))) in VOICES else 0


def wanted(thing: str, at: int) -> str:
    """Return the sentence that this thing is wanted, in a voice."""
    return str(_tables()["wanted"][at]).format(thing=thing)


def say(name: str, at: int, **values: str) -> str:
    """Return a whole sentence in a voice, with its places filled."""
    return str(_tables()["sentences"][name][at]).format(**values)


@cache
def _tables() -> Mapping[str, Any]:
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))
