"""What a measurement of decisions is about: entries that are stored, questions that are asked, and by whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from random import Random
from types import MappingProxyType
from typing import TypeAlias

Id: TypeAlias = str | int
"""Names an entry of a benchmark, as its file does. The store has ids of its own."""

EVERYBODY = "everybody"
ENGLISH = "en"
LOOK_ALIKE, UNRELATED = "look-alike", "unrelated"
_KINDS = {"lookalike": LOOK_ALIKE, "everyday": UNRELATED}


@dataclass(frozen=True, slots=True)
class Stored:
    """An entry to store.

    Args:
        id: its name in the benchmark.
        questions: those it was given for; the first is its question, the others become keys.
        feedback: what the person said they meant.
        wrong_understanding: the understanding that they corrected.
        keys: further keys that a model would have written.
        owner: whose it is.
        lang: its language.
    """

    id: Id
    questions: tuple[str, ...]
    feedback: str
    wrong_understanding: str = ""
    keys: tuple[str, ...] = ()
    owner: str = EVERYBODY
    lang: str = ENGLISH


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to ask.

    Args:
        question: its text.
        applies: the entry that it needs; None for none.
        kind: `look-alike`, `unrelated` (also written `everyday`), or what the benchmark calls it.
        lang: its language; everything but `en` counts as mixed.
        near: the entry that a look-alike looks like, where the benchmark says so.
        groups: further groups that it is counted in.
        person: who asks.
        as_good: further entries that say what `applies` says, and are as right.
    """

    question: str
    applies: Id | None
    kind: str = ""
    lang: str = ENGLISH
    near: Id | None = None
    groups: tuple[str, ...] = ()
    person: str = EVERYBODY
    as_good: frozenset[Id] = frozenset()

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
    """Entries and questions. A question sees the entries of the person who asks it."""

    entries: tuple[Stored, ...]
    questions: tuple[Asked, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a method made of a question.

    Args:
        ranked: the candidates, best first, at most ten.
        used: those that are spliced in the end.
        offered: those that the model may choose from.
        scores: how sure the method is, by candidate: for Noted a probability, for a baseline its similarity.
        reasons: why, for people.
        ms: milliseconds by part.
        error: one plain sentence, where the question was not answered; it then counts nowhere.
    """

    ranked: tuple[Id, ...] = ()
    used: tuple[Id, ...] = ()
    offered: tuple[Id, ...] = ()
    scores: Mapping[Id, float] = field(default_factory=lambda: MappingProxyType({}))
    reasons: Mapping[Id, str] = field(default_factory=lambda: MappingProxyType({}))
    ms: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    error: str = ""

    @property
    def best(self) -> float | None:
        """How sure the method is of the first candidate."""
        return self.scores[self.ranked[0]] if self.ranked else None


def each_with_an_owner(benchmark: Benchmark, seed: int) -> Benchmark:
    """The same with every entry owned by a person of its own.

    A question that needs an entry is asked by its owner, a look-alike by the owner of the entry in `near`. Where there
    is none, and for all other questions, a seeded choice says which owner asks.
    """
    owners: dict[Id, str] = {entry.id: f"person {number}" for number, entry in enumerate(benchmark.entries, 1)}
    people, random = list(owners.values()), Random(seed)  # noqa: S311  a repeatable choice is wanted

    def asker(asked: Asked) -> str:
        anybody = random.choice(people)
        about = asked.near if asked.applies is None else asked.applies
        return anybody if about is None else owners[about]

    return Benchmark(
        tuple(replace(entry, owner=owners[entry.id]) for entry in benchmark.entries),
        tuple(replace(asked, person=asker(asked)) for asked in benchmark.questions),
    )


def with_as_good(benchmark: Benchmark, same: Mapping[Id, frozenset[Id]]) -> Benchmark:
    """The same where entries that say the same are as right as each other.

    Args:
        benchmark: entries and questions.
        same: for each entry those that are one with it.
    """
    return replace(
        benchmark,
        questions=tuple(
            asked
            if asked.applies is None
            else replace(asked, as_good=asked.as_good | same.get(asked.applies, frozenset()) - {asked.applies})
            for asked in benchmark.questions
        ),
    )


def _kind(written: str) -> str:
    plain = "-".join(written.casefold().replace("_", " ").replace("-", " ").split())
    return _KINDS.get(plain.replace("-", ""), plain)
