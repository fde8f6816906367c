"""The words by which sentences are turned into questions. Data: `words.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_name("words.toml")


@cache
def words_for(what: str, language: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(_table()[language][what].split())


@cache
def pasts() -> Mapping[str, str]:
    """English verbs as they say what was, to their base."""
    return dict(pair.split(":") for pair in _table()["english"]["past"].split())


def question_words(form: str) -> Mapping[str, str]:
    """Those of Hindi or Punjabi, in Latin letters or in their script, by what they ask for."""
    return dict(zip(("who", "who did", "what", "where", "when", "why"), _table()["asks"][form].split(), strict=True))


@cache
def _table() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))
