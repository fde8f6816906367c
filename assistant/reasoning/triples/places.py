"""What a relation says of where something is. Data: `forms.toml`. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.reasoning.reading import Reader
from assistant.reasoning.triples.forms import words_for
from assistant.reasoning.words import Word

AT = frozenset({"in", "beside", "other"})
"""Roles of words that say at which side of something."""


def may_name_a_firm(relation: str, reader: Reader) -> bool:
    """Whether what is done "in" something says so of a firm as of a town, as in Hindi and Punjabi."""
    words = reader.words.read(relation)
    known = words_for("firms", reader.words.language(relation), reader.words.languages.fold)
    return any("in" in word.roles for word in words) and not known.isdisjoint(_folded(words, reader))


def is_whereabouts(relation: str, reader: Reader) -> bool:
    """Whether a relation says where something mostly is, so that a new place is a new value of it."""
    words = reader.words.read(relation)
    known = words_for("whereabouts", reader.words.language(relation), reader.words.languages.fold)
    is_at = any("in" in word.roles for word in words)
    return is_at and (not known.isdisjoint(_folded(words, reader)) or all(word.roles for word in words))


def _folded(words: Sequence[Word], reader: Reader) -> set[str]:
    return {reader.words.languages.fold(word.written.lower()) for word in words}
