"""Contract of `Memory`. A new implementation adds a fixture."""

from dataclasses import replace
from typing import Any

import pytest

from assistant.errors import InputError, NoIdentity, NotedError, NotFound
from assistant.reports.listing import EntryFilter, EntryPage
from assistant.types import Key, KeyOrigin, NewEntry, Status, Turn
from memory_store.ledger.ledger import Ledger
from memory_store.memory.memory import LedgerMemory
from memory_store.store import Store
from tests.support.memory.store import ANN, BOB, clarification, example, ledger_memory, unrelated_clarification

pytestmark = pytest.mark.promise("same-on-postgresql")


def test_entry_is_read_back_as_saved(memory: LedgerMemory) -> None:
    further = [Key("kya", KeyOrigin.MODEL)]
    draft = clarification(
        "What is akin to < quick > ?", "ਮੇਰਾ ਮਤਲਬ synonym 🙂\n ' \\\"%s ?" * 50, "", further, "an antonym"
    )
    saved = memory.remember(replace(draft, turn="turn 1", model="a model"), ANN)
    assert memory.entry(saved.id, ANN) == saved
    assert (saved.question, saved.text, saved.wrong_understanding) == (draft.question, draft.text, "an antonym")
    assert (saved.owner, saved.shared, saved.status) == ("ann", False, Status.ACTIVE)
    assert (saved.turn, saved.model, saved.keys) == ("turn 1", "a model", (Key(draft.question), *further))
    long = memory.remember(clarification("क" * 20_000 + "\x00\x1b\ud800", "a\x9bb", key="long"), ANN)
    assert (long.question, long.text) == ("क" * 20_000 + "\ufffd", "ab")
    assert memory.entry(long.id, ANN) == long
    for impossible in ("\x00", "\ud800"):
        with pytest.raises(NotedError):
            memory.entry(impossible, ANN)


def test_many_are_saved_at_once_or_none(memory: LedgerMemory) -> None:
    known = memory.remember(clarification("q", key="k"), ANN)
    more = [clarification("r", "one"), clarification("s", "two"), clarification("q", key="k")]
    saved = memory.remember_all(more, ANN)
    assert [entry.question for entry in saved] == ["r", "s", "q"]
    assert saved[2] == known == memory.remember(clarification("q", "said differently", key="k"), ANN)
    assert memory.remember(clarification("q", key="k"), BOB).id != known.id
    assert [entry.id for entry in memory.entries(ANN)] == [saved[1].id, saved[0].id, known.id]
    for foreign in (memory.remember(clarification("hers"), BOB).id, "nobody's"):
        with pytest.raises(NotFound):
            memory.remember_all([clarification("t"), replace(clarification("u"), supersedes=foreign)], ANN)
    assert len(memory.entries(ANN)) == 3
    assert memory.remember_all([], ANN) == []


def test_saving_keeps_the_limit_of_entries(ledger: Ledger) -> None:
    memory = replace(ledger_memory(ledger), _most=2)
    first, _ = [memory.remember(unrelated_clarification(name), ANN) for name in "ab"]
    with pytest.raises(InputError, match="can have 2 memories"):
        memory.remember(unrelated_clarification("c"), ANN)
    assert memory.remember(unrelated_clarification("a"), ANN) == first
    assert memory.remember(unrelated_clarification("c"), BOB).owner == BOB.person


def test_turn_has_one_active_clarification(memory: LedgerMemory) -> None:
    def of_turn(words: str, turn: str = "t1", question: str = "q") -> NewEntry:
        return replace(clarification(question, words, key=f"{turn} {words}"), turn=turn)

    first = memory.remember(of_turn("first"), ANN)
    others = [memory.remember(of_turn("first", "t2", "another"), ANN), memory.remember(of_turn("first"), BOB)]
    kept = memory.remember(example("r", turn="t1"), ANN)
    second = memory.remember(of_turn("second"), ANN)
    assert (second.supersedes, kept.supersedes) == (first.id, None)
    assert {entry.id for entry in memory.entries(ANN)} == {second.id, others[0].id, kept.id}
    assert memory.entry(others[1].id, BOB).status == Status.ACTIVE
    memory.retract(second.id, ANN)
    memory.retract(first.id, ANN)
    third = memory.remember(of_turn("third"), ANN)
    fourth = memory.remember(replace(of_turn("fourth"), supersedes=first.id), ANN)
    assert (third.supersedes, fourth.supersedes) == (None, third.id)


def test_entry_is_followed_through_its_edits(memory: LedgerMemory) -> None:
    first = memory.remember(clarification("q", "first"), ANN)
    assert memory.current(first.id, ANN) == first
    second = memory.edit(first.id, "second", ANN)
    third = memory.edit(second.id, "third", ANN)
    assert memory.edit(third.id, "third", ANN) == memory.edit(second.id, "third", ANN) == third
    with pytest.raises(NotFound):
        memory.edit(second.id, "fourth", ANN)
    assert memory.current(first.id, ANN) == memory.current(second.id, ANN) == third
    assert (memory.current(first.id, BOB), memory.earlier([third.id], BOB)) == (None, {})
    assert [entry.text for entry in memory.earlier([third.id], ANN)[third.id]] == ["second", "first"]
    for _ in range(2):
        assert memory.retract(third.id, ANN).status is Status.RETRACTED
    assert memory.current(third.id, ANN) is None
    assert memory.current(first.id, ANN) == memory.entry(second.id, ANN)
    memory.forget(second.id, ANN)
    for gone in (first, second, third):
        with pytest.raises(NotFound):
            memory.entry(gone.id, ANN)
    assert memory.entries(ANN) == []


