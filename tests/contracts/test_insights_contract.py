"""Contract of the insights: each number equals a count by hand."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

import pytest

from assistant.errors import NoIdentity
from assistant.reports.insights import WEEKS, Corrected, Overview, Week
from assistant.types import Entry, Reply, ReplyStatus, Scope, Turn, TurnState
from memory_store.ledger.ledger import Ledger
from memory_store.turns.insights import overview
from memory_store.turns.turn_store import LedgerTurnStore
from tests.support.memory.store import ANN, BOB, create_ledger, ledger_memory, unrelated_clarification

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)  # a Thursday


class Books:
    def __init__(self, ledger: Ledger) -> None:
        self.ledger, self.recorded = ledger, 0
        self.turn_store, self.memory = LedgerTurnStore(ledger), ledger_memory(ledger)

    def turn(
        self, scope: Scope = ANN, used: Entry | None = None, reaction: str = "", corrected: bool = False,
        days_ago: int = 0, state: TurnState = TurnState.ANSWERED,
    ) -> None:  # fmt: skip
        self.recorded += 1
        turn = Turn(
            f"t{self.recorded}", "c", scope.person, "q", created=BEGAN - timedelta(days=days_ago),
            reply=Reply.of("raw", "u", "a", ReplyStatus.OK), used=(used.id,) if used else (),
            corrected_by="e" if corrected else None, state=state,
        )  # fmt: skip
        self.turn_store.record(turn, scope)
        if used:
            for event in filter(None, ("used", reaction)):
                self.memory.count(used.id, event, turn.id, scope)

    def seen(self, scope: Scope) -> Overview:
        return overview(self.ledger, scope)


@pytest.fixture
def books(any_ledger_url: str) -> Iterator[Books]:
    ledger = Ledger(create_ledger(any_ledger_url), lambda: BEGAN)
    yield Books(ledger)
    ledger.close()


def test_numbers_are_those_counted_by_hand(books: Books) -> None:
    quick, slow, gone, bobs = (
        books.memory.remember(unrelated_clarification(name), scope)
        for name, scope in (("quick", ANN), ("slow", ANN), ("gone", ANN), ("of Bob", BOB))
    )
    books.turn(used=quick, reaction="helped")
    books.turn(used=quick, days_ago=10)
    books.turn(used=quick, days_ago=7 * WEEKS)
    books.turn(used=slow, reaction="hurt")
    books.turn(used=slow, corrected=True)
    books.turn(used=slow)
    books.turn(used=gone, corrected=True)
    books.memory.retract(gone.id, ANN)
    books.turn(corrected=True)
    books.turn(BOB, used=bobs)
    books.memory.count(bobs.id, "hurt", "t1", BOB)  # a turn of Ann's
    for state in (TurnState.CORRECTION, TurnState.UNDONE, TurnState.RUNNING, TurnState.DELETED, TurnState.FAILED):
        books.turn(used=quick, state=state)
    mine = books.seen(ANN)
    weeks = (date(2025, 12, 22), 1), (date(2025, 12, 29), 2)
    assert mine.weeks == tuple(Week(*week) for week in weeks)
    assert mine.taught == {"clarification": 2}
    assert list(mine.corrected) == [Corrected(slow.id, 3, 2)]
    assert [week.helped for week in books.seen(BOB).weeks] == [1]
    with pytest.raises(NoIdentity):
        books.seen(None)  # type: ignore[arg-type]
