"""The words of other languages with their English, in one file that is read while the app runs.

`python -m tools.lists.build_word_lists` makes it from the plain lists in `tools/lists/words`, which a speaker can
extend; a test fails where it is not made from these lists any more.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from assistant.language.text_table import TextTable, open_tables

FOLDER = Path(__file__).with_name("lists")
KEPT = FOLDER / "word_lists.marisa"
ENGLISH = "english"
LANGUAGES = ("hi", "pa", "es", "bn", "ta")  # where a message speaks for two alike, the more likely one first
# By block of Unicode, each of 128 letters. Urdu has the words of spoken Hindi.
_LANGUAGES_OF_BLOCKS = {0x0900: "hi", 0x0980: "bn", 0x0A00: "pa", 0x0B80: "ta", 0x0600: "hi", 0x0680: "hi"}


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


def kept_lists() -> tuple[dict[str, WordList], Texts]:
    """Return the lists that come with Noted, of the likeliest language first, and the English words."""
    file = open_tables(KEPT)
    lists = {each: WordList(*(TextTable(file, f"{each} {table}") for table in TABLES)) for each in LANGUAGES}
    return lists, TextTable(file, ENGLISH)


def script_of(letter: str) -> str:
    """Return the language whose script a letter is of; empty where it is of none of these."""
    return _LANGUAGES_OF_BLOCKS.get(ord(letter) // 0x80 * 0x80, "")
