"""Protocols for the languages of questions: `memory_store.language` implements them, `app.py` passes them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from assistant.language.asked_word import words_in


class SpokenWord(Protocol):
    @property
    def folded(self) -> str:
        """Return the form for comparison across spellings and scripts."""

    @property
    def written(self) -> str:
        """Return the word as written, without punctuation."""

    @property
    def kind(self) -> str:
        """Return its kind in a question: "content", or a kind of function words."""


class Native(Protocol):
    def __call__(self, english: str, language: str, *, in_latin: bool) -> str:
        """Translate an English word, in the native script or in Latin letters; empty if unknown."""


@dataclass(frozen=True, slots=True)
class Languages:
    fold: Callable[[str], str]  # normalises spellings and scripts
    english: Callable[[str], str]  # translates word by word
    words: Callable[[str], Sequence[SpokenWord]]  # splits into words with their kinds
    language: Callable[[str], str]  # detects "en", "hi" or "pa"
    native: Native

    def in_plain_english(self, text: str) -> str:
        """Translate a text word by word, without punctuation."""
        return " ".join(words_in(self.english(text))) or text
