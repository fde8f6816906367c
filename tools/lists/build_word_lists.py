"""Build the file of word lists: `python -m tools.lists.build_word_lists`.

A line of a list in `words/` has comma-separated spellings, the usual one first, a tab, and the English word. `?` marks
spellings that may be English as well.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

import typer

from assistant.language.lexicon import save_tables
from memory_store.language.normalize import respell, to_latin
from memory_store.language.word_translation import (
    ENGLISH,
    LANGUAGES,
    SOUNDS,
    TABLES,
    WORD_LISTS_FILE,
    WordList,
    consonants_of,
    script_of,
    simplify_sound,
)

WORDS = Path(__file__).with_name("words")


def build_tables() -> Mapping[str, Mapping[str, str]]:
    """Return the tables of all lists by name."""
    lists = {language: read_list(WORDS / f"{language}.tsv") for language in LANGUAGES}
    told = {f"{language} {name}": getattr(each, name) for language, each in lists.items() for name in TABLES}
    return {**told, ENGLISH: read_english(WORDS), SOUNDS: group_by_sound(read_loanwords(WORDS / "loanwords.txt"))}


def build_word_list(written: Mapping[str, str], doubtful: Iterable[str] = ()) -> WordList:
    """Return a list of words as people type them, the more usual first."""
    # A dictionary keeps the last of equal keys, so insert the words in reverse.
    typed = [(respell(word), english) for word, english in written.items() if not script_of(word[0])]
    return WordList(written, dict.fromkeys(doubtful, ""), dict(reversed(typed)))


def read_list(path: Path) -> WordList:
    """Read a list from its file. If two lines have a word, the one that has it as its usual spelling wins."""
    lines = (line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#"))
    columns = (line.split("\t") for line in lines)
    rows = [(written.replace(" ", "").split(","), english.strip()) for written, english in columns]
    words = [(row[0], english) for row, english in rows]
    words += [(variant, english) for row, english in rows for variant in row[1:]]
    written: dict[str, str] = {}
    for word, english in words:
        form = unicodedata.normalize("NFKC", word) if script_of(word[0]) else to_latin(word.rstrip("?"))
        written.setdefault(form, english)
    return build_word_list(written, [to_latin(word.rstrip("?")) for word, _ in words if word.endswith("?")])


def read_english(folder: Path) -> Mapping[str, str]:
    """Return English words, without values."""
    return dict.fromkeys((folder / f"{ENGLISH}.txt").read_text(encoding="utf-8").split(), "")


def group_by_sound(sounds: Mapping[str, str]) -> Mapping[str, str]:
    """Return words by sound, the most frequent first, and the sounds by their consonants."""
    alike: dict[str, list[str]] = defaultdict(list)
    for sound in sounds:
        alike[consonants_of(simplify_sound(sound))].append(sound)
    return {**sounds, **{consonants: " ".join(some) for consonants, some in alike.items()}}


def read_loanwords(path: Path) -> dict[str, str]:
    """Read words by sound from lines of a word, a tab, and comma-separated sounds."""
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return {sound: word for word, sounds in rows for sound in sounds.split(",")}


def main() -> None:
    """Build the file from all lists."""
    told = build_tables()
    save_tables(WORD_LISTS_FILE, told)
    typer.echo(
        f"{WORD_LISTS_FILE.name}: {sum(map(len, told.values())):,} spellings, {WORD_LISTS_FILE.stat().st_size:,} bytes"
    )


if __name__ == "__main__":
    typer.run(main)
