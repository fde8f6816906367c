"""Chains of relations: mother, brother of "my mother's brother", or of a story that leads from one person to another.

A chain is read by the reader of simple sentences: whose something is, in any of its wordings. Which words are
relations nobody lists; what a name is, is told by how it is written, or by the lexicon, which has no such word.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from assistant.language.lexicon import lexicon
from assistant.reasoning.reasoner import Reasoner
from assistant.reasoning.sentence import HAVE, PERSONS, Link, Sentence, Thing

_PARTS, _FINER_PARTS = re.compile(r"(?<=[.?!;।॥])\s+|\n+"), re.compile(r"(?<=[.?!;।॥,])\s+|\n+")
_HYPHEN, _KEPT = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])"), "\u2011"  # "-in-law" is no place
_MOST_STEPS = 6
_OF_WORDS = frozenset({"asking", "negation"})  # kinds of words: synonym, opposite
_NO_WORDS = PERSONS | {HAVE}

Names = frozenset[str]


class Edge(NamedTuple):
    """Somebody is the relative of somebody."""

    owner: str
    steps: tuple[str, ...]
    value: str


@dataclass(frozen=True, slots=True)
class Rule:
    """What a relation of a relation is."""

    steps: tuple[str, ...]
    result: str


@dataclass(frozen=True, slots=True)
class Chains:
    """Reads them."""

    reasoner: Reasoner

    def asked(self, text: str) -> tuple[str, ...]:
        """The relations that lead to what a text asks for, in their order; none where it asks for something else."""
        return self._asked(_PARTS.split(text)) or self._asked(_FINER_PARTS.split(text))

    def _asked(self, parts: Sequence[str]) -> tuple[str, ...]:
        sentences = [self._read(part) for part in parts if part.strip()]
        names = _names(sentences)
        for said in [said for said in sentences if said.is_question][-1:]:
            owned = [steps for _, steps, _ in _owned(said, names) if len(steps) > 1 and not self._is_of_words(steps)]
            if len(owned) == 1:
                return owned[0][:_MOST_STEPS]
            persons = [*dict.fromkeys(_name(said, thing) for thing in said.things if _is_person(said, thing, names))]
            if len(persons) == 2:
                start, end = persons if said.link is Link.DOES else reversed(persons)
                edges = [edge for told in sentences if told is not said for edge in self._edges(told, names)]
                return _path(edges, start, end)
        return ()

    def rule(self, text: str) -> Rule | None:
        """What a sentence says that a relation of a relation is: "A mother's brother is an uncle."."""
        said = self._read(text)
        for _, steps, places in _owned(said, frozenset()):
            others = [thing for at, thing in enumerate(said.things) if at not in places and not thing.keys & _NO_WORDS]
            if len(steps) > 1 and len(others) == 1:
                return Rule(steps, _name(said, others[0]))
        return None

    def relation(self, text: str, but: Sequence[str]) -> str:
        """The one relation that an answer names, beside words of the question; empty where it names none, or more."""
        said = self._read(text)
        things = [thing for thing in said.things if not thing.keys & _NO_WORDS]
        words = [_name(said, thing) for thing in things if not said.words[thing.at][:1].isupper()]
        named = [word for word in dict.fromkeys(words) if _may_relate(word)]
        left = [word for word in named if word not in but] or named
        return left[0] if len(left) == 1 else ""

    def _is_of_words(self, steps: Sequence[str]) -> bool:
        """Whether one of them is what is asked of words: the opposite, a synonym."""
        words = self.reasoner.languages.words(" ".join(steps))
        return any(str(word.kind) in _OF_WORDS for word in words)

    def _read(self, text: str) -> Sentence:
        return self.reasoner.read(_HYPHEN.sub(_KEPT, text))

    def _edges(self, said: Sentence, names: Names) -> Iterator[Edge]:
        """Whose relative somebody is, by a sentence of a story."""
        for told in self.reasoner.statements(said.text):
            yield from (edge for edge in _edges_of(told, names) if edge.owner != edge.value)


def _edges_of(said: Sentence, names: Names) -> Iterator[Edge]:
    persons = [at for at, thing in enumerate(said.things) if _is_person(said, thing, names)]
    for root, steps, places in _owned(said, names):
        if root and (value := _value(said, [at for at in persons if at not in places], places[-1])):
            yield Edge(root, steps, value)
    for at, thing in enumerate(said.things[:-1]):  # "has a brother called Bob", "her brother Bob"
        is_had = HAVE in said.things[at - 1].keys or _is_function(said, said.things[at - 1])
        is_free = thing.owner is None and at not in persons and at > 1 and at + 1 in persons
        owner = next((place for place in persons if place < at), None)
        if is_had and is_free and owner is not None:
            yield Edge(_name(said, said.things[owner]), (_name(said, thing),), _name(said, said.things[at + 1]))


def _owned(said: Sentence, names: Names) -> Iterator[tuple[str, tuple[str, ...], list[int]]]:
    """Each thing that is somebody's: whose, empty where of nobody in particular; over which relations; their places."""
    owners = {thing.owner for thing in said.things}
    for at, thing in enumerate(said.things):
        if thing.owner is None or at in owners:
            continue
        places = [at]
        while (owner := said.things[places[0]].owner) is not None and owner not in places:
            places.insert(0, owner)
        root = said.things[places[0]]
        is_person = _is_person(said, root, names)
        steps = places[1:] if is_person else places
        yield (
            _name(said, root) if is_person else "",
            tuple(_name(said, said.things[place]) for place in steps),
            places,
        )


