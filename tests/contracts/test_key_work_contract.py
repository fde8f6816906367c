"""Contract of `KeyWork` together with `Memory`. A new implementation adds a fixture."""

from dataclasses import replace

import pytest

from assistant.kinds import Place, Reach
from assistant.ports import KeyWork, WrittenKeys
from assistant.types import Key, KeyOrigin, NewEntry, Status
from memory_store.ledger.entries import empty_misunderstandings
from memory_store.ledger.ledger import Ledger
from memory_store.memory.memory import LedgerKeyWork, LedgerMemory
from tests.support.memory.store import ANN, BOB, clarification

RULE, BY_MODEL, BY_PERSON = (
    Key("what is that", KeyOrigin.RULE),
    Key("by a model", KeyOrigin.MODEL),
    Key("by a person", KeyOrigin.PERSON),
)


@pytest.fixture
def work(ledger: Ledger) -> KeyWork:
    return LedgerKeyWork(ledger, lambda: None)


def wanting(question: str, *further: Key) -> NewEntry:
    return replace(clarification(question, further=further), wants_keys=True)


def test_entry_waits_for_its_keys(memory: LedgerMemory, work: KeyWork) -> None:
    first = memory.remember(wanting("first", RULE), ANN)
    memory.remember(clarification("wants none"), ANN)
    second = memory.remember(wanting("second"), BOB)
    assert work.wanting() == [first.id, second.id]
    assert work.wants(first.id) == first
    assert work.written(first.id, WrittenKeys([Key("first", KeyOrigin.MODEL), BY_MODEL]))
    assert work.wanting() == [second.id]
    assert work.wants(first.id) is None
    assert not work.written(first.id, WrittenKeys([Key("by another process", KeyOrigin.MODEL)]))
    assert memory.entry(first.id, ANN).keys == (Key("first"), RULE, BY_MODEL)


@pytest.mark.promise("keys-do-not-wait")
def test_entries_of_one_person_delay_nobody(memory: LedgerMemory, work: KeyWork) -> None:
    many = [memory.remember(wanting(f"number {place}"), ANN).id for place in range(5)]
    one = memory.remember(wanting("one"), BOB).id
    assert work.wanting() == [many[0], one, *many[1:]]


def test_no_keys_are_written_for_what_is_gone(memory: LedgerMemory, work: KeyWork) -> None:
    entry = memory.remember(wanting("q"), ANN)
    edited = memory.edit(entry.id, "something else", ANN)
    assert entry.id not in work.wanting()
    assert not work.written(entry.id, WrittenKeys([BY_MODEL]))
    memory.retract(edited.id, ANN)
    assert work.wanting() == [entry.id]
    memory.forget(entry.id, ANN)
    assert (work.wanting(), work.wants(entry.id)) == ([], None)
    assert not work.written(entry.id, WrittenKeys([BY_MODEL]))


def test_model_leaves_keys_of_a_person(memory: LedgerMemory, work: KeyWork) -> None:
    entry = memory.remember(wanting("what is akin to quick?"), ANN)
    memory.replace_keys(entry.id, [], [BY_PERSON], ANN)
    assert not work.written(entry.id, WrittenKeys([BY_MODEL]))
    merged = memory.remember(wanting("what is akin to enormous?"), ANN)
    further = [key.text for key in merged.keys[1:]]
    assert (merged.supersedes, further) == (entry.id, ["what is akin to quick?", "by a person"])


@pytest.mark.parametrize("chosen", [True, False])
def test_model_sets_the_reach_unless_chosen(memory: LedgerMemory, work: KeyWork, chosen: bool) -> None:
    entry = memory.remember(wanting("q"), ANN)
    if chosen:
        memory.set_reach(entry.id, Reach.WAY, ANN)
    assert work.written(entry.id, WrittenKeys([BY_MODEL], "Questions about q.", Reach.QUESTION))
    found = memory.entry(entry.id, ANN)
    assert found.reach is (Reach.WAY if chosen else Reach.QUESTION)
    assert found.body.title == "Questions about q."
    assert memory.set_reach(entry.id, Reach.WAY, ANN).reach is Reach.WAY


@pytest.mark.promise("forgotten-answers-go-too")
@pytest.mark.parametrize("what", ["an earlier one", "the misunderstanding"])
def test_keys_made_of_erased_text_are_refused(memory: LedgerMemory, work: KeyWork, ledger: Ledger, what: str) -> None:
    first = memory.remember(clarification("what does doubt mean?", "a question for the teacher"), ANN)
    draft = clarification("what does doubt mean", "a suspicion", wrong="a question, as you said before")
    second = memory.remember(replace(draft, wants_keys=True), ANN)
    written = WrittenKeys([BY_MODEL], seen=(second, *work.earlier(second)))
    if what == "an earlier one":
        memory.forget(first.id, ANN)
    else:
        with ledger.write() as connection:
            assert empty_misunderstandings(connection, [second.id])
    assert not work.written(second.id, written)
    assert work.wanting() == [second.id]


@pytest.mark.parametrize("chosen", [True, False])
def test_model_places_others_unless_chosen(memory: LedgerMemory, work: KeyWork, chosen: bool) -> None:
    first = memory.remember(clarification("what does doubt mean?", "a question for the teacher"), ANN)
    second = memory.remember(replace(clarification("what does doubt mean", "a suspicion"), wants_keys=True), ANN)
    assert work.earlier(second) == [first]
    if chosen:
        memory.put(second.id, Place.INSTEAD, first.id, ANN)
        memory.put(second.id, Place.BESIDE, first.id, ANN)
    nobodys = "0"
    assert work.written(second.id, WrittenKeys([BY_MODEL], places={nobodys: Place.APART, first.id: Place.INSTEAD}))
    assert memory.entry(first.id, ANN).status is (Status.ACTIVE if chosen else Status.SUPERSEDED)
    memory.retract(second.id, ANN)
    assert memory.entry(first.id, ANN).status is Status.ACTIVE


def test_keys_are_changed_by_hand_once(memory: LedgerMemory) -> None:
    entry = memory.remember(clarification("q", further=[RULE, BY_MODEL]), ANN)
    memory.replace_keys(entry.id, ["what is that"], [], ANN)
    for _ in range(2):
        changed = memory.replace_keys(entry.id, ["by a model"], [BY_PERSON], ANN)
        assert changed.keys == memory.entry(entry.id, ANN).keys == (Key("q"), BY_PERSON)
