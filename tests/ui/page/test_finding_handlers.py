"""Handlers of search and undo, with any input of a browser."""

from dataclasses import replace
from typing import Any

import pytest

from assistant.errors import EmptyText
from assistant.ports import Gate
from assistant.types import Scope
from memory_store.read_only import ReadOnlyLedger
from memory_store.store import Store
from tests.support.memory.loop import CERTAIN, ME, OFFERING, RIGHT, WRONG, Loop
from tests.support.memory.services import memory_of, services_on
from tests.support.memory.store import ANN, BOB, clarification, example, unrelated_clarification
from tests.support.memory.triples import fact, triple
from ui.page.lists import PAGE_SIZE, SEARCHES_PER_MINUTE, MemoryHandlers

PAGE = "page"


@pytest.fixture
def memory(store: Store) -> MemoryHandlers:
    return memory_of(services_on(store))


def test_ten_thousand_are_shown_by_pages_and_the_last_one_is_not_left_empty(
    store: Store, memory: MemoryHandlers
) -> None:
    store.memory.remember_all([unrelated_clarification(str(number)) for number in range(PAGE_SIZE + 1)], ANN)
    first = memory.search({}, ANN)
    assert (len(first["entries"]), first["total"], first["more"]) == (PAGE_SIZE, PAGE_SIZE + 1, True)
    second = memory.search({"first": PAGE_SIZE}, ANN)
    assert (len(second["entries"]), second["first"], second["more"]) == (1, PAGE_SIZE, False)
    left = memory.forget({"entry": second["entries"][0]["id"], "first": PAGE_SIZE}, ANN)
    assert (left["first"], left["total"]) == (0, PAGE_SIZE)
    assert left["entries"] == first["entries"]
    found = memory.search({"search": left["entries"][0]["question"], "shown": 2}, ANN)
    assert (found["total"], memory.search({"shown": 2}, ANN)["more"]) == (1, True)


def test_who_looks_very_often_finds_by_words_only_and_others_go_on(store: Store) -> None:
    for person in (ANN, BOB):
        store.memory.remember(clarification("what is akin to quick ?"), person)
    memory = memory_of(services_on(store))

    def found(person: Scope, search: str = "What’s akin to brave?") -> list[bool]:
        return [entry["by_meaning"] for entry in memory.search({"search": search}, person)["entries"]]

    assert [found(ANN) for _ in range(SEARCHES_PER_MINUTE + 1)] == [*[[True]] * SEARCHES_PER_MINUTE, []]
    assert found(ANN, "akin") == [False]
    assert found(BOB) == [True]


def test_filters_narrow_and_what_is_no_filter_does_not(store: Store, memory: MemoryHandlers) -> None:
    store.memory.remember(clarification("what is akin ?"), ANN)
    store.memory.remember(example("मतलब", "अर्थ"), ANN)

    def listed(**filters: Any) -> list[str]:
        return [entry["question"] for entry in memory.search({"filters": filters}, ANN)["entries"]]

    assert listed(kind="example") == ["मतलब"]
    assert listed(kind="klingon") == listed(kind=["example"]) == ["मतलब", "what is akin ?"]


def test_what_is_found_by_meaning_comes_behind_what_has_the_words_and_passes_the_filters(store: Store) -> None:
    store.memory.remember(clarification("what is akin to calm ?", "I meant a synonym"), ANN)
    store.memory.remember(clarification("what is akin to quick ?", "the opposite, please"), ANN)
    store.memory.remember(unrelated_clarification("of nothing else"), ANN)
    store.memory.remember(clarification("what is akin to brave ?"), BOB)
    memory = memory_of(services_on(store))

    def found(**filters: str) -> list[tuple[str, bool]]:
        entries = memory.search({"search": "akin to calm", "filters": filters}, ANN)["entries"]
        return [(entry["question"], entry["by_meaning"]) for entry in entries]

    assert found() == [("what is akin to calm ?", False), ("what is akin to quick ?", True)]
    assert found(kind="example") == []


