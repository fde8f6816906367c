"""Builds the list of rare English words: `assistant/language/data/rare_words.txt.gz`.

    python -m tools.lists.build_rare_words /usr/share/wordnet

Needs the WordNet 3.0 database files (Debian: `wordnet-base`); Noted itself does not. The list has the words of WordNet
that are too rare for the lexicon (`tools/lists/build_lexicon.py`), and no name.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import typer

from assistant.language.lexicon import RARE_WORDS, lexicon
from tools.lists.sources import read_wordnet

_SHORTEST = 3  # letters


def rare_words(folder: Path) -> list[str]:
    """The words in the database files of WordNet, in alphabetical order."""
    found = {word for synset in read_wordnet(folder).synsets.values() for word in synset.words}
    return sorted(word for word in found if _is_plain(word) and lexicon().find(word) is None)


def _is_plain(word: str) -> bool:
    return word.isascii() and word.isalpha() and word.islower() and len(word) >= _SHORTEST


def main(wordnet: Path) -> None:
    """Build the list of the folder with the WordNet database files."""
    words = rare_words(wordnet)
    RARE_WORDS.write_bytes(gzip.compress("\n".join(words).encode(), mtime=0))
    print(f"{len(words):,} words, {RARE_WORDS.stat().st_size:,} bytes")


if __name__ == "__main__":
    typer.run(main)
