"""A sentence that is being read, word by word."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from assistant.reasoning.sentence import HAVE, ME, WE, YOU, Amount, Asks, Link, Thing
from assistant.reasoning.words import Word, is_adjective, is_known_word

OPEN: Mapping[str, Asks] = {
    "who": Asks.WHO,
    "where": Asks.WHERE,
    "when": Asks.WHEN,
    "amount": Asks.AMOUNT,
    "why": Asks.WHY,
    "what": Asks.WHAT,
}
"""Roles of words that say what a question leaves open."""
PERSONS: Mapping[str, str] = {"me": ME, "we": WE, "you": YOU}
"""Roles of words for who speaks, and who is spoken to."""
_NEW = frozenset({"new", "current"})
HELPERS = ("is", "can", "does", "has")
"""Roles of verbs that hold a sentence together."""


@dataclass(slots=True)
class Draft:
    """A sentence that is being read."""

    words: Sequence[Word]
    things: list[Thing] = field(default_factory=list)
    kinds: list[Thing] = field(default_factory=list)
    roles: list[str] = field(default_factory=list)  # what the words that hold it together did
    owner: int | None = None  # whose the next thing is
    owned: list[int] = field(default_factory=list)  # things that wait for their owner: the wife of …
    in_place: bool = False
    negative: bool = False
    ended: bool = False
    renews: bool = False
    amount: Amount = Amount.ANY
    asks: Asks = Asks.NOTHING
    link: Link | None = None
    split: int = 0
    part: bool = False
    exists: bool = False
    has_article: bool = False
    has: bool = False
    has_first: bool = False  # a question that begins with it
    is_punjabi: bool = False  # where "ki" is always "what"
    opened: bool = False  # the next word says of what kind an answer is

    def add(self, word: Word, at: int) -> None:
        """One more thing."""
        if self._is_new(at):  # "my new manager" is my manager from now on
            self.owner, self.renews = self.things.pop().owner, True
        is_capital = word.written[:1].isupper()
        named = is_capital and (at > 0 or not (word.glosses or is_known_word(word.written)))
        owner = None if word.counts else self.owner
        self.things.append(replace(thing_of(word, at), owner=owner, in_place=self.in_place, named=named))
        if word.owns or not word.counts:  # "the spider's eight legs": the legs are its
            self.owner = len(self.things) - 1 if word.owns else None

    def _is_new(self, at: int) -> bool:
        """Whether the word before a place says that what is somebody's is it from now on."""
        last = self.things[-1] if self.is_behind(at) else None
        return last is not None and last.owner is not None and not _NEW.isdisjoint(last.keys | last.glosses)

    def person(self, key: str, at: int, *, owns: bool) -> None:
        """Who speaks, or is spoken to."""
        self.things.append(Thing(frozenset({key}), at=at, owner=self.owner))
        self.owner = len(self.things) - 1 if owns else None

    def have(self) -> None:
        """That something has something, said once."""
        if not self.has:
            self.things.append(Thing(frozenset({HAVE})))
        self.has = True

    def close(self) -> None:
        """A group of words is over: what waits for its owner gets it."""
        for at in reversed(self.owned):
            last = self._end_of_name(at + 1)
            if last > at:
                behind = self.things[at + 1 : last + 1]
                moved = [
                    each.owned(each.owner - 1 if each.owner and each.owner > at else each.owner) for each in behind
                ]
                self.things[at : last + 1] = [*moved, self.things[at].owned(last - 1)]
        self.owned.clear()

    def _end_of_name(self, at: int) -> int:
        """The last thing of what begins with this one: of a name, of what has an owner, of a noun behind adjectives."""
        things = self.things
        while at + 1 < len(things) and (
            things[at + 1].owner == at or (things[at].named and things[at + 1].named) or is_adjective(things[at].keys)
        ):
            at += 1
        return at if at < len(things) else -1

    def is_behind(self, at: int) -> bool:
        """Whether the last thing is the word just before a place."""
        return bool(self.things) and self.things[-1].at == at - 1

    def is_whole(self, word: Word, at: int) -> bool:
        """Whether a word for people or things is all that is said of them: "vegan people" are vegans."""
        return "folk" in word.roles and not self.is_behind(at)


def thing_of(word: Word, at: int) -> Thing:
    """What a word names."""
    keys = word.keys or frozenset({word.written.lower()})
    return Thing(keys, word.glosses, at, sound=word.sound, is_latin=word.written.isascii(), counts=word.counts)


Hold = Callable[[Draft, Word, int], None]
"""Does what a word with a role does that holds a sentence together."""


def hold(draft: Draft, word: Word, at: int, roles: Mapping[str, Hold]) -> None:
    """Do what the first of its roles says."""
    for role, does in roles.items():
        if role in word.roles:
            does(draft, word, at)
            return
