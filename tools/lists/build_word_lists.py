"""Builds the file of the word lists that come with Noted: `python -m tools.lists.build_word_lists`."""

from collections.abc import Mapping

import typer

from assistant.language.text_table import save_tables
from memory_store.language.loanwords import read_loanwords, tables_of
from memory_store.language.word_lists import ENGLISH, FOLDER, KEPT, LANGUAGES, TABLES, read_english, read_list


def tables() -> Mapping[str, Mapping[str, str]]:
    """What all lists say."""
    lists = {language: read_list(FOLDER / f"{language}.tsv") for language in LANGUAGES}
    told = {f"{language} {name}": getattr(each, name) for language, each in lists.items() for name in TABLES}
    return {**told, ENGLISH: read_english(FOLDER), **tables_of(read_loanwords(FOLDER / "loanwords.txt"))}


def main() -> None:
    """Read all lists, and keep what they say."""
    told = tables()
    save_tables(KEPT, told)
    typer.echo(f"{KEPT.name}: {sum(map(len, told.values())):,} spellings, {KEPT.stat().st_size:,} bytes")


if __name__ == "__main__":
    typer.run(main)
