"""What a measurement of decisions is about: entries that are stored, questions that are asked, and by whom."""

import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TypeAlias

Id: TypeAlias = str | int
"""Names an entry of a benchmark, as its file does. The store has ids of its own."""

EVERYBODY = "everybody"
ENGLISH = "en"
MOST_RANKED = 10
"""Candidates of a question that are looked at, the best."""
LOOK_ALIKE, UNRELATED = "look-alike", "unrelated"
_KINDS = {"lookalike": LOOK_ALIKE, "everyday": UNRELATED}


@dataclass(frozen=True, slots=True)
class Stored:
    """An entry to store; each of its questions beside the first becomes a key."""

    id: Id  # its name in the benchmark
    questions: tuple[str, ...]
    feedback: str  # what the person said they meant
    wrong_understanding: str = ""  # what they corrected
    keys: tuple[str, ...] = ()  # further ones, as a model would write them
    owner: str = EVERYBODY
    lang: str = ENGLISH


@dataclass(frozen=True, slots=True)
class Case:
    """A question to ask."""

    question: str
    applies: Id | None  # the entry that it needs; None for none
    kind: str = ""  # `look-alike`, `unrelated` (also written `everyday`), or what the benchmark calls it
    lang: str = ENGLISH  # everything but `en` counts as mixed
    groups: tuple[str, ...] = ()  # further groups that it is counted in
    as_good: frozenset[Id] = frozenset()  # further entries that say what `applies` says
    also: frozenset[Id] = frozenset()  # entries that may be used as well, and need not; not all are in every memory

    @property
    def right(self) -> frozenset[Id]:
        """The entries that are right for it; none where it needs none."""
        return frozenset() if self.applies is None else self.as_good | {self.applies}

    @property
    def is_look_alike(self) -> bool:
        return self.applies is None and _kind(self.kind) == LOOK_ALIKE

    @property
    def is_unrelated(self) -> bool:
        return self.applies is None and _kind(self.kind) == UNRELATED


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Entries and questions."""

    entries: tuple[Stored, ...]
    questions: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a method made of a question."""

    ranked: tuple[Id, ...] = ()  # the candidates, best first, at most `MOST_RANKED`
    used: tuple[Id, ...] = ()  # those that are spliced in the end
    offered: tuple[Id, ...] = ()  # those that the model may choose from
    # How sure the method is, by candidate: for Noted a probability, for a baseline its similarity.
    scores: Mapping[Id, float] = field(default_factory=lambda: MappingProxyType({}))
    reasons: Mapping[Id, str] = field(default_factory=lambda: MappingProxyType({}))
    ms: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))  # milliseconds by part
    error: str = ""  # one plain sentence, where the question was not answered; it then counts nowhere

    @property
    def best(self) -> float | None:
        """How sure the method is of the first candidate."""
        return self.scores[self.ranked[0]] if self.ranked else None


def with_as_good(benchmark: Benchmark, same: Mapping[Id, frozenset[Id]]) -> Benchmark:
    """The same where entries that are one (`same`: with which, by entry) are as right as each other."""

    def completed(asked: Case) -> Case:
        if asked.applies is None:
            return asked
        return replace(asked, as_good=asked.as_good | same.get(asked.applies, frozenset()) - {asked.applies})

    return replace(benchmark, questions=tuple(map(completed, benchmark.questions)))


def script_of(text: str) -> str:
    """The script of most letters of a text, as Unicode calls it; empty where there is none.

    Vowel signs count as letters, for they are what tells a word of an Indic script as much as its consonants do.
    """
    names = (unicodedata.name(sign, "") for sign in text if sign.isalpha() or unicodedata.category(sign)[0] == "M")
    scripts = Counter(name.partition(" ")[0].capitalize() for name in names)
    return max(scripts, key=lambda script: scripts[script], default="")


def crossing(entry: Stored, asked: Case) -> str | None:
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

    def counted(asked: Case) -> Case:
        group = None if asked.applies is None else crossing(entries[asked.applies], asked)
        return replace(asked, groups=(*asked.groups, group)) if group else asked

    return replace(benchmark, questions=tuple(map(counted, benchmark.questions)))


def _kind(written: str) -> str:
    plain = "-".join(written.casefold().replace("_", " ").replace("-", " ").split())
    return _KINDS.get(plain.replace("-", ""), plain)