def _value(said: Sentence, persons: Sequence[int], head: int) -> str:
    """Who is somebody's relative: the name beside the relation, or the other side of "is"."""
    beside = [at for at in persons if at == head + 1 and said.things[at].at == said.things[head].at + 1]
    linked = [at for at in persons if said.things[at].owner is None] if said.link is Link.IS else []
    found = beside or linked
    return _name(said, said.things[found[0]]) if found else ""


def _path(edges: Sequence[Edge], start: str, end: str) -> tuple[str, ...]:
    """The relations on the shortest way from one person to another; none where none leads there."""
    ways: Mapping[str, list[Edge]] = defaultdict(list)
    for edge in edges:
        ways[edge.owner].append(edge)
    waiting = deque([(start, tuple[str, ...]())])
    seen = {start}
    while waiting:
        person, steps = waiting.popleft()
        if person == end or len(steps) > _MOST_STEPS:
            return steps if person == end else ()
        for edge in ways[person]:
            if edge.value not in seen:
                seen.add(edge.value)
                waiting.append((edge.value, (*steps, *edge.steps)))
    return ()


def _names(sentences: Sequence[Sentence]) -> Names:
    """What is written like a name, or is no word; what begins a sentence, too, where there are others."""
    found: set[str] = set()
    begin: set[str] = set()
    for said in sentences:
        for thing in said.things:
            if thing.at >= 0 and said.words[thing.at][:1].isupper():
                (found if thing.at else begin).add(_name(said, thing))
            elif thing.at >= 0 and _is_unknown(name := _name(said, thing)):
                found.add(name)
    return frozenset(found | (begin if found else {*filter(_is_unknown, begin)}))


def _is_person(said: Sentence, thing: Thing, names: Names) -> bool:
    return bool(thing.keys & PERSONS) or (thing.at >= 0 and _name(said, thing) in names)


def _is_function(said: Sentence, thing: Thing) -> bool:
    """Whether it only stands for an owner: his, her, their."""
    known = lexicon().find(_name(said, thing)) if thing.at >= 0 else None
    return known is not None and not known.parts and not known.base


def _is_unknown(word: str) -> bool:
    return word.isascii() and "-" not in word and lexicon().find(word) is None


def _may_relate(word: str) -> bool:
    """Whether a word may be a relation: a noun, or a word that the lexicon does not have, as of another language."""
    known = lexicon().find(word)
    return known is None or "n" in known.parts


def _name(said: Sentence, thing: Thing) -> str:
    """A thing as it is compared; the persons of a talk as their keys."""
    person = thing.keys & PERSONS
    word = said.words[thing.at].lower().replace("’", "'").removesuffix("'s").removesuffix("'")
    return next(iter(person)) if person else word.replace(_KEPT, "-")
