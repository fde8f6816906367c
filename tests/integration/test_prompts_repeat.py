"""The same store, question and scope give the same prompt, byte for byte, in whatever process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from assistant.types import Reaction
from memory_store.glossed import READINGS
from memory_store.store import open_store
from tests.support.ask_again import AskAgain
from tests.support.loop import ME, RIGHT, WRONG, Loop, last
from tests.support.sizes import size

ROOT = Path(__file__).parents[2]
QUESTION = "what is akin to glad ?"


def test_the_same_store_question_and_scope_give_the_same_prompt_in_two_processes(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path / 'ledger.sqlite3'}", str(tmp_path / "index"), None, READINGS)
    loop = Loop(store, *([WRONG, RIGHT] * 3))
    for word in ("quick", "big", "calm"):
        answer = loop.clarify(loop.ask(f"what is akin to {word} ?"), f"I want a synonym, not what sounds like {word}")
        last(loop.assistant.react(answer.id, Reaction.CONFIRM, ME))
    made = AskAgain(store).prompt(QUESTION, ME, "c")
    store.close()
    assert made.used or made.offered
    assert made.shown

    repeats = size(50, 1000)
    hashes = [hash_ for seed in ("1", "2") for hash_ in _hashes(tmp_path, repeats, seed)]
    print(f"2 processes, {repeats} prompts each: {len(set(hashes))} hash")
    assert len(hashes) == 2
    assert len(set(hashes)) == 1


def _hashes(folder: Path, repeats: int, hash_seed: str) -> list[str]:
    """In a process whose sets and dictionaries are in an order of their own."""
    command = [sys.executable, "-m", "tests.support.ask_again", str(folder), QUESTION, str(repeats)]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "HF_HUB_OFFLINE": "1"}
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return result.stdout.split()
