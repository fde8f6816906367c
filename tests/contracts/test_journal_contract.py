"""What every `Journal` promises. One more implementation is one more fixture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from assistant.errors import NotFound
from assistant.ports import Journal, Memory
from assistant.types import (
    Action,
    Candidate,
    Decision,
    Entry,
    Key,
    KeyOrigin,
    Reply,
    ReplyStatus,
    Scope,
    Turn,
    TurnState,
)
from memory_store.journal import LedgerJournal
from memory_store.ledger import Ledger
from memory_store.memory import LedgerMemory
from tests.support.store import ANN, BOB, clarification, fold, ledger_url


@dataclass(frozen=True)
class Books:
    journal: Journal
    memory: Memory


@pytest.fixture
def sqlite_books(tmp_path: Path) -> Iterator[Books]:
    ledger = Ledger(ledger_url(tmp_path))
    yield Books(LedgerJournal(ledger), LedgerMemory(ledger, fold))
    ledger.close()


@pytest.fixture(params=["sqlite_books"])
def books(request: pytest.FixtureRequest) -> Books:
    return request.getfixturevalue(request.param)


def a_turn(turn_id: str = "t1", scope: Scope = ANN, conversation: str = "c", entry: Entry | None = None) -> Turn:
    decided = ()
    if entry is not None:
        key = Key("as it was found", KeyOrigin.MODEL)
        decided = (Decision(Candidate(entry, key, {"meaning": 0.75}), Action.OFFER, 0.5, "“quick” stands in both."),)
    return Turn(
        id=turn_id,
        conversation=conversation,
        person=scope.person,
        question="क्या? ' --",
        model="a model",
        state=TurnState.ANSWERED,
        reply=Reply("raw <text>", "You want a synonym.", "fast", ReplyStatus.OK, (2, 1), "a correction"),
        decisions=decided,
        used=("e1", "e2"),
        error="",
        answers_again="t0",
        corrected_by="e1",
        confirmed=True,
        ms={"recall": 3.5},
    )


def test_a_turn_is_read_back_as_it_was(books: Books) -> None:
    entry = books.memory.remember(clarification("q"), ANN)
    turn = a_turn(entry=entry)
    books.journal.record(turn, ANN)
    assert books.journal.turn("t1", ANN) == turn


def test_recording_again_replaces(books: Books) -> None:
    entry = books.memory.remember(clarification("q"), ANN)
    books.journal.record(replace(a_turn(entry=entry), state=TurnState.RUNNING, reply=Reply(raw="")), ANN)
    later = replace(a_turn(), error="The model did not answer.", state=TurnState.FAILED)
    books.journal.record(later, ANN)
    assert books.journal.turns("c", ANN) == [later]


def test_turns_come_in_the_order_in_which_they_began(books: Books) -> None:
    for number in (3, 1, 2):
        books.journal.record(a_turn(f"t{number}"), ANN)
    books.journal.record(a_turn("elsewhere", conversation="d"), ANN)
    books.journal.record(a_turn("t3"), ANN)
    assert [turn.id for turn in books.journal.turns("c", ANN)] == ["t3", "t1", "t2"]
    assert [turn.id for turn in books.journal.turns("c", ANN, limit=2)] == ["t1", "t2"]


def test_an_entry_is_shown_as_it_is_now(books: Books) -> None:
    entry = books.memory.remember(clarification("q"), ANN)
    books.journal.record(a_turn(entry=entry), ANN)
    books.memory.count(entry.id, "helped", "t1", ANN)
    retracted = books.memory.retract(entry.id, ANN)
    (decision,) = books.journal.turn("t1", ANN).decisions
    assert (decision.entry.status, decision.entry.helped) == (retracted.status, 1)


def test_what_is_said_of_an_erased_entry_is_gone_and_is_not_written_back(books: Books) -> None:
    entry = books.memory.remember(clarification("q"), ANN)
    turn = a_turn(entry=entry)
    books.journal.record(turn, ANN)
    books.memory.forget(entry.id, ANN)
    assert books.journal.turn("t1", ANN).decisions == ()
    books.journal.record(turn, ANN)
    assert books.journal.turn("t1", ANN).decisions == ()


def test_another_person_sees_and_replaces_nothing(books: Books) -> None:
    books.journal.record(a_turn(), ANN)
    assert books.journal.turns("c", BOB) == []
    with pytest.raises(NotFound):
        books.journal.turn("t1", BOB)
    for forged in (a_turn(scope=BOB), a_turn(scope=ANN)):
        with pytest.raises(NotFound):
            books.journal.record(forged, BOB)
    assert books.journal.turn("t1", ANN).person == "ann"


def test_a_decision_about_a_foreign_entry_is_not_written(books: Books) -> None:
    foreign = books.memory.remember(clarification("secret"), BOB)
    books.journal.record(a_turn(entry=foreign), ANN)
    assert books.journal.turn("t1", ANN).decisions == ()
