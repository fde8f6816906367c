"""What a person means in one conversation only counts there, stands beside what counts everywhere, and goes with it."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assistant.errors import InputError, NotFound
from assistant.kinds import Reach
from assistant.limits import DEFAULT_LIMITS
from assistant.sharing import SharingRules
from assistant.types import Entry, Turn
from memory_store.store import Store
from memory_store.transfer.export_format import manifest, sealed
from tests.support.damage.remains import remains
from tests.support.memory.loop import ME, RIGHT, WRONG, Loop, active, last
from tests.support.memory.store import BOB, imported, small_store

pytestmark = pytest.mark.promise("one-conversation-only")

QUESTION = "what is akin to quick ?"


def only_here(loop: Loop, turn: Turn, words: str) -> Turn:
    return last(loop.assistant.clarify(turn.id, words, ME, reach=Reach.CONVERSATION))


def found(loop: Loop, conversation: str) -> set[str]:
    turn = loop.ask(QUESTION, conversation)
    return {decision.entry.text for decision in turn.decisions}


def test_it_counts_in_its_conversation_and_in_no_other(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT, RIGHT, WRONG)
    again = only_here(loop, loop.ask(QUESTION, "here"), "a rhyme")
    assert [decision.entry.text for decision in again.decisions] == ["a rhyme"]
    assert found(loop, "here") == {"a rhyme"}
    assert found(loop, "elsewhere") == set()
    assert loop.assistant.preview(QUESTION, ME) == ()


def test_what_counts_here_and_what_counts_everywhere_stand_beside_each_other(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT)
    first = loop.clarify(loop.ask(QUESTION, "here"), "a synonym")
    only_here(loop, first, "a rhyme")
    assert active(store) == ["a rhyme", "a synonym"]
    assert found(loop, "elsewhere") == {"a synonym"}
    assert found(loop, "here") == {"a rhyme", "a synonym"}


def test_a_newer_one_of_the_same_conversation_takes_its_place(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT, RIGHT, WRONG, RIGHT)
    second = only_here(loop, loop.ask(QUESTION, "here"), "a rhyme")
    only_here(loop, second, "an anagram")
    assert active(store) == ["an anagram"]
    only_here(loop, loop.ask(QUESTION, "there"), "a rhyme")
    assert active(store) == ["a rhyme", "an anagram"]


def test_the_same_words_for_everywhere_are_another_entry(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT, RIGHT, RIGHT)
    turn = loop.ask(QUESTION, "here")
    only_here(loop, turn, "a rhyme")
    loop.clarify(turn, "a rhyme")
    assert active(store) == ["a rhyme", "a rhyme"]
    assert found(loop, "elsewhere") == {"a rhyme"}


def the_entry(store: Store) -> Entry:
    (entry,) = store.memory.entries(ME)
    return entry


def test_it_stays_so_when_it_is_edited_and_may_not_be_offered(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT, WRONG)
    only_here(loop, loop.ask(QUESTION, "here"), "a rhyme")
    edited = store.memory.edit(the_entry(store).id, "a word that rhymes", ME)
    assert edited.only_in == "here"
    assert found(loop, "elsewhere") == set()
    with pytest.raises(InputError):
        store.sharing(SharingRules()).offer(edited.id, ME)


def test_it_goes_with_its_conversation_and_leaves_no_byte(tmp_path: Path) -> None:
    store = small_store(tmp_path)
    loop = Loop(store, WRONG, RIGHT, WRONG, RIGHT)
    only_here(loop, loop.ask(QUESTION, "here"), "a very unusual rhyme")
    loop.clarify(loop.ask("what is a bank ?", "here"), "of a river")
    store.indexer.catch_up()
    assert remains(tmp_path, ["a very unusual rhyme"]) != []
    assert store.conversations.erase("here", ME).is_complete
    assert active(store) == ["of a river"]
    assert remains(tmp_path, ["a very unusual rhyme"]) == []


def test_it_comes_to_count_everywhere_and_that_is_taken_back(store: Store) -> None:
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


def test_it_does_not_come_to_count_beside_another_that_says_something_else(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT, RIGHT)
    first = loop.clarify(loop.ask(QUESTION, "here"), "a synonym")
    only_here(loop, first, "a rhyme")
    narrow, other = store.memory.entries(ME)
    with pytest.raises(InputError, match="change or forget that one first"):
        store.memory.set_reach(narrow.id, Reach.WAY, ME)
    assert active(store) == ["a rhyme", "a synonym"]
    store.memory.forget(other.id, ME)
    store.memory.set_reach(narrow.id, Reach.WAY, ME)
    assert the_entry(store).only_in == ""


@pytest.mark.parametrize("taken_back", [False, True])
def test_once_it_counts_everywhere_it_outlives_its_conversation(store: Store, taken_back: bool) -> None:
    loop = Loop(store, WRONG, RIGHT, RIGHT)
    only_here(loop, loop.ask(QUESTION, "here"), "a rhyme")
    edited = store.memory.edit(the_entry(store).id, "a word that rhymes", ME)
    wide = store.memory.set_reach(edited.id, Reach.WAY, ME)
    if taken_back:
        store.memory.retract(wide.id, ME)
    store.conversations.erase("here", ME)
    assert active(store) == ([] if taken_back else ["a word that rhymes"])
    if not taken_back:
        assert found(loop, "elsewhere") == {"a word that rhymes"}


def test_a_line_that_grew_wider_is_taken_along(store: Store, tmp_path: Path) -> None:
    loop = Loop(store, WRONG, RIGHT)
    only_here(loop, loop.ask(QUESTION, "here"), "a rhyme")
    store.memory.set_reach(the_entry(store).id, Reach.WAY, ME)
    other = small_store(tmp_path)
    imported(other.importing(DEFAULT_LIMITS), (line.encode() for line in store.export(ME)), ME)
    wide = the_entry(other)
    assert (wide.only_in, other.memory.retract(wide.id, ME).text, the_entry(other).only_in) == ("", "a rhyme", "here")


def test_an_export_says_so_and_one_from_before_says_nothing(store: Store, tmp_path: Path) -> None:
    loop = Loop(store, WRONG, RIGHT)
    only_here(loop, loop.ask(QUESTION, "here"), "a rhyme")
    lines = list(store.export(ME))
    records = [json.loads(line) for line in lines]
    for number, told in enumerate((lines, _without(records[1:], "only_in"))):
        (tmp_path / str(number)).mkdir()
        other = small_store(tmp_path / str(number))
        imported(other.importing(DEFAULT_LIMITS), (line.encode() for line in told), ME)
        assert the_entry(other).only_in == ("" if number else "here")
        other.close()


def _without(records: list[dict[str, object]], name: str) -> list[str]:
    kept = [{key: value for key, value in record.items() if key not in {name, "checksum"}} for record in records]
    lines = [sealed(record) for record in kept]
    return [f"{line}\n" for line in (manifest(lines, "none"), *lines)]


@given(said=st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), min_size=1, max_size=5))
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_was_said_where_nothing_of_one_conversation_counts_in_another(
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
