"""The one form in which a relation is named, and the words that say that something changed. Data: `forms.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from assistant.language.lexicon import lexicon
from assistant.reasoning.words import is_verb

_FILE = Path(__file__).with_name("forms.toml")
_SIBILANTS = ("s", "x", "z", "ch", "sh", "o")
_VOWELS = "aeiou"
_FEWEST = 2  # letters before an end


def third_person(written: str) -> str:
    """An English verb as "she works" has it; empty where it is none, or says what was."""
    word = written.lower()
    if word.endswith("s") and not word.endswith("ss"):
        return word if is_verb(word) else ""
    known = lexicon().find(word)
    if known is None or "v" not in known.parts or known.base not in {"", word}:
        return ""
    if word in _table()["third_person"]:
        return _table()["third_person"][word]
    if word.endswith("y") and word[-2:-1] not in _VOWELS:
        return f"{word[:-1]}ies"
    return word + ("es" if word.endswith(_SIBILANTS) else "s")


def infinitive(written: str) -> str:
    """A verb of Hindi or Punjabi as it is named, of the form for who does it; empty where it has no such end."""
    word = written.lower()
    ends = _table()["infinitive"]
    end = next((end for end in sorted(ends, key=len, reverse=True) if word.endswith(end)), "")
    return word.removesuffix(end) + ends[end] if end and len(word) - len(end) >= _FEWEST else ""


def is_infinitive(written: str) -> bool:
    """Whether it is a verb as Hindi or Punjabi name it."""
    return written.lower().endswith(tuple(_table()["infinitive"].values()))


def words_for(what: str, language: str, fold: Callable[[str], str]) -> frozenset[str]:
    """The words that say what `moves`, and the like, in a language, folded."""
    return frozenset(map(fold, _table()[what][language].split()))


@cache
def _table() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))
