"""Contract of `Memory` for repeated, contradicting and context-dependent feedback of one user."""

import uuid

import pytest

from assistant.errors import InputError, NotFound
from assistant.kinds import Place
from assistant.ports import Memory
from assistant.types import Key, NewEntry, Scope, Status
from tests.support.memory.store import ANN, BOB, clarification, example

pytestmark = pytest.mark.promise("facts-can-conflict")

State = set[tuple[str, str, str, frozenset[Key]]]


def said(question: str, text: str, key: str = "") -> NewEntry:
    return clarification(question, text, key or str(uuid.uuid4()))


def confirmed(question: str) -> NewEntry:
    return example(question, key=str(uuid.uuid4()))


def state(memory: Memory, scope: Scope = ANN) -> State:
    return {(e.kind.name, e.question, e.text, frozenset(e.keys)) for e in memory.entries(scope, limit=1000)}


def test_newer_clarification_replaces_older(memory: Memory) -> None:
    older = memory.remember(said("What is akin to quick?", "an antonym"), ANN)
    newer = memory.remember(said("what is AKIN to < quick >", "a synonym"), ANN)
    assert newer.supersedes == older.id
    assert memory.entry(older.id, ANN).status is Status.SUPERSEDED
    assert [entry.id for entry in memory.entries(ANN)] == [newer.id]
    memory.retract(newer.id, ANN)
    assert memory.entries(ANN) == [older]


def test_owner_decides_between_two_meanings(memory: Memory) -> None:
    question = "what does doubt mean?"
    older = memory.remember(said(question, "a question for the teacher"), ANN)
    newer = memory.remember(said("What does doubt mean", "suspicion, in a marriage"), ANN)
    assert newer.supersedes is None
    assert [entry.id for entry in memory.beside(newer.id, ANN)] == [older.id]
    assert [entry.id for entry in memory.beside(older.id, ANN)] == [newer.id]
    for scope, other in ((BOB, older.id), (ANN, newer.id)):
        with pytest.raises(NotFound):
            memory.put(newer.id, Place.INSTEAD, other, scope)

    both = memory.put(newer.id, Place.BESIDE, older.id, ANN, "suspicion in court only")
    assert both.body.why_both == memory.entry(newer.id, ANN).body.why_both == "suspicion in court only"
    with pytest.raises(InputError):
        memory.put(newer.id, Place.BESIDE, older.id, ANN, "see ![it](https://attacker.test/p.png)")
    assert memory.entry(newer.id, ANN).body.why_both

    instead = memory.put(newer.id, Place.INSTEAD, older.id, ANN, "never mind")
    assert (instead.supersedes, instead.body.why_both) == (older.id, "")
    assert (memory.entry(older.id, ANN).status, memory.beside(newer.id, ANN)) == (Status.SUPERSEDED, [])
    assert memory.put(newer.id, Place.BESIDE, older.id, ANN).supersedes is None
    assert {entry.id for entry in memory.entries(ANN)} == {older.id, newer.id}


def test_unrelated_entries_can_be_put_apart(memory: Memory) -> None:
    yesterday = memory.remember(said("kal kya hua tha?", "kal matlab yesterday"), ANN)
    before = state(memory)
    tomorrow = memory.remember(said("kal kab aaoge?", "kal matlab tomorrow"), ANN)
    related = state(memory)
    apart = memory.put(tomorrow.id, Place.APART, yesterday.id, ANN)
    assert memory.entry(tomorrow.id, ANN) == apart
    assert (memory.beside(apart.id, ANN), memory.beside(yesterday.id, ANN)) == ([], [])
    assert before < state(memory)
    memory.put(tomorrow.id, Place.BESIDE, yesterday.id, ANN)
    assert [entry.id for entry in memory.beside(yesterday.id, ANN)] == [tomorrow.id]
    assert state(memory) == related
    memory.forget(tomorrow.id, ANN)
    assert state(memory) == before


def test_clarification_hides_the_older_example(memory: Memory) -> None:
    older = memory.remember(confirmed("what is akin to quick?"), ANN)
    newer = memory.remember(confirmed("What is akin to quick"), ANN)
    other = memory.remember(confirmed("what is akin to big?"), ANN)
    assert newer.supersedes == older.id
    given = memory.remember(said("what is akin to quick ?", "an antonym"), ANN)
    again = memory.edit(given.id, "a word of opposite meaning", ANN)
    assert {entry.id for entry in memory.entries(ANN)} == {again.id, other.id}
    for entry in (again, given):
        memory.retract(entry.id, ANN)
    assert {entry.id for entry in memory.entries(ANN)} == {newer.id, other.id}
