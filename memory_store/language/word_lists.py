"""The words of other languages with their English, in one file that is asked while the app runs.

`python -m tools.lists.build_word_lists` makes it of the plain lists in `tools/lists/words`, which a speaker can
extend; a test fails where it is not of the lists any more.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from assistant.language.text_table import TextTable, open_tables

FOLDER = Path(__file__).with_name("lists")
KEPT = FOLDER / "word_lists.marisa"
ENGLISH = "english"
LANGUAGES = ("hi", "pa", "es", "bn", "ta")  # where a message speaks for two alike, the more likely one first
_SCRIPTS = {"hi": (0x0900, 0x097F), "bn": (0x0980, 0x09FF), "pa": (0x0A00, 0x0A7F), "ta": (0x0B80, 0x0BFF)}
_ARABIC = (0x0600, 0x06FF)
_URDU = "hi"  # the words are those of spoken Hindi


class Texts(Protocol):
    """Texts by texts."""

    def get(self, text: str, /) -> str | None: ...

    def __contains__(self, text: object, /) -> bool: ...


@dataclass(frozen=True, slots=True)
class WordList:
    """The words of one language with their English."""

    written: Texts  # as people type them in Latin letters
    doubtful: Texts  # those that, as typed, may be English just as well
    own: Texts  # words in their own script that another word would be in Latin letters: कार is no कर, both are "kar"
    respelled: Texts  # by comparable spelling, for spellings that are not listed


TABLES = tuple(WordList.__dataclass_fields__)


def kept_lists(languages: Collection[str] = LANGUAGES) -> tuple[dict[str, WordList], Texts]:
    """The lists that come with Noted, of these languages, the likeliest first, and the English words."""
    file = open_tables(KEPT)
    lists = {
        language: WordList(*(TextTable(file, f"{language} {table}") for table in TABLES))
        for language in LANGUAGES
        if language in languages
    }
    return lists, TextTable(file, ENGLISH)


def script_of(letter: str) -> str:
    """The language whose script a letter is of; empty where it is of none of these."""
    if letter.isascii():
        return ""
    code = ord(letter)
    if _ARABIC[0] <= code <= _ARABIC[1]:
        return _URDU
    return next((language for language, (first, last) in _SCRIPTS.items() if first <= code <= last), "")