def test_event_counts_once_per_turn(memory: LedgerMemory) -> None:
    saved = memory.remember(clarification("q"), ANN)
    for turn in ("t1", "t1", "t2"):
        memory.count(saved.id, "used", turn, ANN)
    memory.count(saved.id, "helped", "t1", ANN)
    memory.count(saved.id, "hurt", "t2", ANN)
    entry = memory.entry(saved.id, ANN)
    assert (entry.used, entry.helped, entry.hurt) == (2, 1, 1)
    with pytest.raises(InputError):
        memory.count(saved.id, "saved", "t1", ANN)


def test_no_scope_reads_and_writes_nothing(memory: LedgerMemory) -> None:
    nobody: Any = None
    with pytest.raises(NoIdentity):
        memory.entries(nobody)
    with pytest.raises(NoIdentity):
        memory.remember(clarification("q"), nobody)
    for attempt in (memory.entry, memory.current, memory.forget):
        with pytest.raises(NoIdentity):
            attempt("x", nobody)


def test_entries_are_filtered_and_paged(memory: LedgerMemory) -> None:
    entry, _ = memory.remember(unrelated_clarification("one"), ANN), memory.remember(example("example"), ANN)
    foreign = memory.remember(clarification("not Ann's ਸ਼ਬਦ"), BOB)
    for wanted in ({"kind": "clarification"}, {"start": entry.id[:8]}, {"among": [entry.id, foreign.id]}):
        assert memory.find(ANN, EntryFilter(**wanted)) == EntryPage([entry], 1)
    assert not memory.find(ANN, EntryFilter(turn="unknown")).total
    assert memory.find(ANN, EntryFilter(turn="")).total == 2, "entries of no turn, not all"
    for start in ("%", "_" * 8, foreign.id[:8]):
        assert not memory.find(ANN, EntryFilter(start=start)).total
    saved = [memory.remember(unrelated_clarification(str(number)), ANN) for number in range(3)]
    assert memory.find(ANN, EntryFilter(), limit=2, offset=1) == EntryPage(saved[1::-1], 5)


def test_search_follows_what_changes(memory: LedgerMemory) -> None:
    entry = memory.remember(clarification("50% off_ \\ rot", "first: Ein Straßenname"), ANN)
    memory.remember(clarification("50% off", "not Ann's"), BOB)
    for search in ("50%", "% off", "f_", "\\ r", "OFF", "STRASSENNAME"):
        assert [one.id for one in memory.entries(ANN, search)] == [entry.id], search
    for search in ("5%f", "o_f", "100%"):
        assert memory.entries(ANN, search) == [], search
    memory.replace_keys(entry.id, [], [Key("samaan shabd", KeyOrigin.MODEL)], ANN)
    assert len(memory.entries(ANN, "समान")) == 1
    memory.replace_keys(entry.id, ["samaan shabd"], [Key("another", KeyOrigin.PERSON)], ANN)
    assert (len(memory.entries(ANN, "समान")), len(memory.entries(ANN, "another"))) == (0, 1)
    changed = memory.edit(entry.id, "second", ANN)
    assert (memory.entries(ANN, "first"), len(memory.entries(ANN, "second"))) == ([], 1)
    memory.retract(changed.id, ANN)
    assert len(memory.entries(ANN, "first")) == 1
    memory.forget(entry.id, ANN)
    assert memory.find(ANN, EntryFilter("first")) == EntryPage([], 0)


def test_exceptions_are_made_and_taken_back(any_store: Store) -> None:
    entry = any_store.memory.remember(clarification("q"), ANN)
    for number in range(3):
        any_store.turn_store.record(Turn(f"t{number}", f"c{number}", ANN.person, f"asked in t{number}"), ANN)
        for _ in range(2):
            any_store.memory.except_for(entry.id, f"t{number}", ANN)
    assert any_store.memory.entry(entry.id, ANN).not_for == ("asked in t0", "asked in t1", "asked in t2")
    assert any_store.memory.resume(entry.id, ANN, "t1").not_for == ("asked in t0", "asked in t2")
    any_store.conversations.erase("c0", ANN)
    assert any_store.memory.entry(entry.id, ANN).not_for == ("asked in t2",)
    with pytest.raises(NotFound):
        any_store.memory.except_for(entry.id, "t0", ANN)
    assert any_store.memory.resume(entry.id, ANN).not_for == ()
    assert any_store.memory.except_for(entry.id, "t2", ANN).not_for == ("asked in t2",)
    assert any_store.memory.resume(entry.id, ANN).not_for == ()
