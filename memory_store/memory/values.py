"""Decide whether a newer fact gives another value to a slot with one value. Pure.

A list names the slots with one value at a time; users add others when they replace one fact by another.
"""

import tomllib
from collections import defaultdict
from collections.abc import Sequence, Set
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from assistant.kinds import Fact, Triple
from assistant.reasoning.reasoner import Reasoner
from memory_store.language.function_words import WordKind, fold_words, function_words
from memory_store.language.languages import LANGUAGES
from memory_store.language.normalize import fold_name, is_same_name

_LIST = Path(__file__).with_name("lists") / "one_value.toml"
_MOST_OTHER = 2  # telling words that a fact may have beyond its triples and still say no more than they do
_TELLING = {WordKind.CONTENT, WordKind.ASKING}


class Slot(NamedTuple):
    """A subject and relation whose object is the value, or the reverse; all in folded form."""

    side: str  # side of the value: "object" or "subject"
    relation: str
    thing: str  # on the other side

    @property
    def kind(self) -> str:
        """Return the side and relation; whether there is only one value depends on these alone."""
        return f"{self.side} {self.relation}"


@cache
def read_sides(file: Path) -> frozenset[tuple[str, str]]:
    """Return the pairs of a list: "subject" or "object", and a relation in folded form."""
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    return frozenset((side, fold_name(relation)) for side, relations in table.items() for relation in relations)


def group_by_slot(triples: Sequence[Triple]) -> dict[Slot, list[tuple[str, str]]]:
    """Return the slots of triples, each with pairs of thing and value as written."""
    values: dict[Slot, list[tuple[str, str]]] = defaultdict(list)
    for triple in triples:
        subject, relation, named = (fold_name(name) for name in (triple.subject, triple.relation, triple.object))
        values[Slot("object", relation, subject)].append((triple.subject, triple.object))
        values[Slot("subject", relation, named)].append((triple.object, triple.subject))
    return values


@lru_cache(maxsize=64)  # each new fact is compared with several
def find_one_valued(said: Fact, learnt: Set[str] = frozenset()) -> frozenset[Slot]:
    """Return the slots of a fact that have one value, by the list or by kinds learnt from the user.

    Some listed slots have one value only if the fact says that it is so now.
    """
    values, listed = group_by_slot(() if said.denied else said.triples), read_sides(_LIST)
    single = {
        slot for slot in values if slot.kind in {*learnt, *said.one_valued} or (slot.side, slot.relation) in listed
    }
    if_now = {slot for slot in values if (f"{slot.side}_if_now", slot.relation) in listed}
    return frozenset(single | if_now if if_now and Reasoner(LANGUAGES).says_now(said.text) else single)


def find_changed_slots(new: Sequence[Triple], old: Sequence[Triple]) -> set[Slot]:
    """Return the slots to which both give values, all different."""
    ours, theirs, changed = group_by_slot(new), group_by_slot(old), set[Slot]()
    for slot in ours.keys() & theirs.keys():
        pairs = [(now[1], then[1]) for now in ours[slot] for then in theirs[slot] if is_same_name(now[0], then[0])]
        if pairs and not any(is_same_name(*values) for values in pairs):
            changed.add(slot)
    return changed


def says_more(text: str, triples: Sequence[Triple], than: Set[Slot]) -> bool:
    """Return True if a fact says more, in words or triples, than the values of these slots."""
    if any(than.isdisjoint(group_by_slot([triple])) for triple in triples):
        return True
    named = {word for triple in triples for name in triple.model_dump().values() for word in fold_words(name)}
    others = {word for word in fold_words(text) if function_words().kind(word) in _TELLING} - named
    return len(others) > _MOST_OTHER
