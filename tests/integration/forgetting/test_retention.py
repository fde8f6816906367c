"""Conversations go after so many days, what was made from them stays, and a wrong clock takes nothing with it."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assistant.types import Action, Candidate, Decision, Reply, ReplyStatus, Turn, TurnState
from memory_store.custody.retention import Retention
from memory_store.store import Store
from tests.support.damage.remains import remains
from tests.support.memory.store import ANN, BOB, LetterPairs, clarification, indexed, small_store
from tests.support.sizes import size

TODAY = datetime(2026, 5, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
DAYS = 90
TURNS = size(40, 5_000)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return small_store(tmp_path, LetterPairs())


@pytest.fixture
def retention(store: Store) -> Retention:
    return Retention(store.ledger, DAYS, store.indexer.wake)


def said(store: Store, name: str, age: timedelta, **fields: object) -> Turn:
    turn = Turn(name, f"talk {name}", "ann", f"question of {name}!", created=TODAY - age, state=TurnState.ANSWERED)
    reply = Reply(f"raw of {name}!", "understood", "answered " * 50, ReplyStatus.OK)
    turn = replace(turn, reply=reply, **fields)  # type: ignore[arg-type]
    store.journal.record(turn, ANN)
    return turn


def left(store: Store) -> set[str]:
    with store.ledger.read() as connection:
        return {str(row.id) for row in connection.exec_driver_sql("SELECT id FROM turns")}


def test_old_conversations_go_with_their_bytes_and_what_was_made_from_them_stays(
    store: Store, retention: Retention, tmp_path: Path
) -> None:
    draft = replace(clarification("what is akin?", "a synonym"), turn="old0")
    entry = store.memory.remember(draft, ANN)
    store.indexer.catch_up()
    decided = (Decision(Candidate(entry, entry.keys[0]), Action.USE, 1.0, "because"),)
    for number in range(TURNS):
        said(store, f"old{number}", DAYS * DAY + timedelta(hours=1 + number), decisions=decided, used=(entry.id,))
        store.memory.count(entry.id, "helped", f"old{number}", ANN)
    said(store, "young", DAYS * DAY - timedelta(hours=1))
    assert retention.look(TODAY - DAY) == 0
    assert retention.look(TODAY) == TURNS - 24  # a day later: the day before was true
    assert retention.look(TODAY + DAY) == 24
    assert left(store) == {"young"}
    store.indexer.catch_up()
    assert remains(tmp_path, ["question of old", "raw of old"]) == []
    kept = store.memory.entry(entry.id, ANN)
    assert (kept.text, kept.turn, kept.helped) == ("a synonym", "old0", TURNS)
    assert {row.entry_id for row in indexed(store.index, ANN)} == {entry.id}
    assert store.memory.edit(entry.id, "an antonym", ANN).supersedes == entry.id
    store.memory.forget(entry.id, ANN)
    assert store.memory.entries(ANN) == []


def test_a_clock_that_jumps_ahead_takes_nothing_with_it(store: Store, retention: Retention) -> None:
    said(store, "young", DAY)
    for hours in range(0, 72, 8):
        retention.look(TODAY + timedelta(hours=hours))
    ahead = TODAY + 3_000 * DAY
    for minutes in (0, 1, 60, 23 * 60):  # and the app starts again, some times
        assert retention.look(ahead + timedelta(minutes=minutes)) == 0
    assert retention.look(TODAY + 4 * DAY) == 0  # somebody sets it right
    assert retention.look(TODAY + 6 * DAY) == 0
    assert left(store) == {"young"}
    assert retention.look(TODAY + 89 * DAY) == 0
    assert retention.look(TODAY + 92 * DAY) == 0
    assert retention.look(TODAY + 94 * DAY) == 1


def test_a_clock_that_goes_back_erases_nothing_that_is_young(store: Store, retention: Retention) -> None:
    retention.look(TODAY)
    retention.look(TODAY + DAY)
    said(store, "young", timedelta(days=-1))
    assert retention.look(TODAY - 300 * DAY) == 0
    assert retention.look(TODAY - 298 * DAY) == 0
    assert left(store) == {"young"}


@settings(max_examples=size(15, 400), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(looks=st.lists(st.integers(0, 60), min_size=1, max_size=12), jump=st.integers(-2_000, 2_000))
def test_nothing_goes_before_its_time_whatever_one_wrong_look_says(
    tmp_path_factory: pytest.TempPathFactory, looks: list[int], jump: int
) -> None:
    store = small_store(tmp_path_factory.mktemp("clock"))
    retention = Retention(store.ledger, DAYS, store.indexer.wake)
    said(store, "turn", timedelta(0))
    now, wrong = TODAY, len(looks) // 2
    for place, hours in enumerate(looks):
        now += timedelta(hours=hours)
        retention.look(now + jump * DAY if place == wrong else now)
        assert ("turn" in left(store)) or now - TODAY > DAYS * DAY


def test_it_begins_at_the_start_and_ends_at_the_end(tmp_path: Path) -> None:
    store = small_store(tmp_path)
    for look in (datetime.now(UTC) - 2 * DAY, datetime.now(UTC) - DAY):
        store.retention.look(look)
    old = Turn("old", "c", BOB.person, "q", created=datetime.now(UTC) - 200 * DAY, state=TurnState.ANSWERED)
    store.journal.record(old, BOB)
    store.start()
    while left(store):
        pass
    store.close()
    assert "retention" not in {thread.name for thread in threading.enumerate()}
