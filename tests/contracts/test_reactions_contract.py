"""What every store promises about reactions: whose they are, what they were about, and when an entry rests."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.errors import NotFound
from assistant.types import Entry, ReactionTo, Scope, Turn
from memory_store.ledger.reactions import MOST_REACTIONS
from memory_store.store import Store, open_store
from tests.support.memory.store import ANN, BOB, PLAIN, clarification, share


@pytest.fixture
def store(any_store: Store) -> Store:
    return any_store


def react(store: Store, entry: Entry, turn: str, kind: str, scope: Scope = ANN) -> None:
    """A turn in which the entry helped or hurt; its question is `asked in …`."""
    store.journal.record(Turn(turn, "c", scope.person, f"asked in {turn}"), scope)
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


@pytest.mark.postgres
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


def test_an_entry_that_hurts_more_than_it_helps_is_recalled_no_more_until_it_is_used_again(
    store: Store, any_ledger_url: str, tmp_path: Path
) -> None:
    entry = store.memory.remember(clarification("q"), ANN)
    react(store, entry, "t0", "helped")
    for number in (1, 2):
        react(store, entry, f"t{number}", "hurt")
        assert recalled(store, entry) is not None
    react(store, entry, "last", "hurt")
    assert recalled(store, entry) is None
    (listed,) = store.memory.entries(ANN)
    assert (listed.resting, listed.hurt, listed.helped) == (True, 3, 1)

    with pytest.raises(NotFound):
        store.memory.resume(entry.id, BOB)
    again = store.memory.resume(entry.id, ANN)
    before = store.ledger.last_change()
    assert store.memory.resume(entry.id, ANN) == again
    assert store.ledger.last_change() == before
    store = open_store(any_ledger_url, str(tmp_path / "after a restart"), None, PLAIN)
    assert recalled(store, entry) == again
    assert (again.resting, again.helped, again.hurt, again.reactions) == (False, 0, 0, ())
    react(store, entry, "later", "hurt")
    assert store.memory.entry(entry.id, ANN).reactions == (ReactionTo("asked in later", helped=False),)
    store.memory.forget(entry.id, ANN)
    fresh = store.memory.remember(clarification("q"), ANN)
    assert recalled(store, fresh) == fresh
    store.memory.retract(fresh.id, ANN)
    with pytest.raises(NotFound):
        store.memory.resume(fresh.id, ANN)
