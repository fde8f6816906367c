"""Contract of `Insights`: each number equals a count by hand."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from assistant.errors import NoIdentity
from assistant.model_usage import Usage
from assistant.reports.insights import ENOUGH, Overview, Tally, Worked
from assistant.sharing import Curator
from assistant.types import Entry, Reply, ReplyStatus, Scope, Turn, TurnState
from memory_store.ledger.ledger import Ledger
from memory_store.turns.insights import overview
from memory_store.turns.spending import LedgerSpending
from memory_store.turns.turns import LedgerTurnStore
from tests.support.memory.store import ANN, BOB, begun, ledger_memory, unlike

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
CORA = Curator(Scope("cora"), frozenset({"cora"}))
MS = {"recall": 10.0, "gate": 2.0, "prompt": 3.0, "first_token": 100.0, "model": 400.0, "total": 420.0}


class Books:
    """A ledger, and helpers to write to it."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger, self.recorded = ledger, 0
        self.turn_store, self.memory = LedgerTurnStore(ledger), ledger_memory(ledger)

    def turn(
        self, scope: Scope = ANN, used: Entry | None = None, reaction: str = "", corrected: bool = False, **fields: Any
    ) -> None:
        self.recorded += 1
        turn = Turn(
            f"t{self.recorded}", "c", scope.person, "q", created=BEGAN + timedelta(minutes=self.recorded),
            reply=Reply.of("raw", "u", "a", ReplyStatus.OK), used=(used.id,) if used else (),
            corrected_by="e" if corrected else None, **{"state": TurnState.ANSWERED} | fields,
        )  # fmt: skip
        self.turn_store.record(turn, scope)
        if used:
            for event in filter(None, ("used", reaction)):
                self.memory.count(used.id, event, turn.id, scope)

    def seen(self, of: Scope | Curator) -> Overview:
        return overview(self.ledger, of)


@pytest.fixture
def books(any_ledger_url: str) -> Iterator[Books]:
    ledger = Ledger(begun(any_ledger_url), lambda: BEGAN)
    yield Books(ledger)
    ledger.close()


def test_numbers_are_those_counted_by_hand(books: Books) -> None:
    quick, slow, _, bobs = (
        books.memory.remember(unlike(name), scope)
        for name, scope in (("quick", ANN), ("slow", ANN), ("unused", ANN), ("of Bob", BOB))
    )
    books.turn(used=quick, reaction="helped")
    books.turn(used=quick)
    books.turn(used=slow, reaction="hurt", corrected=True)
    books.turn(corrected=True, state=TurnState.STOPPED)
    books.turn(BOB, used=bobs)
    books.turn(answers_again="t3")  # the following turns are not questions
    for state in (TurnState.CORRECTION, TurnState.UNDONE, TurnState.RUNNING, TurnState.DELETED, TurnState.FAILED):
        books.turn(state=state)
    mine, whole = books.seen(ANN), books.seen(CORA)
    (stretch,) = mine.stretches
    assert (stretch.with_memory, stretch.without) == (Tally(3, 1), Tally(1, 1))
    assert (stretch.began, stretch.ended) == (BEGAN + timedelta(minutes=1), BEGAN + timedelta(minutes=4))
    assert (mine.all, mine.people, mine.saved, mine.remembered) == (Tally(4, 2), 1, 2, 3)
    assert (mine.used, mine.helped, mine.hurt) == (3, 1, 1)
    assert list(mine.worked) == [Worked(quick.id, 2, 1, 0), Worked(slow.id, 1, 0, 1)]
    assert (whole.all, whole.people, whole.saved, whole.remembered) == (Tally(5, 2), 2, 3, 4)
    assert (whole.used, list(whole.worked)) == (4, [])


def test_few_questions_have_no_rate(books: Books) -> None:
    assert books.seen(ANN) == books.seen(CORA) == Overview()
    assert [Tally(questions, 1).per_twenty for questions in (0, 1, ENOUGH - 1, ENOUGH)] == [None, None, None, 4.0]


def test_only_a_curator_sees_spending(books: Books) -> None:
    with pytest.raises(NoIdentity):
        books.seen(None)  # type: ignore[arg-type]
    LedgerSpending(books.ledger, 5.0, lambda: BEGAN)(0.25)
    assert [(spent.day, spent.dollars) for spent in books.seen(CORA).spent] == [("2026-01-01", 0.25)]
    assert books.seen(ANN).spent == ()


def test_usage_of_answers_is_averaged(books: Books) -> None:
    damaged: Any = "ten"
    for usage in (
        Usage(100, 10, told=True, dollars=0.25), Usage(300, 30, told=False), None, Usage(damaged, 2, told=True),
    ):  # fmt: skip
        books.turn(usage=usage)
    books.turn(state=TurnState.STOPPED, usage=Usage(9_000, 900, told=True))
    books.turn(BOB, usage=Usage(500, 50, told=True, dollars=0.75))
    mine, whole = books.seen(ANN).taken, books.seen(CORA).taken
    assert (mine.answers, mine.priced, mine.told, mine.prompt, mine.reply) == (2, 1, 1, 200, 20)
    assert (mine.dollars, mine.each) == (0.25, 0.25)
    assert (whole.answers, whole.prompt, whole.dollars, whole.each) == (3, 300, 1.0, 0.5)


def test_times_are_split_and_damage_is_skipped(books: Books) -> None:
    damaged: Any = "a damaged value"
    books.turn(ms=MS)
    books.turn(ms=MS | {"model": damaged})
    times = books.seen(ANN).times
    assert (times.answers, times.median, times.slowest) == (2, 420.0, 420.0)
    parts = {"recall": 10.0, "gate": 2.0, "prompt": 3.0, "first_token": 50.0, "writing": 150.0, "rest": 205.0}
    assert times.parts == parts
