"""What a simple sentence says, in a form that can be compared: things in their order, and how they are linked."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from assistant.reasoning.words import is_adjective, is_known_word

ME, WE, YOU, HAVE, PART = "#me", "#we", "#you", "#have", "#part"
"""Keys of things that no word of a lexicon names: persons, that something has something, that it is part of it."""

PERSONS = frozenset({ME, WE, YOU})


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


class Link(StrEnum):
    """How its first thing is linked to the rest."""

    IS = "is"  # Rex is a dog
    PLACE = "place"  # Pune is in Maharashtra, Dana works in Pune
    PART = "part"  # a wheel is part of a car
    DOES = "does"  # dogs can bark, dogs have four legs


class Amount(StrEnum):
    """Of how many a sentence speaks."""

    ANY = ""  # dogs bark, Rex barks
    ALL = "all"
    SOME = "some"
    NO = "no"


@dataclass(frozen=True, slots=True)
class Thing:
    """A word of a sentence that it is about."""

    keys: frozenset[str]
    glosses: frozenset[str] = frozenset()
    at: int = -1  # its place among the words; -1 for what stands there without a word of its own
    owner: int | None = None  # the place among the things of whose it is: Meena of "Meena's brother"
    in_place: bool = False  # it says where: Pune of "in Pune"
    named: bool = False  # it is written like a name
    sound: str = ""  # by which it is the same in another script
    is_latin: bool = True
    counts: bool = False  # it is a number

    @property
    def is_common(self) -> bool:
        """Whether it is a usual word, and no name: many names are words, which only some scripts tell apart."""
        known = {*self.keys, *(self.glosses if self.is_latin else ())}
        return is_adjective({*known, *self.glosses}) or any(map(is_known_word, known))

    def owned(self, owner: int | None) -> Thing:
        """The same, of this owner."""
        return replace(self, owner=owner)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, read."""

    text: str  # as it was written
    words: tuple[str, ...]  # of it, without the signs around them
    things: tuple[Thing, ...]
    asks: Asks = Asks.NOTHING
    link: Link = Link.DOES
    # How many of the things may be what it is about: one number where the language tells, else each that is possible.
    splits: tuple[int, ...] = ()
    negative: bool = False
    amount: Amount = Amount.ANY
    kinds: tuple[Thing, ...] = ()  # of what kind an answer is: the city of "which city"
    exists: bool = False  # it only says, or asks, that there is something
    has_article: bool = False  # "is a dog": a kind, and no name
    ended: bool = False  # it denies what was so until now: "no longer"
    renews: bool = False  # what it says is so from now on: "my new manager is Asha"
    of_name: bool = False  # it says, or asks, what something is called
    is_firm: bool = field(default=True)  # what holds it together stands in it: is, can, has, or the form of a verb

    @property
    def is_question(self) -> bool:
        """Whether it asks for something."""
        return self.asks is not Asks.NOTHING

    def written(self, first: int, last: int) -> str:
        """The words from one place to another, both included."""
        return " ".join(self.words[max(0, first) : last + 1])
