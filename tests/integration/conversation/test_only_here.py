"""What a person means in one conversation only counts there, stands beside what counts everywhere, and goes with it."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assistant.errors import InputError, NotFound
from assistant.kinds import Reach
from assistant.sharing import SharingRules
from assistant.types import Entry, Turn
from memory_store.store import Store
from tests.support.damage.remains import remains
from tests.support.memory.loop import ME, RIGHT, WRONG, Loop, active, last
from tests.support.memory.store import BOB, small_store

pytestmark = pytest.mark.promise("one-conversation-only")

QUESTION = "what is akin to quick ?"


def only_here(loop: Loop, turn: Turn, words: str) -> Turn:
    return last(loop.assistant.clarify(turn.id, words, ME, reach=Reach.CONVERSATION))


def found(loop: Loop, conversation: str) -> set[str]:
    turn = loop.ask(QUESTION, conversation)
    return {decision.entry.text for decision in turn.decisions}


def test_correction_of_one_conversation_counts_beside(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT)
    first = loop.clarify(loop.ask(QUESTION, "here"), "a synonym")
    only_here(loop, first, "a rhyme")
    assert active(store) == ["a rhyme", "a synonym"]
    assert found(loop, "elsewhere") == {"a synonym"}
    assert found(loop, "here") == {"a rhyme", "a synonym"}
    assert [decision.entry.text for decision in loop.assistant.preview(QUESTION, ME)] == ["a synonym"]


def the_entry(store: Store) -> Entry:
    (entry,) = store.memory.entries(ME)
    return entry


def test_edit_keeps_the_conversation_and_offers_nothing(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT, WRONG)
    only_here(loop, loop.ask(QUESTION, "here"), "a rhyme")
    edited = store.memory.edit(the_entry(store).id, "a word that rhymes", ME)
    assert edited.only_in == "here"
    assert found(loop, "elsewhere") == set()
    with pytest.raises(InputError):
        store.sharing(SharingRules()).offer(edited.id, ME)


def test_entry_goes_with_its_conversation(tmp_path: Path) -> None:
    store = small_store(tmp_path)
    loop = Loop(store, WRONG, RIGHT, WRONG, RIGHT)
    only_here(loop, loop.ask(QUESTION, "here"), "a very unusual rhyme")
    loop.clarify(loop.ask("what is a bank ?", "here"), "of a river")
    store.indexer.catch_up()
    assert remains(tmp_path, ["a very unusual rhyme"]) != []
    assert store.conversations.erase("here", ME).is_complete
    assert active(store) == ["of a river"]
    assert remains(tmp_path, ["a very unusual rhyme"]) == []


def test_wider_reach_is_taken_back(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT, RIGHT, WRONG)
    only_here(loop, loop.ask(QUESTION, "here"), "a rhyme")
    narrow = the_entry(store)
    wide = store.memory.set_reach(narrow.id, Reach.WAY, ME)
    assert (wide.only_in, wide.text, wide.supersedes, {*wide.keys}) == ("", "a rhyme", narrow.id, {*narrow.keys})
    assert store.memory.set_reach(narrow.id, Reach.WAY, ME) == store.memory.set_reach(wide.id, Reach.WAY, ME) == wide
    assert found(loop, "elsewhere") == {"a rhyme"}
    assert [earlier.only_in for earlier in store.memory.earlier([wide.id], ME)[wide.id]] == ["here"]
    loop.assistant.undo(wide.id, ME)
    assert the_entry(store) == narrow
    assert found(loop, "elsewhere") == set()
    with pytest.raises(NotFound):
        store.memory.set_reach(narrow.id, Reach.WAY, BOB)


@pytest.mark.parametrize("taken_back", [False, True])
def test_wider_entry_outlives_its_conversation(store: Store, taken_back: bool) -> None:
    loop = Loop(store, WRONG, RIGHT)
    only_here(loop, loop.ask(QUESTION, "here"), "a rhyme")
    wide = store.memory.set_reach(the_entry(store).id, Reach.WAY, ME)
    if taken_back:
        store.memory.retract(wide.id, ME)
    store.conversations.erase("here", ME)
    assert active(store) == ([] if taken_back else ["a rhyme"])


@given(said=st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), min_size=1, max_size=5))
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_entry_counts_in_another_conversation(
    said: list[tuple[str, bool]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    store = small_store(tmp_path_factory.mktemp("store"))
    loop = Loop(store, *([RIGHT] * (2 * len(said) + 3)))
    for number, (conversation, here) in enumerate(said):
        turn = loop.ask(f"{QUESTION} {number}", conversation)
        last(loop.assistant.clarify(turn.id, f"{conversation} {number}", ME, Reach.CONVERSATION if here else None))
    for conversation in "abc":
        for decision in loop.ask(QUESTION, conversation).decisions:
            assert decision.entry.counts_in(conversation)
            assert decision.entry.only_in in {"", conversation}
