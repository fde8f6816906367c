"""A simple sentence: the things that it names, in their order, and what its small words say of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from assistant.reasoning.words import OWNS, PERSONS, Word


class Asks(StrEnum):
    """What a sentence leaves open."""

    NOTHING = ""  # it tells something
    WHETHER = "whether"
    WHO = "who"
    WHAT = "what"
    WHERE = "where"
    WHEN = "when"
    AMOUNT = "amount"
    HOW = "how"
    WHY = "why"


@dataclass(frozen=True, slots=True)
class Thing:
    """A word of content, with whose it is: "my manager's wife" is one thing."""

    word: Word
    at: int  # its place among the words; -1 where it has none
    owner: Thing | None = None
    in_place: bool = False  # it says where: Pune of "in Pune"

    @property
    def chain(self) -> tuple[Thing, ...]:
        """Its owners, the first one first, and itself."""
        return (*(self.owner.chain if self.owner else ()), self)

    @property
    def start(self) -> int:
        """The place of the first word of it and its owners."""
        return min(part.at for part in self.chain)

    @property
    def is_person(self) -> bool:
        """Return True if it is who speaks, or who is spoken to."""
        return not self.word.keys.isdisjoint(PERSONS.values())

    def owned(self, owner: Thing) -> Thing:
        """Return the same thing of this owner, or of the owner of its owner."""
        return replace(self, owner=self.owner.owned(owner) if self.owner else owner)


@dataclass(eq=False, slots=True)
class Sentence:
    """What a text says, read as one sentence."""

    words: Sequence[Word]
    is_english: bool
    things: list[Thing] = field(default_factory=list)
    asks: Asks = Asks.NOTHING
    roles: list[str] = field(default_factory=list)  # of its verbs, as far as they are in the lists: is, can, has
    split: int = 0  # how many of the things it is about; 0 where any number of the first ones may be that
    negative: bool = False
    some: bool = False  # it speaks of some of a kind only
    is_a: bool = False  # "is a dog": a kind, and no name
    says_now: bool = False  # it is so from now on: "is now", "no longer", "my new manager is"
    of_value: bool = False  # it asks for a colour, a number and the like
    of_name: bool = False  # it says, or asks, what something is called

    @property
    def is_question(self) -> bool:
        """Return True if it asks for something."""
        return self.asks is not Asks.NOTHING

    @property
    def is_being(self) -> bool:
        """Return True if it says what something is, or where."""
        return {*self.roles} <= {"is", "not"} and (bool(self.roles) or not self.is_english)

    @property
    def splits(self) -> tuple[int, ...]:
        """How many of its things it may be about."""
        return (self.split,) if self.split else tuple(range(1, len(self.things)))

    @property
    def parts(self) -> list[Thing]:
        """Its things, each behind its owners."""
        return [part for thing in self.things for part in thing.chain]

    def written(self, things: Sequence[Thing]) -> str:
        """Return the words from the first of these things to the last."""
        return " ".join(self.words[at].written for at in self.span(things)).replace(f" {OWNS}", "'s")

    def span(self, things: Sequence[Thing]) -> range:
        """Return the places of the words from the first of these things to the last."""
        places = [part.at for thing in things for part in thing.chain if part.at >= 0]
        return range(min(places), max(places) + 1) if places else range(0)
