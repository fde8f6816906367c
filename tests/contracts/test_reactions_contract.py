"""What every store promises about reactions: whose they are, what they were about, and when an entry rests."""

from pathlib import Path

import pytest

from assistant.errors import NotFound
from assistant.types import Entry, ReactionTo, Scope, Turn
from memory_store.ledger.reactions import MOST_REACTIONS
from memory_store.store import Store
from tests.support.memory.store import ANN, BOB, PLAIN, clarification, open_store, share


@pytest.fixture
def store(any_store: Store) -> Store:
    return any_store


def react(store: Store, entry: Entry, turn: str, kind: str, scope: Scope = ANN) -> None:
    """A turn in which the entry helped or hurt; its question is `asked in …`."""
    store.turn_store.record(Turn(turn, "c", scope.person, f"asked in {turn}"), scope)
    store.memory.count(entry.id, kind, turn, scope)


def recalled(store: Store, entry: Entry, scope: Scope = ANN) -> Entry | None:
    return store.memory.entries_by_id([entry.id], scope).get(entry.id)


def test_a_reaction_is_kept_with_the_question_it_was_about(store: Store) -> None:
    entry = store.memory.remember(clarification("q"), ANN)
    react(store, entry, "t1", "helped")
    react(store, entry, "t2", "hurt")
    store.memory.count(entry.id, "used", "t3", ANN)
    found = recalled(store, entry)
    assert found is not None
    assert found.reactions == (ReactionTo("asked in t2", helped=False), ReactionTo("asked in t1", helped=True))
    assert (found.helped, found.hurt, found.used) == (1, 1, 1)


def test_only_the_newest_reactions_are_read(store: Store) -> None:
    entry = store.memory.remember(clarification("q"), ANN)
    other = store.memory.remember(clarification("another"), ANN)
    for number in range(MOST_REACTIONS + 3):
        react(store, entry, f"t{number}", "helped")
    react(store, other, "t0", "hurt")
    found = store.memory.entries_by_id([entry.id, other.id], ANN)
    asked = [reaction.question for reaction in found[entry.id].reactions]
    assert asked == [f"asked in t{number}" for number in range(MOST_REACTIONS + 2, 2, -1)]
    assert found[other.id].reactions == (ReactionTo("asked in t0", helped=False),)


def test_of_another_persons_reactions_only_the_number_is_seen(store: Store) -> None:
    entry = store.memory.remember(clarification("q"), ANN)
    share(store, entry.id)
    react(store, entry, "hers", "helped")
    react(store, entry, "his", "hurt", BOB)
    mine, theirs = recalled(store, entry), recalled(store, entry, BOB)
    assert mine is not None
    assert theirs is not None
    assert (mine.helped, mine.hurt) == (theirs.helped, theirs.hurt) == (1, 1)
    assert mine.reactions == (ReactionTo("asked in hers", helped=True),)
    assert theirs.reactions == (ReactionTo("asked in his", helped=False),)


def test_what_hurts_goes_on_counting_and_rests_only_where_it_is_paused(
    store: Store, any_ledger_url: str, tmp_path: Path
) -> None:
    entry = store.memory.remember(clarification("q"), ANN)
    for number in range(3):
        react(store, entry, f"t{number}", "hurt")
    assert (found := recalled(store, entry)) is not None
    assert (found.hurt, found.resting) == (3, False)

    for refused in (store.memory.pause, store.memory.resume):
        with pytest.raises(NotFound):
            refused(entry.id, BOB)
    assert store.memory.pause(entry.id, ANN).resting
    (listed,) = store.memory.entries(ANN)
    assert listed.resting
    before = store.ledger.last_event()
    assert store.memory.pause(entry.id, ANN).resting
    assert store.ledger.last_event() == before
    store = open_store(any_ledger_url, str(tmp_path / "after a restart"), None, PLAIN)
    assert (paused := recalled(store, entry)) is not None
    assert paused.resting
    assert not store.memory.resume(entry.id, ANN).resting
    assert store.memory.resume(entry.id, ANN) == recalled(store, entry)
    store.memory.retract(entry.id, ANN)
    with pytest.raises(NotFound):
        store.memory.resume(entry.id, ANN)


def test_an_exception_is_made_and_taken_back_as_often_as_one_likes(store: Store) -> None:
    entry = store.memory.remember(clarification("q"), ANN)
    store.turn_store.record(Turn("t", "c", ANN.person, "asked in t"), ANN)
    for taken_back in ("t", None, "t"):
        for _ in range(2):
            assert store.memory.except_for(entry.id, "t", ANN).not_for == ("asked in t",)
        assert store.memory.resume(entry.id, ANN, taken_back).not_for == ()


def test_an_exception_is_taken_back_by_itself_or_with_all_others_and_goes_with_its_turn(store: Store) -> None:
    entry = store.memory.remember(clarification("q"), ANN)
    for number in range(3):
        store.turn_store.record(Turn(f"t{number}", f"c{number}", ANN.person, f"asked in t{number}"), ANN)
        store.memory.except_for(entry.id, f"t{number}", ANN)
    assert store.memory.entry(entry.id, ANN).not_for == ("asked in t0", "asked in t1", "asked in t2")
    assert store.memory.resume(entry.id, ANN, "t1").not_for == ("asked in t0", "asked in t2")
    store.conversations.erase("c0", ANN)
    assert store.memory.entry(entry.id, ANN).not_for == ("asked in t2",)
    with pytest.raises(NotFound):
        store.memory.except_for(entry.id, "t0", ANN)
    assert store.memory.resume(entry.id, ANN).not_for == ()
