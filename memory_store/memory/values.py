"""Tell whether a newer fact gives another value of a slot that has one value. Pure.

A list says which slots have one value at a time; of others, the user says it by replacing one fact by another.
"""

import tomllib
from collections import defaultdict
from collections.abc import Sequence, Set
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from assistant.kinds import Fact, Triple
from assistant.reasoning.reasoner import Reasoner
from memory_store.language.function_words import WordKind, folded_words, function_words
from memory_store.language.languages import LANGUAGES
from memory_store.language.normalize import form_of, same_name

_LIST = Path(__file__).with_name("lists") / "one_value.toml"
_MOST_OTHER = 2  # telling words of a fact beside those of its triples: it says hardly more than they do
_TELLING = {WordKind.CONTENT, WordKind.ASKING}


class Slot(NamedTuple):
    """What a triple gives a value of; all in the form in which names compare."""

    side: str  # on which the value stands: "object", or "subject"
    relation: str
    thing: str  # on the other side

    @property
    def kind(self) -> str:
        """Of a user's facts, the slots of one kind all have one value, or none has."""
        return f"{self.side} {self.relation}"


@cache
def sides_in(file: Path) -> frozenset[tuple[str, str]]:
    """Return the pairs of a list: "subject" or "object", and a relation in the form in which names compare."""
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    return frozenset((side, form_of(relation)) for side, relations in table.items() for relation in relations)


def slots(told: Sequence[Triple]) -> dict[Slot, list[tuple[str, str]]]:
    """Return the slots of triples with their things and values, as they are written."""
    values: dict[Slot, list[tuple[str, str]]] = defaultdict(list)
    for triple in told:
        subject, relation, named = (form_of(name) for name in (triple.subject, triple.relation, triple.object))
        values[Slot("object", relation, subject)].append((triple.subject, triple.object))
        values[Slot("subject", relation, named)].append((triple.object, triple.subject))
    return values


@lru_cache(maxsize=64)  # each new fact is compared with several
def one_valued(said: Fact, learnt: Set[str] = frozenset()) -> frozenset[Slot]:
    """Return the slots of a fact that have one value: by the list, or as their kinds were learnt.

    Some of the list do only where the fact says that it is so now.
    """
    told, listed = slots(() if said.denied else said.triples), sides_in(_LIST)
    single = {slot for slot in told if slot.kind in {*learnt, *said.one_valued} or (slot.side, slot.relation) in listed}
    if_now = {slot for slot in told if (f"{slot.side}_if_now", slot.relation) in listed}
    return frozenset(single | if_now if if_now and Reasoner(LANGUAGES).says_now(said.text) else single)


def given_anew(new: Sequence[Triple], old: Sequence[Triple]) -> set[Slot]:
    """Return the slots of which both give a value, each another one."""
    ours, theirs, anew = slots(new), slots(old), set[Slot]()
    for slot in ours.keys() & theirs.keys():
        pairs = [(now[1], then[1]) for now in ours[slot] for then in theirs[slot] if same_name(now[0], then[0])]
        if pairs and not any(same_name(*values) for values in pairs):
            anew.add(slot)
    return anew


def says_more(text: str, told: Sequence[Triple], than: Set[Slot]) -> bool:
    """Return True if a fact, by its words and its triples, says more than the values of these slots."""
    if any(than.isdisjoint(slots([triple])) for triple in told):
        return True
    named = {word for triple in told for name in triple.model_dump().values() for word in folded_words(name)}
    others = {word for word in folded_words(text) if function_words().kind(word) in _TELLING} - named
    return len(others) > _MOST_OTHER
