"""A clock that jumps: order follows the sequence number, and a wrong time loses or delays nothing."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant.types import Turn
from memory_store.store import Store
from tests.support.memory.store import (
    ANN,
    LetterPairEmbedder,
    assert_same_keys,
    ledger_url,
    open_store,
    unrelated_clarification,
)

HOURS = (0, 25, -25, 1, -1, 1_000, -1_000, 0, -0.01)


@pytest.mark.promise("clock-jumps-lose-nothing")
def test_order_is_that_of_saving(tmp_path: Path) -> None:
    now = datetime(2026, 10, 25, 0, 59, 58, tzinfo=UTC)  # before an hour strikes twice

    def opened() -> Store:
        return open_store(ledger_url(tmp_path), str(tmp_path / "index"), LetterPairEmbedder(), clock=lambda: now)

    store, saved = opened(), list[str]()
    for number, hours in enumerate(HOURS):
        now += timedelta(hours=hours)
        saved.append(store.memory.remember(replace(unrelated_clarification(f"{number}"), wants_keys=True), ANN).id)
        now -= timedelta(hours=hours / 2)
        turn = Turn(f"t{number}", "c", ANN.person, "q", created=now)
        store.turn_store.record(turn, ANN)
        if number % 3 == 1:
            saved[-1] = store.memory.edit(saved[-1], unrelated_clarification(f"edited {number}").text, ANN).id
        elif number % 3 == 2:
            store.memory.retract(saved.pop(), ANN)
            store.indexer.catch_up()
            store.close()
            store = opened()
    assert [entry.id for entry in store.memory.entries(ANN)] == saved[::-1]
    assert list(store.key_work.wanting()) == saved
    assert [turn.id for turn in store.turn_store.turns("c", ANN)] == [f"t{number}" for number in range(len(HOURS))]
    changes = [change.sequence for change in store.ledger.changes(after=0, limit=1_000)]
    assert changes == sorted(set(changes))
    store.indexer.catch_up()
    assert_same_keys(store, ANN)
