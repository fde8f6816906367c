"""What was shared and is no longer: no file of the data directory holds a byte of it."""

from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from assistant.sentences import plain
from assistant.sharing import SharingRules
from assistant.types import Action, Candidate, Decision, Entry, Reply, Scope, Turn, TurnState
from memory_store.ledger.database.schema import SEEN, decisions
from memory_store.ledger.erased_rows import delete_turns
from memory_store.store import Store
from tests.support.damage.remains import remains
from tests.support.memory.sharing import end_sharing
from tests.support.memory.store import BOB, clarification, keys_of, opened

pytestmark = pytest.mark.promise("withdrawn-is-gone")

ANN, CURATOR = Scope("ann of an unusual name"), Scope("cora who curates")
RULES = SharingRules(frozenset({CURATOR.person}))
SAID, SHARED = "the unusual thing that was said", "the unusual wording that everyone gets"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return opened(tmp_path)


def shared(store: Store) -> tuple[Entry, str]:
    """An entry of Ann's that Bob's turn used, in other words; and the id of its offer."""
    entry = store.memory.remember(clarification("what is a bank ?", SAID), ANN)
    sharing = store.sharing(RULES)
    offer = sharing.accept(sharing.offer(entry.id, ANN).id, sharing.curator(CURATOR), SHARED)
    (copy_id,) = {key.entry_id for key in keys_of(store, BOB)}
    copy = store.memory.entry(copy_id, BOB)
    used = Decision(Candidate(copy, copy.keys[0]), Action.USE, 0.9, plain("because"))
    turn = Turn("bobs", "c", BOB.person, "where is my bank ?", state=TurnState.ANSWERED, decisions=(used,))
    reply = Reply.of("raw", "understood", "by the river")
    store.turn_store.record(replace(turn, reply=reply, used=(copy_id,)), BOB)
    store.indexer.catch_up()
    return entry, offer.id


@pytest.mark.parametrize("how", ["withdraw", "decline", "edit", "retract", "supersede", "forget", "forget_all"])
def test_ended_sharing_leaves_no_byte_of_it(store: Store, tmp_path: Path, how: str) -> None:
    entry, offer = shared(store)
    assert remains(tmp_path, [SHARED]) != []
    end_sharing(store, how, entry, offer, CURATOR)
    store.indexer.catch_up()
    gone = [SHARED] if not how.startswith("forget") else [SHARED, SAID, offer]
    gone += [ANN.person] if how == "forget_all" else []
    assert remains(tmp_path, gone) == []
    (turn,) = store.turn_store.turns("c", BOB)
    assert turn.decisions == ()
    assert store.sharing(RULES).offers(store.sharing(RULES).curator(CURATOR)) == []
    # What a model wrote with it in view goes when its author has it forgotten.
    assert turn.reply.answer == ("" if how.startswith("forget") else "by the river")


def test_forgotten_curators_decisions_stay(store: Store, tmp_path: Path) -> None:
    entry, _ = shared(store)
    assert remains(tmp_path, [CURATOR.person]) != []
    assert store.memory.forget_all(CURATOR).is_complete
    store.indexer.catch_up()
    assert remains(tmp_path, [CURATOR.person]) == []
    assert store.sharing(RULES).offers_of([entry.id], ANN)[entry.id].state == "accepted"
    assert len(keys_of(store, BOB)) > 0


@pytest.mark.parametrize("forgotten", ["turns", "person"])
def test_uses_of_a_copy_go_with_their_turns(store: Store, forgotten: str) -> None:
    entry, _ = shared(store)
    store.sharing(RULES).withdraw(entry.id, ANN)
    if forgotten == "person":
        assert store.memory.forget_all(BOB).is_complete
    else:
        with store.ledger.write() as connection:
            delete_turns(connection, ["bobs"])
    with store.ledger.read() as connection:
        assert connection.execute(select(decisions).where(decisions.c.action == SEEN)).all() == []
    assert store.memory.forget(entry.id, ANN).is_complete
