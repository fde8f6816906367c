"""Saved once: however often *Save* is pressed, whoever did not hear the answer, and however many processes save it."""

import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import cast

import pytest

from assistant.events import Event, Saved
from memory_store.store import Store
from tests.support.memory.loop import ME, RIGHT, WRONG, Loop, active
from tests.support.memory.store import ANN, save_the_same, small_store
from tests.support.servers.processes import FORKED

pytestmark = pytest.mark.promise("saved-once")

PROCESSES = 8
DRAFTS = 12
PRESSES = 4


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


def test_pressing_save_at_once_saves_once(store: Store) -> None:
    loop = Loop(store, WRONG, *[RIGHT] * PRESSES)
    turn = loop.ask("What is akin to quick?")
    together = threading.Barrier(PRESSES)

    def press(_: int) -> str:
        together.wait()
        return loop.clarify(turn, "I meant a synonym").reply.answer

    with ThreadPoolExecutor(PRESSES) as people:
        assert set(people.map(press, range(PRESSES))) == {"fast"}
    assert active(store) == ["I meant a synonym"]


def test_retry_after_a_lost_response_saves_once(store: Store) -> None:
    loop = Loop(store, WRONG, RIGHT)
    turn = loop.ask("What is akin to quick?")
    with closing(cast("Generator[Event]", loop.assistant.clarify(turn.id, "I meant a synonym", ME))) as events:
        assert isinstance(next(events), Saved)
    again = loop.clarify(turn, "  I meant a   SYNONYM ")
    assert again.reply.answer == "fast"
    assert active(store) == ["I meant a synonym"]
