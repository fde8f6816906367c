"""The functions for the languages of questions: `memory_store.language` implements them, `app.py` passes them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from assistant.language.asked_word import words_in


class TextWord(NamedTuple):
    """A word of a text."""

    folded: str  # with spellings and scripts normalised
    written: str  # as the user wrote it, without punctuation around it
    kind: str  # "content", or a kind of function words


@dataclass(frozen=True, slots=True)
class Languages:
    fold: Callable[[str], str]  # normalises spellings and scripts
    english: Callable[[str], str]  # translates word by word
    words: Callable[[str], Sequence[TextWord]]  # splits into words with their kinds
    language: Callable[[str], str]  # detects "en", "hi" or "pa"
    native: Callable[..., str]  # translates an English word to a language, in its script or `in_latin`; may be empty

    def in_plain_english(self, text: str) -> str:
        """Translate a text word by word, without punctuation."""
        return " ".join(words_in(self.english(text))) or text
