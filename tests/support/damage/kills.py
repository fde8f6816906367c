"""A process that takes random steps on a store until it is killed, and the log of the acknowledged ones."""

from __future__ import annotations

import itertools
import json
import os
import random
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from assistant.errors import NotFound
from assistant.types import Entry
from memory_store.store import Store
from memory_store.vectors.index import IndexUnavailable
from tests.support.memory.store import ANN, LetterPairEmbedder, small_store, unrelated_clarification
from tests.support.memory.triples import fact

Step = dict[str, str]
"""A step: its name (`does`), its entry (`target`), and a unique name (`key`)."""

_TO_THE_LEDGER = ("save", "save", "tell", "tell", "supersede", "edit", "forget")
_TO_THE_INDEX = ("catch up", "catch up", "tidy", "rebuild")


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

    @classmethod
    def read(cls, log: Iterable[str]) -> Account:
        account = cls()
        for line in log:
            account._take(json.loads(line))
        return account

    def _take(self, step: Step) -> None:
        if "told" not in step:
            self.unfinished = step
            return
        self.unfinished = None
        before = self.lines.pop(step["target"], set())
        if step["does"] == "forget":
            self.forgotten |= before
        elif step["told"]:
            self.lines[step["told"]] = before | {step["told"]}

    def certain(self) -> dict[str, set[str]]:
        """Return the lines that the unfinished step does not affect."""
        target = self.unfinished and self.unfinished["target"]
        return {head: line for head, line in self.lines.items() if head != target}


def work_until_killed(folder: Path, log: Path, name: str, unfinished: Step | None, in_background: bool) -> None:
    """Repeat the unfinished step, as a user without an answer would, then take random steps; in its own process.

    Args:
        folder: of the store.
        log: each step is appended before it starts, and again with its result (`told`) when it is done.
        name: unique for each process; seeds the random choices.
        unfinished: the step during which the previous process was killed.
        in_background: update the index in its own thread, as in the app, or between the other steps.
    """
    chance = random.Random(name)  # noqa: S311 - no secret, only the same choices again
    store = small_store(folder, LetterPairEmbedder())
    if in_background:
        store.start()
    heads = [entry.id for entry in store.memory.entries(ANN, limit=1_000_000)]
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for number in itertools.count():
        does = chance.choice(_TO_THE_LEDGER if in_background else _TO_THE_LEDGER + _TO_THE_INDEX)
        target = chance.choice(heads) if heads and does in {"supersede", "edit", "forget"} else ""
        does = "save" if does in {"supersede", "edit", "forget"} and not target else does
        step = unfinished or {"does": does, "target": target, "key": f"{name}/{number}"}
        os.write(file, json.dumps(step).encode() + b"\n")
        told = _take_step(store, step)
        os.write(file, json.dumps({**step, "told": told}).encode() + b"\n")
        if step["target"] in heads and (told or step["does"] == "forget"):
            heads.remove(step["target"])
        if told and told not in heads:
            heads.append(told)
        unfinished = None


def _take_step(store: Store, step: Step) -> str:
    """Take a step, and return the id of the resulting entry, if any."""
    target, memory, draft = step["target"], store.memory, unrelated_clarification(step["key"])
    told = fact(draft.text, f"it | says | {draft.text}", f"{draft.question} | is | told")
    steps: dict[str, Callable[[], object]] = {
        "save": lambda: memory.remember(draft, ANN),
        "tell": lambda: memory.remember(told, ANN),
        "supersede": lambda: memory.remember(replace(draft, supersedes=target), ANN),
        "edit": lambda: memory.edit(target, draft.text, ANN),
        "forget": lambda: memory.forget(target, ANN),
        "catch up": store.indexer.catch_up,
        "tidy": store.index.compact,
        "rebuild": store.indexer.rebuild,
    }
    # Before the first catching up there is nothing to compact, and an unacknowledged erasure may have been done.
    with suppress(IndexUnavailable, NotFound):
        entry = steps[step["does"]]()
        return entry.id if isinstance(entry, Entry) else ""
    return ""
