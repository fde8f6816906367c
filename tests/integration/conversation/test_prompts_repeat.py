"""The same store, question and scope give the same prompt, byte for byte, in whatever process."""

from pathlib import Path

import pytest

from assistant.types import Reaction
from memory_store.language.word_translation import READINGS
from tests.support.memory.ask_again import AskAgain, ask_again
from tests.support.memory.loop import ME, RIGHT, WRONG, Loop, last
from tests.support.memory.store import open_store
from tests.support.servers.processes import FORKED

pytestmark = pytest.mark.promise("prompts-repeat")

QUESTION = "what is akin to glad ?"


def test_the_same_store_question_and_scope_give_the_same_prompt_in_two_processes(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path / 'ledger.sqlite3'}", str(tmp_path / "index"), None, READINGS)
    loop = Loop(store, *([WRONG, RIGHT] * 3))
    for word in ("quick", "big", "calm"):
        answer = loop.clarify(loop.ask(f"what is akin to {word} ?"), f"I want a synonym, not what sounds like {word}")
        last(loop.assistant.react(answer.id, Reaction.CONFIRM, ME))
    here = AskAgain(store)
    made = here.prompt(QUESTION, ME, "c")
    assert made.sections["clarification"] or made.sections["offered"]
    assert made.sections["confirmed"]

    repeats = 5
    hashes = {here.hash(QUESTION, ME, "c") for _ in range(repeats)}
    store.close()
    assert len(hashes) == 1
    assert hashes == _hashes_elsewhere(tmp_path, repeats)
    print(f"2 processes, {repeats} prompts each: 1 hash")


def _hashes_elsewhere(folder: Path, repeats: int) -> set[str]:
    """In a process whose sets and dictionaries are in an order of their own."""
    here, there = FORKED.Pipe()
    process = FORKED.Process(target=ask_again, args=(folder, QUESTION, repeats, there))
    process.start()
    hashes: set[str]
    order, hashes = here.recv()
    process.join()
    assert order != hash(QUESTION)
    return hashes
