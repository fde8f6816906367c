"""What the embedded model says around the words that it finds, in the language and script in which it is asked.

The sentences are data: `data/phrases.toml`, and what is wanted in `data/operations.toml`.
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
_SCRIPTS = {"devanagari": re.compile("[\u0900-\u097f]"), "gurmukhi": re.compile("[\u0a00-\u0a7f]")}
_DANDA = re.compile("[\u0964\u0965]")  # of both scripts, though it stands among the letters of Devanagari
VOICES = (("en", LATIN), ("hi", LATIN), ("pa", LATIN), ("hi", "devanagari"), ("pa", "gurmukhi"))


@dataclass(frozen=True, slots=True)
class Phrases:
    """The sentences in one script: English ones in Latin, Hindi ones in Devanagari, Punjabi ones in Gurmukhi."""

    table: Mapping[str, Any]  # by name
    native: Callable[[str], str] = str  # how an English word is called among them; empty where nobody knows
    english: Callable[[str], str] = str  # what a word of another language is in English; empty where it is none
    native_in: Callable[[str, str], str] = lambda _word, _language: ""  # an English word in a language

    def say(self, name: str, **values: str) -> str:
        """Return a sentence, or a part of one, with its places filled."""
        return str(self.table[name]).format(**values)


def script_of(text: str) -> str:
    """The script of a text: "devanagari" or "gurmukhi", else "latin"."""
    letters = _DANDA.sub("", text)
    return next((name for name, letter in _SCRIPTS.items() if letter.search(letters)), LATIN)


def phrases_for(text: str) -> Phrases:
    """The sentences in the script of a text."""
    return phrases_in(script_of(text))


def phrases_in(script: str) -> Phrases:
    """The sentences in a script."""
    return Phrases(_tables()[script])


def voice(language: str, text: str) -> int:
    """In which of the voices of the data to speak of a text in a language: the place in each of its lists."""
    script = script_of(text)
    return next((at for at, spoken in enumerate(VOICES) if spoken == (language, script)), 0)


def wanted(thing: str, at: int) -> str:
    """The sentence that this thing is wanted, in a voice."""
    return str(_tables()["wanted"][at]).format(thing=thing)


def say(name: str, at: int, **values: str) -> str:
    """A sentence about facts that were told, in a voice, with its places filled."""
    return str(_tables()["facts"][name][at]).format(**values)


@cache
def _tables() -> Mapping[str, Any]:
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))
