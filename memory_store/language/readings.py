"""How texts are made comparable: folded, so that spellings and scripts compare, and read in English."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from memory_store.language.normalize import fold
from memory_store.language.word_translation import in_english, in_english_spelling


@dataclass(frozen=True, slots=True)
class Readings:
    """Two functions of a text: its folded form, and what it says in English, word by word."""

    fold: Callable[[str], str]
    english: Callable[[str], str]


def compared(text: str) -> str:
    """`fold`, with English words that were written by ear in another script as English spells them."""
    return fold(in_english_spelling(text))


READINGS = Readings(compared, in_english)
