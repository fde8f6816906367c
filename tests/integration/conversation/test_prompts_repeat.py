"""The same store, question and scope give the same prompt, byte for byte, in whatever process."""

from multiprocessing.connection import Connection
from pathlib import Path
from shutil import copytree

import pytest

from assistant.types import Message, Reaction
from tests.support.memory.loop import ME, RIGHT, WRONG, Loop, last
from tests.support.memory.store import small_store
from tests.support.servers.processes import FORKED

pytestmark = pytest.mark.promise("prompts-repeat")

QUESTION = "what is akin to glad ?"


def prompt(folder: Path) -> tuple[Message, ...]:
    store = small_store(folder)
    loop = Loop(store, RIGHT)
    loop.ask(QUESTION)
    store.close()
    return tuple(loop.model.asked[0])


def ask_elsewhere(folder: Path, told: Connection) -> None:
    """In a process of its own: tell how it hashes the question, which orders sets, and its prompt."""
    told.send((hash(QUESTION), prompt(folder)))


def test_prompt_is_the_same_in_two_processes(tmp_path: Path) -> None:
    folder, copied = tmp_path / "home", tmp_path / "copy"
    folder.mkdir()
    store = small_store(folder)
    loop = Loop(store, *([WRONG, RIGHT] * 3))
    for word in ("quick", "big", "calm"):
        answer = loop.clarify(loop.ask(f"what is akin to {word} ?"), f"I want a synonym, not what sounds like {word}")
        last(loop.assistant.react(answer.id, Reaction.CONFIRM, ME))
    store.close()
    copytree(folder, copied)  # a question changes what is counted
    here, there = FORKED.Pipe()
    process = FORKED.Process(target=ask_elsewhere, args=(copied, there))
    process.start()
    order, elsewhere = here.recv()
    process.join()
    made = prompt(folder)
    assert order != hash(QUESTION)
    assert elsewhere == made
    assert "not what sounds like" in made[-1].content
    assert any("what is akin to calm" in message.content for message in made[:-1])
