"""Which messages tell a fact, by their words alone: people wrote messages, and marked what each is."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple, Self

from pydantic import BaseModel, Field

from assistant.feedback.telling import told_in
from evaluation.reading import DATA, read_all
from memory_store.language.languages import LANGUAGES


class Message(BaseModel):
    """A message, and what it is: a `question` or request, a `fact`, a `correction`, or something `other`."""

    message: str
    kind: str = Field(alias="is")
    fact: str  # what it tells, without what stands before it


class TellingCounts(NamedTuple):
    """Of messages of one kind: how many say by themselves that they tell a fact, and how many may tell one."""

    total: int
    certain: int
    maybe: int
    exact: int  # of both, those in which what is told is found word for word

    @classmethod
    def of(cls, messages: list[Message]) -> Self:
        """Reads each of them."""
        told = [(message, told_in(message.message, LANGUAGES)) for message in messages]
        certain = Counter(found.is_certain for _, found in told if found)
        exact = sum(found.fact.casefold() == message.fact.casefold() for message, found in told if found)
        return cls(len(messages), certain[True], certain[False], exact)


def telling_of(name: str) -> dict[str, TellingCounts]:
    """The counts of each kind of messages of a set."""
    messages = read_all(DATA / f"told_{name}.jsonl", Message)
    kinds = dict.fromkeys(message.kind for message in messages)
    return {kind: TellingCounts.of([message for message in messages if message.kind == kind]) for kind in kinds}
