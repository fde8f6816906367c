"""A clock that jumps: order is the sequence number, and nothing is lost, reordered or held up by a wrong time."""

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant.types import Turn
from memory_store.store import Store
from tests.support.memory.store import ANN, PLAIN, LetterPairs, assert_same_keys, ledger_url, open_store, unlike

pytestmark = pytest.mark.promise("clock-jumps-lose-nothing")

RUNS = 6
STEPS = 12
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata")
# Seconds before the hour is struck twice, or left out, in one of the zones.
CHANGES = ("2026-03-29T00:59:58", "2026-10-25T00:59:58", "2026-11-01T05:59:58", "2026-04-04T14:59:58")
HOUR = timedelta(hours=1)


class JumpyClock:
    """Goes on by a little with each look, and jumps when told."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._now = datetime.fromisoformat(chance.choice(CHANGES)).replace(tzinfo=UTC)

    def __call__(self) -> datetime:
        self._now += timedelta(milliseconds=self._chance.choice((0, 1, 400)))
        return self._now

    def jump(self) -> None:
        self._now += self._chance.choice((25 * HOUR, -25 * HOUR, self._chance.uniform(-25, 25) * HOUR, -HOUR, HOUR))


class Run:
    """A store whose clock jumps between any two things that are done to it, and what it must hold."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.folder, self.chance = folder, chance
        self.clock = JumpyClock(chance)
        self.store = self.opened()
        self.saved: list[str] = []  # in the order in which they were
        self.active: set[str] = set()
        self.turns: list[str] = []

    def opened(self) -> Store:
        return open_store(ledger_url(self.folder), str(self.folder / "index"), LetterPairs(), PLAIN, clock=self.clock)

    def step(self, number: int) -> None:
        self.clock.jump()
        memory, target = self.store.memory, self.chance.choice([*self.active, ""])
        does = self.chance.choice(("save", "save", "edit", "retract", "record", "catch up", "reopen"))
        if does == "save":
            self._is_saved(memory.remember(replace(unlike(f"{number}"), wants_keys=True), ANN).id)
        elif does == "edit" and target:
            self.active.remove(target)
            self._is_saved(memory.edit(target, unlike(f"{number}").text, ANN).id)
        elif does == "retract" and target:
            restored = memory.retract(target, ANN).supersedes
            self.active.remove(target)
            self.active |= {restored} if restored else set()
        elif does == "record":
            self.turns.append(f"turn {number}")
            self.store.turn_store.record(Turn(self.turns[-1], "c", ANN.person, "q", created=self.clock()), ANN)
        elif does == "catch up":
            self.store.indexer.catch_up()
        elif does == "reopen":
            self.store.close()
            self.store = self.opened()

    def _is_saved(self, entry_id: str) -> None:
        self.saved.append(entry_id)
        self.active.add(entry_id)

    def check(self) -> None:
        memory = self.store.memory
        in_order = [entry_id for entry_id in self.saved if entry_id in self.active]
        assert [entry.id for entry in memory.entries(ANN)] == in_order[::-1]
        assert list(self.store.key_work.wanting()) == in_order
        assert [turn.id for turn in self.store.turn_store.turns("c", ANN)] == self.turns
        changes = [change.sequence for change in self.store.ledger.changes(after=0, limit=1_000)]
        assert changes == sorted(set(changes))
        self.store.indexer.catch_up()
        assert_same_keys(self.store, ANN)


@pytest.fixture
def set_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Sets the local time, in which an hour may be struck twice or left out."""

    def to(zone: str) -> None:
        monkeypatch.setenv("TZ", zone)
        time.tzset()

    yield to
    monkeypatch.undo()
    time.tzset()


def test_order_is_the_sequence_number_whatever_the_clock_says(
    tmp_path: Path, seed: int, set_zone: Callable[[str], None]
) -> None:
    for number in range(RUNS):
        chance = random.Random(f"{seed} {number}")  # noqa: S311 - no secret
        set_zone(chance.choice(ZONES))
        run = Run(tmp_path / str(number), chance)
        for step in range(STEPS):
            run.step(step)
        run.check()
        run.store.close()
    print(f"{RUNS} runs: nothing lost, nothing reordered.")
