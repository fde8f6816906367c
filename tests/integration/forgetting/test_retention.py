"""Conversations expire, entries from them stay, and a wrong clock deletes nothing."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant.sentences import plain
from assistant.types import Action, Candidate, Decision, Reply, ReplyStatus, Scope, Turn, TurnState
from memory_store.maintenance.erasure import Retention
from memory_store.store import Store
from tests.support.damage.find_bytes import find_bytes
from tests.support.memory.store import (
    ANN,
    LetterPairEmbedder,
    clarification,
    ledger_url,
    open_store,
    read_indexed_ids,
    small_store,
    unrelated_clarification,
)

pytestmark = pytest.mark.promise("retention", "retention-survives-clocks")

TODAY = datetime(2026, 5, 1, 12, tzinfo=UTC)
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
GONE = Scope("visitor:gone")
DAYS = 90
TURNS = 40


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return small_store(tmp_path, LetterPairEmbedder())


class Machine:
    """A machine with a clock, which can be off. Retention runs at start and every hour or more."""

    def __init__(self, store: Store, clock: datetime, visitor_hours: float | None = None) -> None:
        self.clock, self._store, self._hours = clock, store, visitor_hours
        self.is_off(timedelta(0))

    def runs(self, time: timedelta) -> int:
        """Let time pass while running; return the number of deleted turns."""
        pause = HOUR if time < 3 * DAY else 6 * HOUR
        erased = 0
        for _ in range(time // pause):
            self.clock += pause
            erased += self._retention.expire(self.clock)
        return erased

    def is_off(self, time: timedelta) -> int:
        """Let time pass while off, and start again; return the number of deleted turns."""
        self.clock += time
        ledger = self._store.ledger
        self._retention = Retention(ledger, DAYS, self._store.indexer.wake, ("visitor:", self._hours or 1e6))
        return self._retention.expire(self.clock)


def said(store: Store, name: str, age: timedelta, **fields: object) -> Turn:
    turn = Turn(name, f"talk {name}", "ann", f"question of {name}!", created=TODAY - age, state=TurnState.ANSWERED)
    reply = Reply.of(f"raw of {name}!", "understood", "answered " * 50, ReplyStatus.OK)
    turn = replace(turn, reply=reply, **fields)  # type: ignore[arg-type]
    store.turn_store.record(turn, ANN)
    return turn


def left(store: Store) -> set[str]:
    with store.ledger.read() as connection:
        return {str(row.id) for row in connection.exec_driver_sql("SELECT id FROM turns")}


def test_old_conversations_go_and_entries_stay(store: Store, tmp_path: Path) -> None:
    draft = replace(clarification("what is akin?", "a synonym"), turn="old0")
    entry = store.memory.remember(draft, ANN)
    store.indexer.catch_up()
    decided = (Decision(Candidate(entry, entry.keys[0]), Action.USE, 1.0, plain("because")),)
    for number in range(TURNS):
        said(store, f"old{number}", DAYS * DAY + timedelta(hours=1 + number), decisions=decided, used=(entry.id,))
        store.memory.count(entry.id, "helped", f"old{number}", ANN)
    young = said(store, "young", DAYS * DAY - timedelta(hours=1))
    said(store, "old, in a talk that goes on", (DAYS + 2) * DAY, conversation=young.conversation)
    machine = Machine(store, TODAY - HOUR)  # the first check believes no clock
    assert machine.runs(HOUR) == TURNS
    assert left(store) == {"young", "old, in a talk that goes on"}
    store.indexer.catch_up()
    assert find_bytes(tmp_path, ["question of old0", "raw of old0"]) == []
    kept = store.memory.entry(entry.id, ANN)
    assert (kept.text, kept.turn, kept.helped) == ("a synonym", "old0", TURNS)
    assert read_indexed_ids(store, ANN) == {entry.id}
    assert store.memory.edit(entry.id, "an antonym", ANN).supersedes == entry.id


def test_time_ahead_or_off_erases_nothing_at_once(store: Store) -> None:
    said(store, "young", DAY)
    machine = Machine(store, TODAY)
    assert machine.runs(3 * DAY) == 0
    machine.clock += 3_000 * DAY
    assert machine.is_off(timedelta(minutes=5)) == 0  # and restarts
    machine.clock -= 3_000 * DAY  # corrected
    assert machine.runs(85 * DAY) == 0
    assert machine.runs(2 * DAY) == 1
    said(store, "younger", TODAY - machine.clock)
    assert machine.is_off(100 * DAY) == 0
    assert machine.runs(HOUR) == 1


def test_machine_that_is_on_for_minutes_a_day_erases(store: Store) -> None:
    said(store, "old", (DAYS + 1) * DAY)
    machine = Machine(store, TODAY - DAY)
    assert machine.is_off(DAY) == 1


def test_jumping_clock_erases_no_new_visitor(tmp_path: Path) -> None:
    index = str(tmp_path / "index")
    machine: Machine
    store = open_store(ledger_url(tmp_path), index, LetterPairEmbedder(), clock=lambda: machine.clock)
    machine = Machine(store, TODAY, visitor_hours=24)
    machine.runs(2 * DAY)
    for person in (GONE, ANN):
        store.memory.remember(unrelated_clarification(person.person), person)
    for jump in (3 * DAY, -3 * DAY, 300 * DAY, -300 * DAY):
        machine.clock += jump
        machine.runs(HOUR)
    machine.runs(19 * HOUR)
    assert len(store.memory.entries(GONE)) == 1
    machine.runs(4 * HOUR)
    assert (len(store.memory.entries(GONE)), len(store.memory.entries(ANN))) == (0, 1)
