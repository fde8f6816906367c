"""A process that takes random steps on a store until it is killed, and the log of the acknowledged ones."""

import itertools
import json
import os
import random
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from assistant.errors import NotFound
from assistant.types import Entry, Turn
from memory_store.store import Store
from memory_store.vectors.index import IndexUnavailable
from tests.support.memory.store import ANN, LetterPairEmbedder, small_store, unrelated_clarification
from tests.support.memory.triples import fact

Step = dict[str, str]
"""A step: its name (`does`), its entry (`target`), and a unique name (`key`)."""

_OF_AN_ENTRY = ("supersede", "edit", "forget")
_STEPS = ("save", "save", "tell", "tell", *_OF_AN_ENTRY, "catch up", "catch up", "tidy", "rebuild")


@dataclass
class Account:
    """Acknowledged results of the steps before the processes were killed.

    Args:
        lines: ids by the id of the active entry that they became, including itself.
        forgotten: ids with an acknowledged erasure.
        unfinished: the step during which the last process was killed, if any; it may have been done or not.
    """

    lines: dict[str, set[str]] = field(default_factory=dict)
    forgotten: set[str] = field(default_factory=set)
    unfinished: Step | None = None


def read_account(log: Iterable[str]) -> Account:
    account = Account()
    for step in map(json.loads, log):
        account.unfinished = None if "told" in step else step
        if "told" not in step:
            continue
        before = account.lines.pop(step["target"], set())
        if step["does"] == "forget":
            account.forgotten |= before
        elif step["told"]:
            account.lines[step["told"]] = before | {step["told"]}
    return account


def work_until_killed(folder: Path, log: Path, name: str, unfinished: Step | None) -> None:
    """Repeat the unfinished step, as a user without an answer would, then take random steps; in its own process.

    Args:
        folder: of the store.
        log: each step is appended before it starts, and again with its result (`told`) when it is done.
        name: unique for each process; seeds the random choices.
        unfinished: the step during which the previous process was killed.
    """
    chance = random.Random(name)  # noqa: S311 - no secret, only the same choices again
    store = small_store(folder, LetterPairEmbedder())
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for number in itertools.count():
        active = [entry.id for entry in store.memory.entries(ANN, limit=1_000_000)]
        does = chance.choice(_STEPS if active else _STEPS[:4])
        target = chance.choice(active) if does in _OF_AN_ENTRY else ""
        step = unfinished or {"does": does, "target": target, "key": f"{name}/{number}"}
        os.write(file, json.dumps(step).encode() + b"\n")
        told = ""
        # Before the first catching up there is nothing to compact, and an unacknowledged erasure may have been done.
        with suppress(IndexUnavailable, NotFound):
            told = take_step(store, **step)
        os.write(file, json.dumps({**step, "told": told}).encode() + b"\n")
        unfinished = None


def take_step(store: Store, does: str, target: str, key: str) -> str:
    """Take a step, and return the id of the resulting entry, if any."""
    memory, draft = store.memory, unrelated_clarification(key)
    told = fact(draft.text, f"it | says | {draft.text}", f"{draft.question} | is | told")
    steps: dict[str, Callable[[], object]] = {
        "save": lambda: memory.remember(draft, ANN),
        "tell": lambda: memory.remember(told, ANN),
        "supersede": lambda: memory.remember(replace(draft, supersedes=target), ANN),
        "edit": lambda: memory.edit(target, draft.text, ANN),
        "forget": lambda: memory.forget(target, ANN),
        "record": lambda: store.turn_store.record(Turn(key, "c", ANN.person, "q"), ANN),
        "catch up": store.indexer.catch_up,
        "tidy": store.index.compact,
        "rebuild": store.indexer.rebuild,
    }
    entry = steps[does]()
    return entry.id if isinstance(entry, Entry) else ""
