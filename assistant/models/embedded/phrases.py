"""What the embedded model says around the words that it finds, in the script in which it is asked.

The examples of a prompt may be in Latin script only; whoever asks in Devanagari or Gurmukhi is not to read the reply in
another script. The sentences are data: `data/phrases.toml`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

LATIN = "latin"
_FILE = Path(__file__).with_name("data") / "phrases.toml"
_SCRIPTS = {"devanagari": re.compile("[\u0900-\u097f]"), "gurmukhi": re.compile("[\u0a00-\u0a7f]")}
_DANDA = re.compile("[\u0964\u0965]")  # of both scripts, though it stands among the letters of Devanagari


@dataclass(frozen=True, slots=True)
class Phrases:
    """The sentences in one script: English ones in Latin, Hindi ones in Devanagari, Punjabi ones in Gurmukhi."""

    table: Mapping[str, Any]  # by name, with the names of the parts of speech and the understanding of each task

    def say(self, name: str, **values: str) -> str:
        """A sentence, or a part of one, with its places filled."""
        return str(self.table[name]).format(**values)

    def part(self, letter: str) -> str:
        """A part of speech by its letter in the lexicon; "word" where there is none."""
        return str(self.table["parts"][letter or "other"])

    def understood(self, task: str, **values: str) -> str:
        """The understanding of a question for a task, by its name."""
        return str(self.table["understood"][task]).format(**values)


def script_of(text: str) -> str:
    """The script of a text: "devanagari" or "gurmukhi", else "latin"."""
    letters = _DANDA.sub("", text)
    return next((name for name, letter in _SCRIPTS.items() if letter.search(letters)), LATIN)


def phrases_for(text: str) -> Phrases:
    """The sentences in the script of a text."""
    return _phrases()[script_of(text)]


@cache
def _phrases() -> Mapping[str, Phrases]:
    tables = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    return {name: Phrases(table) for name, table in tables.items()}
