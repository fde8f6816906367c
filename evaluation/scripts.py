"""In which script a text is written, and which questions are asked in another one than the entry they need. Pure."""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import replace

from evaluation.cases import ENGLISH, Asked, Benchmark, Stored


def script_of(text: str) -> str:
    """The script of most letters of a text, as Unicode calls it; empty where there is none.

    Vowel signs count as letters, for they are what tells a word of an Indic script as much as its consonants do.
    """
    names = (unicodedata.name(sign, "") for sign in text if sign.isalpha() or unicodedata.category(sign)[0] == "M")
    scripts = Counter(name.partition(" ")[0].capitalize() for name in names)
    return max(scripts, key=lambda script: scripts[script], default="")


def crossing(entry: Stored, asked: Asked) -> str | None:
    """From the script of the entry to that of the question, None where they are the same or one of them is English.

    English is left out because a question in it is a translation, however the entry is written.
    """
    if ENGLISH in {entry.lang.casefold(), asked.lang.casefold()}:
        return None
    before, now = script_of(entry.questions[0]), script_of(asked.question)
    return f"{before} to {now}" if before and now and before != now else None


def with_crossings(benchmark: Benchmark) -> Benchmark:
    """The benchmark with each question that crosses scripts counted in a group of those that cross them alike."""
    entries = {entry.id: entry for entry in benchmark.entries}
    return replace(benchmark, questions=tuple(_with_crossing(asked, entries) for asked in benchmark.questions))


def _with_crossing(asked: Asked, entries: dict[str | int, Stored]) -> Asked:
    group = None if asked.applies is None else crossing(entries[asked.applies], asked)
    return replace(asked, groups=(*asked.groups, group)) if group else asked
