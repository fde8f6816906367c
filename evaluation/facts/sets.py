"""Sets of facts and of questions, written by people who had not seen the program: which facts bear on which question.

`fit` is what the gate for facts is fitted on, `test` what nobody looked at who made it.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from pydantic import BaseModel

from assistant.kinds import FACT, Fact
from assistant.types import Entry, Key, Status
from evaluation.cases import Case
from evaluation.gate.data import OWNER, Remembered
from evaluation.reading import DATA, read_all


class ToldFact(BaseModel):
    """A fact, and the question that it was told at; empty where it was told out of the blue."""

    id: str
    text: str
    asked: str
    lang: str


class FactCase(BaseModel):
    """A question, and the facts that it bears on: with them a careful friend would answer otherwise."""

    question: str
    bears: tuple[str, ...]
    near: str | None  # the fact whose words it shares, where it is a look-alike
    kind: str  # `direct`, `reworded`, `rests` (on the fact, in one step), `other-script`, `look-alike` or `everyday`
    lang: str


@dataclass(frozen=True)
class FactSet:
    """Facts of one person, and what they ask."""

    name: str
    facts: tuple[ToldFact, ...]
    cases: tuple[FactCase, ...]

    def remembered(self) -> Remembered:
        """The same, as the gate is fitted on memories."""
        return Remembered(self.name, [entry_of(fact) for fact in self.facts], [_case(case) for case in self.cases])


def fact_set(name: str) -> FactSet:
    """One of the sets that come with Noted."""
    facts = read_all(DATA / f"facts_{name}_facts.jsonl", ToldFact)
    return FactSet(name, tuple(facts), tuple(read_all(DATA / f"facts_{name}_questions.jsonl", FactCase)))


def entry_of(fact: ToldFact) -> Entry:
    """The entry that a fact becomes."""
    question = fact.asked or fact.text
    created = datetime(2000, 1, 1, tzinfo=UTC)
    return Entry(
        FACT, question, Fact(text=fact.text), fact.id, OWNER, False, Status.ACTIVE, 0, created, (Key(question),)
    )


def _case(case: FactCase) -> Case:
    applies, *others = case.bears or (None,)
    return Case(case.question, applies, case.kind, case.lang, as_good=frozenset(filter(None, others)))
