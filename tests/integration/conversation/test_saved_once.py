"""Saved once: however often *Save* is pressed, whoever did not hear the answer, and however many processes save it."""

import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import cast

import pytest

from assistant.events import Event, Saved
from memory_store.store import Store
from tests.support.beside import drained
from tests.support.memory.loop import ME, RIGHT, WRONG, Loop
from tests.support.memory.services import services_on
from tests.support.memory.store import ANN, save_the_same, small_store
from tests.support.servers.processes import FORKED
from ui.page.conversation.conversation import ConversationHandlers
from ui.streaming.runs import Runs

pytestmark = pytest.mark.promise("saved-once")

REPEATS = 1
PROCESSES = 8
DRAFTS = 12
PRESSES = 4


@pytest.fixture
def pressed_often(store: Store) -> Loop:
    """A question that was misunderstood, and answers enough for whoever says so again and again."""
    return Loop(store, WRONG, *[RIGHT] * PRESSES)


def saved(store: Store) -> list[str]:
    return [entry.text for entry in store.memory.entries(ME)]


def test_the_same_drafts_from_many_processes_are_saved_once(tmp_path: Path) -> None:
    for repeat in range(REPEATS):
        folder = tmp_path / str(repeat)
        ready = FORKED.Barrier(PROCESSES)
        processes = [FORKED.Process(target=save_the_same, args=(folder, DRAFTS, ready)) for _ in range(PROCESSES)]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
            assert process.exitcode == 0
        store = small_store(folder)
        assert sorted(entry.question for entry in store.memory.entries(ANN)) == sorted(
            f"question {number}" for number in range(DRAFTS)
        )
        assert [change.sequence for change in store.ledger.changes(after=0, limit=99)] == list(range(1, DRAFTS + 1))
        store.close()
    print(f"{REPEATS} times {PROCESSES} processes saved the same {DRAFTS}: {DRAFTS} each time.")


def test_pressing_save_again_and_at_once_saves_once(store: Store, pressed_often: Loop) -> None:
    turn = pressed_often.ask("What is akin to quick?")
    together = threading.Barrier(PRESSES)

    def press(_: int) -> str:
        together.wait()
        return pressed_often.clarify(turn, "I meant a synonym").reply.answer

    with ThreadPoolExecutor(PRESSES) as people:
        assert set(people.map(press, range(PRESSES))) == {"fast"}
    assert saved(store) == ["I meant a synonym"]


def test_pressing_save_in_the_page_again_and_in_another_tab_saves_once(store: Store, pressed_often: Loop) -> None:
    turn = pressed_often.ask("What is akin to quick?")
    handlers = ConversationHandlers(services_on(store, pressed_often.assistant, runs=Runs(seconds=0.0)))
    together = threading.Barrier(PRESSES)

    def press(tab: int) -> str:
        together.wait()
        data = {"run": f"r{tab}", "conversation": "c", "turn": turn.id, "text": "I meant a synonym"}
        return str([update.get("refused", "") for update in drained(handlers.clarify(data, ME, f"tab {tab // 2}"))][-1])

    with ThreadPoolExecutor(PRESSES) as people:
        refusals = set(people.map(press, range(PRESSES)))
    assert refusals <= {"", "Still answering. Please wait, or stop it first."}
    assert saved(store) == ["I meant a synonym"]


@pytest.mark.parametrize("heard", [1, 2])
def test_who_did_not_hear_the_answer_and_tries_again_saves_once(store: Store, pressed_often: Loop, heard: int) -> None:
    turn = pressed_often.ask("What is akin to quick?")
    with closing(cast("Generator[Event]", pressed_often.assistant.clarify(turn.id, "I meant a synonym", ME))) as events:
        assert any(isinstance(event, Saved) for event in islice(events, heard))
    again = pressed_often.clarify(turn, "  I meant a   SYNONYM ")
    assert again.reply.answer == "fast"
    assert pressed_often.clarify(turn, "I meant a synonym").id == again.id
    assert saved(store) == ["I meant a synonym"]
