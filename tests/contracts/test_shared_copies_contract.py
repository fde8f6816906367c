"""What every store promises about the copy that is shared: what it holds, whose it is, and when it counts no more."""

from collections.abc import Callable

import pytest

from assistant.errors import NotFound
from assistant.kinds import Reach
from assistant.ports import Sharing
from assistant.sharing import Curator
from assistant.types import Entry, Key, KeyOrigin, Scope, Turn
from memory_store.ledger.database.schema import NOBODY
from memory_store.store import Store
from tests.support.memory.sharing import CURATOR, shared_one
from tests.support.memory.store import ANN, BOB, clarification

pytestmark = pytest.mark.promise("sharing-needs-rights")


def test_shared_copy_names_nobody(store: Store, sharing: Sharing, curator: Curator, entry: Entry) -> None:
    hers = [Key("what ann calls it", KeyOrigin.PERSON), Key("akin at the office of Dr. Rao", KeyOrigin.MODEL)]
    store.memory.replace_keys(entry.id, [], hers, ANN)
    sharing.accept(sharing.offer(entry.id, ANN).id, curator, "I meant a word like it")
    copy, own = shared_one(store), store.memory.entry(entry.id, ANN)
    assert (own.text, own.shared, own.owner) == (entry.text, False, "ann")
    assert own.keys == (*entry.keys, *hers)
    assert (copy.text, copy.owner, copy.turn) == ("I meant a word like it", NOBODY, "")
    assert [key.text for key in copy.keys] == [entry.question]
    assert [found.id for found in store.memory.entries(ANN)] == [entry.id]
    assert store.memory.entries(BOB) == []


def test_nobody_owns_a_copy(store: Store, sharing: Sharing, curator: Curator, entry: Entry) -> None:
    sharing.accept(sharing.offer(entry.id, ANN).id, curator)
    copy = shared_one(store)
    attempts: list[Callable[[Scope], object]] = [
        lambda scope: store.memory.edit(copy.id, "mine", scope),
        lambda scope: store.memory.retract(copy.id, scope),
        lambda scope: store.memory.forget(copy.id, scope),
        lambda scope: store.memory.set_reach(copy.id, Reach.QUESTION, scope),
        lambda scope: store.memory.replace_keys(copy.id, [], [Key("mine")], scope),
        lambda scope: sharing.offer(copy.id, scope),
        lambda scope: sharing.withdraw(copy.id, scope),
    ]
    for attempt in attempts:
        for person in (ANN, BOB, CURATOR):
            with pytest.raises(NotFound):
                attempt(person)
    assert shared_one(store) == copy


def test_misunderstanding_is_shared_if_allowed(store: Store, sharing: Sharing, curator: Curator) -> None:
    for number, wrong in enumerate(("a sound", "x" * 41)):
        saved = store.memory.remember(clarification(f"question {number}", f"said {number}", wrong=wrong), ANN)
        sharing.offer(saved.id, ANN)
    waiting = sharing.offers(curator)
    assert [offered.copy.wrong_understanding for offered in waiting] == ["a sound", ""]


def test_paused_copy_rests_for_one_person_only(store: Store, sharing: Sharing, curator: Curator, entry: Entry) -> None:
    sharing.accept(sharing.offer(entry.id, ANN).id, curator)
    copy = shared_one(store)
    store.turn_store.record(Turn("t", "c", BOB.person, "a secret question of Bob's"), BOB)
    store.memory.count(copy.id, "hurt", "t", BOB)
    store.memory.except_for(copy.id, "t", BOB)
    store.memory.pause(copy.id, BOB)
    his = store.memory.entries_by_id([copy.id], BOB)[copy.id]
    assert (his.resting, his.not_for) == (True, ("a secret question of Bob's",))
    theirs = store.memory.entries_by_id([copy.id], CURATOR)[copy.id]
    assert (theirs.hurt, theirs.reactions, theirs.resting, theirs.not_for) == (1, (), False, ())
    store.memory.resume(copy.id, CURATOR)
    assert store.memory.entry(copy.id, BOB).resting
    store.memory.resume(copy.id, BOB)
    free = store.memory.entry(copy.id, BOB)
    assert (free.resting, free.not_for) == (False, ())
    own = store.memory.entry(entry.id, ANN)
    assert (own.hurt, own.helped, own.used) == (0, 0, 0)
