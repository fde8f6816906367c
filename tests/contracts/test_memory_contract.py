"""What every `Memory` promises. One more implementation is one more fixture."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from assistant.errors import InputError, NoIdentity, NotedError, NotFound
from assistant.ports import Memory
from assistant.reports.listing import EntryFilter, EntryPage, Script, Visibility, Worth
from assistant.types import Draft, Entry, Key, KeyOrigin, Kind, Scope, Status
from memory_store.ledger.ledger import Ledger
from memory_store.memory.memory import LedgerMemory
from tests.support.store import ANN, BOB, clarification, ledger_memory, unlike


@pytest.fixture
def memory(ledger: Ledger) -> Memory:
    return ledger_memory(ledger)


def test_what_is_remembered_is_read_back(memory: Memory) -> None:
    draft = replace(
        clarification(
            "What is akin to < quick > ?", "ਮੇਰਾ ਮਤਲਬ synonym 🙂\n ' \\", further=[Key("kya", KeyOrigin.MODEL)]
        ),
        wrong_understanding="an antonym",
        turn="turn 1",
        model="a model",
    )
    saved = memory.remember(draft, ANN)
    assert memory.entry(saved.id, ANN) == saved
    assert (saved.question, saved.text, saved.wrong_understanding) == (draft.question, draft.text, "an antonym")
    assert (saved.owner, saved.shared, saved.status) == ("ann", False, Status.ACTIVE)
    assert (saved.turn, saved.model) == ("turn 1", "a model")
    assert saved.keys == (Key("What is akin to < quick > ?"), Key("kya", KeyOrigin.MODEL))


def test_many_are_remembered_at_once_or_none(memory: LedgerMemory) -> None:
    known = memory.remember(clarification("q", key="k"), ANN)
    more = [clarification("r", "one"), clarification("s", "two"), clarification("q", key="k")]
    saved = memory.remember_all(more, ANN)
    assert [entry.question for entry in saved] == ["r", "s", "q"]
    assert saved[2] == known
    assert [entry.id for entry in memory.entries(ANN)] == [saved[1].id, saved[0].id, known.id]
    with pytest.raises(NotFound):
        memory.remember_all([clarification("t"), replace(clarification("u"), supersedes="nobody's")], ANN)
    assert len(memory.entries(ANN)) == 3
    assert memory.remember_all([], ANN) == []


@pytest.mark.postgres
def test_the_same_idempotency_key_saves_once_per_person(memory: Memory) -> None:
    first = memory.remember(clarification("q", key="k"), ANN)
    assert memory.remember(clarification("q", "said differently", key="k"), ANN) == first
    assert memory.remember(clarification("q", key="k"), BOB).id != first.id
    assert [entry.id for entry in memory.entries(ANN)] == [first.id]


@pytest.mark.postgres
def test_search_looks_in_question_text_and_keys(memory: Memory) -> None:
    by_question = memory.remember(clarification("What is AKIN to quick?", "one"), ANN)
    by_text = memory.remember(clarification("q2", "Ein Straßenname"), ANN)
    by_key = memory.remember(clarification("q3", "three", further=[Key("मतलब क्या है", KeyOrigin.PERSON)]), ANN)
    memory.remember(clarification("akin", "not Ann's"), BOB)
    assert [entry.id for entry in memory.entries(ANN, search="akin")] == [by_question.id]
    assert [entry.id for entry in memory.entries(ANN, search="STRASSENNAME")] == [by_text.id]
    assert [entry.id for entry in memory.entries(ANN, search="मतलब")] == [by_key.id]
    assert memory.entries(ANN, search="%") == []
    assert memory.entries(ANN, search="zzzz") == []
    assert memory.entries(ANN, search="q", limit=1, offset=2) != []


def test_superseding_takes_the_place_of_the_successor_and_of_nothing_where_there_is_none(memory: Memory) -> None:
    old = memory.remember(clarification("q", "first"), ANN)
    between = memory.remember(replace(clarification("q", "second", key="2"), supersedes=old.id), ANN)
    new = memory.remember(replace(clarification("q", "third", key="3"), supersedes=old.id), ANN)
    assert new.supersedes == between.id
    assert [entry.id for entry in memory.entries(ANN)] == [new.id]
    for entry in (new, between, old):
        memory.retract(entry.id, ANN)
    alone = memory.remember(replace(clarification("q", "fourth", key="4"), supersedes=old.id), ANN)
    assert alone.supersedes is None
    memory.retract(alone.id, ANN)
    assert memory.entries(ANN) == []


def of_turn(words: str, turn: str = "t1", question: str = "q") -> Draft:
    return replace(clarification(question, words, key=f"{turn} {words}"), turn=turn)


def test_a_turn_has_one_clarification_that_counts(memory: Memory) -> None:
    first = memory.remember(of_turn("first"), ANN)
    others = [memory.remember(of_turn("first", "t2", "another"), ANN), memory.remember(of_turn("first"), BOB)]
    example = memory.remember(replace(of_turn("example", question="r"), kind=Kind.EXAMPLE), ANN)
    second = memory.remember(of_turn("second"), ANN)
    assert (second.supersedes, example.supersedes) == (first.id, None)
    assert {entry.id for entry in memory.entries(ANN)} == {second.id, others[0].id, example.id}
    assert memory.entry(others[1].id, BOB).status == Status.ACTIVE
    memory.retract(second.id, ANN)
    assert memory.entry(first.id, ANN).status == Status.ACTIVE


def test_a_clarification_whose_forerunner_was_taken_back_supersedes_the_one_of_its_turn(memory: Memory) -> None:
    first = memory.remember(of_turn("first"), ANN)
    memory.retract(first.id, ANN)
    second = memory.remember(of_turn("second"), ANN)
    third = memory.remember(replace(of_turn("third"), supersedes=first.id), ANN)
    assert (second.supersedes, third.supersedes) == (None, second.id)
    assert [entry.id for entry in memory.entries(ANN)] == [third.id]


@pytest.mark.postgres
def test_clarifications_of_one_turn_given_at_once_leave_one_that_counts(memory: Memory) -> None:
    number = 8
    together = threading.Barrier(number)

    def remember(place: int) -> Entry:
        together.wait()
        return memory.remember(of_turn(f"words {place}"), ANN)

    with ThreadPoolExecutor(number) as threads:
        saved = sorted(threads.map(remember, range(number)), key=lambda entry: entry.sequence)
    assert [entry.id for entry in memory.entries(ANN)] == [saved[-1].id]
    assert [entry.supersedes for entry in saved] == [None, *(entry.id for entry in saved[:-1])]


def test_an_entry_is_followed_to_what_it_became(memory: Memory) -> None:
    first = memory.remember(clarification("q", "first"), ANN)
    assert memory.current(first.id, ANN) == first
    second = memory.edit(first.id, "second", ANN)
    third = memory.edit(second.id, "third", ANN)
    assert memory.current(first.id, ANN) == memory.current(second.id, ANN) == third
    assert memory.current(first.id, BOB) is None
    for _ in range(2):
        assert memory.retract(third.id, ANN).status is Status.RETRACTED
    assert memory.current(third.id, ANN) is None
    restored = memory.current(first.id, ANN)
    assert restored is not None
    assert restored.id == second.id
    memory.forget(second.id, ANN)
    assert memory.current(first.id, ANN) is None


def test_further_keys_are_added_once_and_only_to_ones_own(memory: Memory) -> None:
    entry = memory.remember(clarification("q", "first"), ANN)
    further = [Key("q", KeyOrigin.QUESTION), Key("what is ▢", KeyOrigin.RULE)]
    for _ in range(2):
        assert memory.add_keys(entry.id, further, ANN).keys == (Key("q"), further[1])
    assert memory.entry(entry.id, ANN).keys == (Key("q"), further[1])
    with pytest.raises(NotFound):
        memory.add_keys(entry.id, further, BOB)
    memory.retract(entry.id, ANN)
    with pytest.raises(NotFound):
        memory.add_keys(entry.id, further, ANN)


def test_editing_twice_with_the_same_words_edits_once(memory: Memory) -> None:
    old = memory.remember(clarification("q", "first"), ANN)
    assert memory.edit(old.id, "first", ANN) == old
    new = memory.edit(old.id, "second", ANN)
    assert memory.edit(old.id, "second", ANN) == new
    with pytest.raises(NotFound):
        memory.edit(old.id, "third", ANN)
    assert [entry.id for entry in memory.entries(ANN)] == [new.id]


@pytest.mark.postgres
def test_forgetting_erases_the_whole_history(memory: Memory) -> None:
    first = memory.remember(clarification("q", "first"), ANN)
    second = memory.edit(first.id, "second", ANN)
    third = memory.edit(second.id, "third", ANN)
    other = memory.remember(clarification("other"), ANN)
    memory.forget(second.id, ANN)
    for gone in (first, second, third):
        with pytest.raises(NotFound):
            memory.entry(gone.id, ANN)
    assert [entry.id for entry in memory.entries(ANN)] == [other.id]
    with pytest.raises(NotFound):
        memory.forget(second.id, ANN)


@pytest.mark.postgres
def test_each_event_counts_once_per_turn(memory: Memory) -> None:
    saved = memory.remember(clarification("q"), ANN)
    for turn in ("t1", "t1", "t2"):
        memory.count(saved.id, "used", turn, ANN)
    memory.count(saved.id, "helped", "t1", ANN)
    memory.count(saved.id, "hurt", "t2", ANN)
    entry = memory.entry(saved.id, ANN)
    assert (entry.used, entry.helped, entry.hurt) == (2, 1, 1)
    with pytest.raises(InputError):
        memory.count(saved.id, "saved", "t1", ANN)


def test_nobody_supersedes_the_entry_of_another_person(memory: Memory) -> None:
    saved = memory.remember(clarification("q"), ANN)
    with pytest.raises(NotFound):
        memory.remember(replace(clarification("q"), supersedes=saved.id), BOB)
    assert memory.entry(saved.id, ANN) == saved


def test_without_a_scope_nothing_is_read_or_written(memory: Memory) -> None:
    nobody: Scope = None  # type: ignore[assignment]
    for attempt in (
        lambda: memory.entries(nobody),
        lambda: memory.remember(clarification("q"), nobody),
        lambda: memory.entry("x", nobody),
        lambda: memory.current("x", nobody),
        lambda: memory.forget("x", nobody),
    ):
        with pytest.raises(NoIdentity):
            attempt()


@pytest.mark.postgres
@pytest.mark.parametrize("unkeepable", ["\x00", "\ud800"])
def test_what_a_database_may_refuse_is_kept_as_a_replacement_sign(memory: Memory, unkeepable: str) -> None:
    further = [Key(f"key{unkeepable}", KeyOrigin.MODEL)]
    saved = memory.remember(clarification(f"q{unkeepable}", f"a{unkeepable}b", further=further), ANN)
    assert memory.entry(saved.id, ANN) == saved
    assert (saved.question, saved.text) == ("q\ufffd", "a\ufffdb")
    assert saved.keys == (Key("q\ufffd"), Key("key\ufffd", KeyOrigin.MODEL))
    with pytest.raises(NotedError):
        memory.entry(unkeepable, ANN)


def test_a_very_long_text_is_kept(memory: Memory) -> None:
    question, text = "क" * 100_000, "\\'\"%s ?" * 200
    saved = memory.remember(clarification(question, text, key="k"), ANN)
    assert memory.entry(saved.id, ANN) == saved
    assert (saved.question, saved.text) == (question, text)


def found(memory: Memory, **wanted: Any) -> list[str]:
    page = memory.find(ANN, EntryFilter(**wanted))
    assert page.total == len(page.entries)
    return sorted(entry.question for entry in page.entries)


@pytest.mark.postgres
def test_entries_are_found_by_what_they_are_and_what_came_of_them(memory: Memory) -> None:
    example = Draft(Kind.EXAMPLE, "example", "", "x", understanding="You want मतलब", answer="a")
    unused, helped, hurt, rests = (memory.remember(unlike(name), ANN) for name in ("unused", "helped", "hurt", "rests"))
    shown = memory.remember(example, ANN)
    memory.remember(clarification("not Ann's ਸ਼ਬਦ"), BOB)
    for entry, events in ((helped, ["helped"]), (hurt, ["hurt"]), (rests, ["hurt", "hurt"]), (shown, [])):
        memory.count(entry.id, "used", "t0", ANN)
        for turn, event in enumerate(events):
            memory.count(entry.id, event, f"t{turn}", ANN)
    assert found(memory, worth=Worth.NEVER_USED) == [unused.question]
    assert found(memory, worth=Worth.HURT) == sorted([hurt.question, rests.question])
    assert found(memory, worth=Worth.RESTS) == [rests.question]
    memory.use_again(rests.id, ANN)
    assert found(memory, worth=Worth.HURT) == [hurt.question]
    assert found(memory, kind=Kind.EXAMPLE) == ["example"]
    assert len(found(memory, kind=Kind.CLARIFICATION)) == 4
    assert found(memory, kind=Kind.EXAMPLE, worth=Worth.NEVER_USED) == []
    assert len(found(memory, reach=Visibility.PRIVATE)) == 5
    assert found(memory, reach=Visibility.OFFERED) == found(memory, reach=Visibility.SHARED) == []


def test_entries_are_found_by_their_script(memory: Memory) -> None:
    for question in ("latin é", "मतलब।", "ਸ਼ਬਦ।", "Что это", "quick का मतलब"):
        memory.remember(Draft(Kind.EXAMPLE, question, "", question, understanding="?", answer="!"), ANN)
    assert found(memory, script=Script.LATIN) == ["latin é", "quick का मतलब"]
    assert found(memory, script=Script.DEVANAGARI) == ["quick का मतलब", "मतलब।"]
    assert found(memory, script=Script.GURMUKHI) == ["ਸ਼ਬਦ।"]
    assert found(memory, script=Script.OTHER) == ["Что это"]


def test_search_follows_what_changes_and_reads_signs_as_they_are(memory: Memory) -> None:
    entry = memory.remember(clarification("50% off_ \\ rot", "first"), ANN)
    for search in ("50%", "% off", "f_", "\\ r", "OFF"):
        assert [one.id for one in memory.entries(ANN, search)] == [entry.id], search
    for search in ("5%f", "o_f", "100%"):
        assert memory.entries(ANN, search) == [], search
    memory.add_keys(entry.id, [Key("samaan shabd", KeyOrigin.MODEL)], ANN)
    assert len(memory.entries(ANN, "समान")) == 1
    memory.replace_keys(entry.id, ["samaan shabd"], [Key("another", KeyOrigin.PERSON)], ANN)
    assert (len(memory.entries(ANN, "समान")), len(memory.entries(ANN, "another"))) == (0, 1)
    changed = memory.edit(entry.id, "second", ANN)
    assert (memory.entries(ANN, "first"), len(memory.entries(ANN, "second"))) == ([], 1)
    memory.retract(changed.id, ANN)
    assert len(memory.entries(ANN, "first")) == 1
    memory.forget(entry.id, ANN)
    assert memory.find(ANN, EntryFilter("first")) == EntryPage([], 0)


def test_entries_come_newest_first_in_pages_that_say_how_many_there_are(memory: Memory) -> None:
    saved = [memory.remember(unlike(str(number)), ANN) for number in range(5)]
    assert [entry.sequence for entry in saved] == sorted(entry.sequence for entry in saved)
    assert [entry.id for entry in memory.entries(ANN, limit=2)] == [saved[4].id, saved[3].id]
    page = memory.find(ANN, EntryFilter(), limit=2, offset=3)
    assert [entry.id for entry in page.entries] == [saved[1].id, saved[0].id]
    assert page.total == 5


def test_what_an_entry_said_before_is_what_taking_back_brings_back(memory: Memory) -> None:
    first = memory.remember(clarification("q", "first"), ANN)
    second = memory.edit(first.id, "second", ANN)
    third = memory.edit(second.id, "third", ANN)
    other = memory.remember(unlike("other"), ANN)
    assert memory.earlier([third.id, other.id], BOB) == {}
    while earlier := memory.earlier([third.id, second.id, first.id, other.id], ANN).get(third.id):
        memory.retract(third.id, ANN)
        assert memory.current(earlier[0].id, ANN) is not None
        texts = [entry.text for entry in earlier]
        third = earlier[0]
        assert texts == ["second", "first"][-len(texts) :]
    assert third.id == first.id
