"""Handlers of the lists: memories with search and undo, conversations, Insights and the settings."""

from typing import Any

import pytest

from assistant.errors import EmptyText
from assistant.model_usage import Usage
from assistant.types import Scope, Turn
from memory_store.store import Store
from tests.support.memory.loop import ME, OTHER, RIGHT, WRONG, Loop
from tests.support.memory.services import memory_of, services_on
from tests.support.memory.store import ANN, BOB, clarification, example, unrelated_clarification
from tests.support.memory.triples import fact, triple
from ui.page.lists import (
    PAGE_SIZE,
    SEARCHES_PER_MINUTE,
    ConversationListHandlers,
    MemoryHandlers,
    SettingsHandlers,
)

CURATOR = Scope("cora")


@pytest.fixture
def memory(store: Store) -> MemoryHandlers:
    return memory_of(services_on(store))


def test_memories_are_listed_by_pages(store: Store, memory: MemoryHandlers) -> None:
    store.memory.remember_all([unrelated_clarification(str(number)) for number in range(PAGE_SIZE + 1)], ANN)
    first = memory.search({}, ANN)
    assert (len(first["entries"]), first["total"], first["more"]) == (PAGE_SIZE, PAGE_SIZE + 1, True)
    second = memory.search({"first": PAGE_SIZE}, ANN)
    assert (len(second["entries"]), second["first"], second["more"]) == (1, PAGE_SIZE, False)
    left = memory.forget({"entry": second["entries"][0]["id"], "first": PAGE_SIZE}, ANN)
    assert (left["first"], left["total"], left["entries"]) == (0, PAGE_SIZE, first["entries"])  # no page is left empty
    found = memory.search({"search": left["entries"][0]["question"], "shown": 2}, ANN)
    assert (found["total"], memory.search({"shown": 2}, ANN)["more"]) == (1, True)


def test_conversations_are_listed_by_pages(store: Store) -> None:
    handlers = ConversationListHandlers(services_on(store))
    for number in range(PAGE_SIZE + 2):
        question = f"question\n{number}" + " and so on" * (40 if number == 0 else 0)
        store.turn_store.record(Turn(f"turn {number}", f"c{number}", ME.person, question), ME)
    first = handlers.look({}, ME)
    titles = [view["title"] for view in first["conversations"]]
    assert (titles[0], len(titles), first["more"]) == (f"question {PAGE_SIZE + 1}", PAGE_SIZE, True)
    everything = handlers.look({"shown": 2 * PAGE_SIZE}, ME)
    assert (len(everything["conversations"]), everything["more"]) == (PAGE_SIZE + 2, False)
    assert everything["conversations"][-1]["title"] == ("question 0" + " and so on" * 40)[:159] + "…"
    assert handlers.look({}, OTHER)["conversations"] == []


def test_frequent_search_is_by_words_only(store: Store) -> None:
    for person in (ANN, BOB):
        store.memory.remember(clarification("what is akin to quick ?"), person)
    memory = memory_of(services_on(store))

    def found(person: Scope, search: str = "What’s akin to brave?") -> list[bool]:
        return [entry["by_meaning"] for entry in memory.search({"search": search}, person)["entries"]]

    assert [found(ANN) for _ in range(SEARCHES_PER_MINUTE + 1)] == [*[[True]] * SEARCHES_PER_MINUTE, []]
    assert found(ANN, "akin") == [False]
    assert found(BOB) == [True]


def test_search_finds_words_then_meaning(store: Store, memory: MemoryHandlers) -> None:
    store.memory.remember(clarification("what is akin to calm ?", "I meant a synonym"), ANN)
    store.memory.remember(clarification("what is akin to quick ?", "the opposite, please"), ANN)
    store.memory.remember(example("मतलब", "अर्थ"), ANN)
    store.memory.remember(clarification("what is akin to brave ?"), BOB)

    def found(search: str = "", **filters: Any) -> list[tuple[str, bool]]:
        entries = memory.search({"search": search, "filters": filters}, ANN)["entries"]
        return [(entry["question"], entry["by_meaning"]) for entry in entries]

    assert found("akin to calm") == [("what is akin to calm ?", False), ("what is akin to quick ?", True)]
    assert found("akin to calm", kind="example") == []
    assert found(kind="example") == [("मतलब", False)]
    assert len(found(kind="klingon")) == len(found(kind=["example"])) == 3


def test_triples_of_a_fact_are_no_other_wording(store: Store, memory: MemoryHandlers) -> None:
    told = store.memory.remember(fact("Dana works in Pune"), ANN)
    store.memory.set_triples(told.id, [triple("Dana | works in | Pune")], ANN)
    (shown,) = memory.search({}, ANN)["entries"]
    assert shown["earlier"] == []
    again = store.memory.remember(fact("Dana works in Pune", turn="said again"), ANN)
    assert store.memory.entry(again.id, ANN).body.stored()["triples"], "said once more, it stays on the sheet"


def test_reach_and_wordings_are_changed(store: Store, memory: MemoryHandlers) -> None:
    entry = store.memory.remember(clarification("what is akin ?"), ANN)
    told = {"entry": entry.id, "old": ""}
    (shown,) = memory.change_key(told | {"new": " like \n what "}, ANN)["entries"]
    assert {"text": "like what", "by": "key_by_person"} in shown["keys"]
    assert memory.change_key(told | {"new": ""}, ANN)["refused"] == EmptyText().sentence


def test_undone_change_undoes_its_answers(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT, WRONG)
    loop.clarify(loop.clarify(loop.ask("what is akin to quick ?"), "a synonym"), "an antonym")
    memory = memory_of(services_on(store, loop.assistant))
    (entry,) = memory.search({}, ME)["entries"]
    (left,) = memory.revert({"entry": entry["id"]}, ME)["entries"]
    assert left["text"] == "a synonym"
    assert [turn.state.value for turn in loop.assistant.turns("c", ME)] == ["answered", "answered", "undone"]


def test_settings_say_what_the_own_answers_took(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT)
    loop.model.usage = Usage(800, 90, told=False, dollars=0.25)
    loop.clarify(loop.ask("what is akin to quick ?"), "a synonym")
    panel = SettingsHandlers(services_on(store))
    told = panel.look({}, ME)
    taken = told["taken"]
    assert (told["times"]["answers"], taken["answers"], taken["told"]) == (2, 2, 0)
    assert (taken["prompt"], taken["reply"], taken["each"], taken["dollars"]) == (800, 90, 0.25, 0.5)
    nothing = panel.look({}, OTHER)
    assert (nothing["times"]["answers"], nothing["taken"]["answers"], nothing["taken"]["dollars"]) == (0, 0, 0)
