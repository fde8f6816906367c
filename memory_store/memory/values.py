"""Whether a newer fact gives another value of a relation that has one value. Pure.

Which side of a relation has one value at a time, a list says; and of others the person, by putting one fact instead of
another that tells the same with another value.
"""

import tomllib
from collections import defaultdict
from collections.abc import Sequence, Set
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from assistant.kinds import Triple
from memory_store.language.function_words import WordKind, folded_words, function_words
from memory_store.language.normalize import form_of, same_name

_LIST = Path(__file__).with_name("lists") / "one_value.toml"
_IF_NOW = "_if_now"
_MOST_OTHER = 2  # telling words of a fact beside those of its triples: it says hardly more than they do
_TELLING = {WordKind.CONTENT, WordKind.ASKING}


class Slot(NamedTuple):
    """What a triple gives a value of; all in the form in which names compare."""

    side: str  # on which the value stands: "object", or "subject"
    relation: str
    thing: str  # on the other side

    @property
    def kind(self) -> str:
        """Of a person's facts, those of one kind all have one value, or none has."""
        return f"{self.side} {self.relation}"


class _Given(NamedTuple):
    """A value, and of what, as they are written."""

    thing: str
    value: str


@cache
def sides_in(file: Path) -> frozenset[tuple[str, str]]:
    """Return the pairs of a list: "subject" or "object", and a relation in the form in which names compare."""
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    return frozenset((side, form_of(relation)) for side, relations in table.items() for relation in relations)


def slots(told: Sequence[Triple]) -> dict[Slot, list[_Given]]:
    """The values that triples give."""
    values: dict[Slot, list[_Given]] = defaultdict(list)
    for triple in told:
        subject, relation, named = (form_of(name) for name in (triple.subject, triple.relation, triple.object))
        values[Slot("object", relation, subject)].append(_Given(triple.subject, triple.object))
        values[Slot("subject", relation, named)].append(_Given(triple.object, triple.subject))
    return values


@lru_cache(maxsize=64)  # each new fact is compared with several
def one_valued(told: tuple[Triple, ...], learnt: tuple[str, ...], *, is_now: bool) -> frozenset[Slot]:
    """What they give a value of that may have one only.

    `learnt` are kinds of which the person has said so; `is_now` where the words of their fact say that it is so now.
    """
    listed = sides_in(_LIST)
    sides = {slot: {slot.side, *([f"{slot.side}{_IF_NOW}"] if is_now else [])} for slot in slots(told)}
    return frozenset(
        slot
        for slot, names in sides.items()
        if slot.kind in learnt or any((name, slot.relation) in listed for name in names)
    )


def given_anew(new: Sequence[Triple], old: Sequence[Triple]) -> set[Slot]:
    """What both give a value of, each another one."""
    ours, theirs = slots(new), slots(old)
    return {slot for slot in ours.keys() & theirs.keys() if _differ(ours[slot], theirs[slot])}


def _differ(ours: Sequence[_Given], theirs: Sequence[_Given]) -> bool:
    pairs = [(our.value, their.value) for our in ours for their in theirs if same_name(our.thing, their.thing)]
    return bool(pairs) and not any(same_name(*values) for values in pairs)


def says_more(text: str, told: Sequence[Triple], than: Set[Slot]) -> bool:
    """Whether a fact, by its words and its triples, says more than the values of these."""
    if any(than.isdisjoint(slots([triple])) for triple in told):
        return True
    named = {word for triple in told for name in triple.model_dump().values() for word in folded_words(name)}
    others = {word for word in folded_words(text) if function_words().kind(word) in _TELLING} - named
    return len(others) > _MOST_OTHER
