"""The words of other languages with their English: plain lists that a speaker can extend, and a file made of them.

A list has a line for each word: its spellings, the usual one first, with commas between them, a tab, and its English.
What may be English as well is marked with `?`. `python -m tools.lists.build_word_lists` makes of all lists the one
small file that is asked while the app runs; a test fails where that is not of the lists any more.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from assistant.language.text_table import TextTable, open_tables
from memory_store.language.normalize import latin_once, respell_all

FOLDER = Path(__file__).with_name("lists")
KEPT = Path(__file__).with_name("word_lists.marisa")
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


def word_list(
    written: Mapping[str, str], doubtful: Collection[str] = (), own: Mapping[str, str] | None = None
) -> WordList:
    """A list of words as people type them, the more usual first."""
    # A dictionary keeps the last of several, so the words go in from the last to the first.
    respelled = dict(zip(reversed(respell_all(written)), reversed([*written.values()]), strict=True))
    return WordList(written, dict.fromkeys(doubtful, ""), own or {}, respelled)


def read_list(path: Path) -> WordList:
    """A list from its file. Where two lines have a word, the one that has it first, as its own word, counts."""
    lines = (line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#"))
    columns = (line.split("\t") for line in lines)
    rows = [(written.replace(" ", "").split(","), english.strip()) for written, english in columns]
    words = [(row[0], english) for row, english in rows]
    words += [(variant, english) for row, english in rows for variant in row[1:]]
    typed = [(word, english) for word, english in words if not script_of(word[0])]
    written: dict[str, str] = {}
    for word, english in typed:
        written.setdefault(latin_once(word.rstrip("?")), english)
    return word_list(
        written,
        [latin_once(word.rstrip("?")) for word, _ in typed if word.endswith("?")],
        {unicodedata.normalize("NFKC", word): english for word, english in words if script_of(word[0])},
    )


def read_english(folder: Path) -> Mapping[str, str]:
    """English words, of each of which nothing more is said."""
    return dict.fromkeys((folder / f"{ENGLISH}.txt").read_text(encoding="utf-8").split(), "")


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