def test_a_change_is_taken_back_once_by_its_owner(store: Store, memory: MemoryHandlers) -> None:
    entry = store.memory.remember(clarification("q", "before"), ANN)
    changed = memory.edit({"entry": entry.id, "text": "after"}, ANN)
    (shown,) = changed["entries"]
    assert [old["text"] for old in shown["earlier"]] == ["before"]
    assert memory.revert({"entry": shown["id"]}, BOB)["refused"]
    back = memory.revert({"entry": shown["id"]}, ANN)
    assert (back["done"], back["changed"]) == ("taken_back", entry.id)
    assert [(one["text"], one["earlier"]) for one in back["entries"]] == [("before", [])]
    assert memory.revert({"entry": ""}, ANN)["refused"]
    for entry_id in (shown["id"], entry.id):
        assert "nothing to undo" in str(memory.revert({"entry": entry_id}, ANN)["refused"])


def test_what_is_kept_of_a_fact_is_no_other_wording_of_it(store: Store, memory: MemoryHandlers) -> None:
    told = store.memory.remember(fact("Dana works in Pune"), ANN)
    store.memory.set_triples(told.id, [triple("Dana | works in | Pune")], ANN)
    (shown,) = memory.search({}, ANN)["entries"]
    assert shown["earlier"] == []
    again = store.memory.remember(fact("Dana works in Pune", turn="said again"), ANN)
    assert store.memory.entry(again.id, ANN).body.stored()["triples"], "said once more, it stays on the sheet"


def test_where_nothing_is_saved_nothing_comes_to_count_in_all(store: Store) -> None:
    entry = store.memory.remember(clarification("q"), ANN)
    assistant = replace(Loop(store).assistant, memory=replace(store.memory, _ledger=ReadOnlyLedger(store.ledger)))
    page = memory_of(services_on(store, assistant))
    assert "read-only" in str(page.reach({"entry": entry.id, "reach": "way"}, ANN)["refused"])


def test_a_wording_is_one_line_that_says_something(store: Store, memory: MemoryHandlers) -> None:
    entry = store.memory.remember(clarification("what is akin ?"), ANN)
    told = {"entry": entry.id, "old": ""}
    (shown,) = memory.change_key(told | {"new": " like \n what "}, ANN)["entries"]
    assert {"text": "like what", "by": "key_by_person"} in shown["keys"]
    assert memory.change_key(told | {"new": ""}, ANN)["refused"] == EmptyText().sentence


def test_taking_back_takes_back_the_answers_made_with_the_change(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT, WRONG)
    asked = loop.ask("what is akin to quick ?")
    again = loop.clarify(asked, "a synonym")
    loop.clarify(again, "an antonym")
    memory = memory_of(services_on(store, loop.assistant))
    (entry,) = memory.search({}, ME)["entries"]
    (left,) = memory.revert({"entry": entry["id"]}, ME)["entries"]
    assert left["text"] == "a synonym"
    assert [turn.state.value for turn in loop.assistant.turns("c", ME)] == ["answered", "answered", "undone"]


@pytest.mark.parametrize("gate", [OFFERING, CERTAIN])
def test_preview_decides_as_the_question_does(store: Store, gate: Gate) -> None:
    loop = Loop(store, *[RIGHT] * 10, gate=gate)
    for word, meant in (("what is akin to quick ?", "a synonym"), ("what rhymes with cat ?", "not a pet")):
        loop.clarify(loop.ask(word, word), meant)
    for question in ("what is akin to happy ?", "akin to sad", "name a pet for rhymes", "xyz"):
        before = len(loop.model.asked)
        seen = loop.assistant.preview(question, ME)
        assert len(loop.model.asked) == before
        asked = loop.ask(question, f"asked {question}").decisions
        assert {(one.entry.id, one.action, one.reason) for one in seen} == {
            (one.entry.id, one.action, one.reason) for one in asked
        }
    with pytest.raises(EmptyText):
        loop.assistant.preview(" ", ME)
    assert loop.assistant.turns("", ME) == []
