"""Sharing in the loop: other users get an accepted copy, and lose every byte of it when the offer ends."""

import json
from pathlib import Path

import pytest

from assistant.types import Entry, Scope, Turn
from memory_store.store import Store
from tests.support.damage.find_bytes import find_bytes
from tests.support.memory.loop import CERTAIN, RIGHT, Loop
from tests.support.memory.sharing import RULES, end_sharing
from tests.support.memory.store import clarification, read_keys
from ui.page.views import turn_view

pytestmark = pytest.mark.promise("withdrawn-is-gone")

ANN, BOB, CURATOR = Scope("ann-who-must-not-be-named"), Scope("bob"), Scope("cora")
QUESTION, MEANT, SHARED = "What is akin to quick?", "I want the unusual thing", "the wording that everyone gets"


def shared(store: Store) -> tuple[Entry, str]:
    """Return an entry of Ann's that is shared in other words, and the id of its offer."""
    entry = store.memory.remember(clarification(QUESTION, MEANT), ANN)
    sharing = store.sharing(RULES)
    return entry, sharing.accept(sharing.offer(entry.id, ANN).id, sharing.curator(CURATOR), SHARED).id


def from_memory(turn: Turn) -> list[str]:
    return [decision.entry.text for decision in turn.from_memory]


@pytest.mark.parametrize("how", ["withdraw", "decline", "edit", "retract", "supersede", "forget", "forget_all"])
def test_ended_sharing_leaves_nothing(store: Store, tmp_path: Path, how: str) -> None:
    entry, offer = shared(store)
    loop = Loop(store, *[RIGHT] * 12, gate=CERTAIN)
    for number, word in enumerate(("enormous", "happy")):  # the second time from the cache
        assert from_memory(loop.ask(f"What is akin to {word}?", f"b{number}", BOB)) == [SHARED]
    store.indexer.catch_up()
    assert find_bytes(tmp_path, [SHARED]) != []
    end_sharing(store, how, entry, offer)
    assert loop.ask("What is akin to sad?", "b2", BOB).decisions == ()
    assert loop.spliced() == {}
    earlier = [turn for number in range(2) for turn in loop.assistant.turns(f"b{number}", BOB)]
    assert SHARED not in json.dumps([turn_view(turn) for turn in earlier], default=str)
    # Erasing the entry also erases answers with it in the prompt.
    is_forgotten = how.startswith("forget")
    assert [turn.reply.answer for turn in earlier] == ([""] * 2 if is_forgotten else ["fast"] * 2)
    store.indexer.catch_up()
    gone = [SHARED, *([MEANT, offer] if is_forgotten else []), *([ANN.person] if how == "forget_all" else [])]
    assert find_bytes(tmp_path, gone) == []


def test_forgotten_curators_decisions_stay(store: Store, tmp_path: Path) -> None:
    entry, _ = shared(store)
    assert find_bytes(tmp_path, [CURATOR.person]) != []
    assert store.memory.forget_all(CURATOR).is_complete
    store.indexer.catch_up()
    assert find_bytes(tmp_path, [CURATOR.person]) == []
    assert store.sharing(RULES).offers_of([entry.id], ANN)[entry.id].state == "accepted"
    assert len(read_keys(store, BOB)) > 0
