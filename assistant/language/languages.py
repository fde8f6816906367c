"""What a model needs to know of the languages that people write: `memory_store.language` has it, `app.py` passes it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from assistant.language.asked_word import words_in


class SpokenWord(Protocol):
    """A word of a text."""

    @property
    def folded(self) -> str:
        """The form in which spellings and scripts compare."""

    @property
    def written(self) -> str:
        """As the person wrote it, without the signs around it."""

    @property
    def kind(self) -> str:
        """What it does in a question: "content", or one of the kinds of function words."""


class Native(Protocol):
    """Gives the words of other languages."""

    def __call__(self, english: str, language: str, *, in_latin: bool) -> str:
        """An English word in one of these languages, in its own script or in Latin letters; empty where unknown."""


@dataclass(frozen=True, slots=True)
class Languages:
    """Functions of a text."""

    fold: Callable[[str], str]  # brings spellings and scripts together
    english: Callable[[str], str]  # what it says in English, word by word
    words: Callable[[str], Sequence[SpokenWord]]  # its words with their kinds
    language: Callable[[str], str]  # in which it is written: "en", "hi" or "pa"
    native: Native

    def in_plain_english(self, text: str) -> str:
        """Return a text word by word in English, without signs around the words."""
        return " ".join(words_in(self.english(text))) or text
