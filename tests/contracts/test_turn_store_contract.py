"""Contract of `TurnStore`, and the sequence number of a ledger's last event."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import update

from assistant.errors import NotFound, TooLong
from assistant.model_usage import Usage
from assistant.ports import Memory, TurnStore
from assistant.sentences import Sentence, plain
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
from memory_store.ledger.database.schema import decisions, entries, turns
from memory_store.ledger.ledger import Ledger
from memory_store.store import Store
from memory_store.turns.turn_store import LedgerTurnStore
from tests.support.memory.store import ANN, BOB, clarification, example, ledger_memory, unrelated_clarification

pytestmark = pytest.mark.promise("same-on-postgresql")

FOUND = Sentence("found.meaning", {"key": "“quick”", "sure": 0.5})
BECAUSE = Sentence("practice.bad_line", {"number": 3, "why": FOUND})


@dataclass(frozen=True)
class Books:
    turn_store: TurnStore
    memory: Memory


@pytest.fixture
def books(ledger: Ledger) -> Books:
    return Books(LedgerTurnStore(ledger), ledger_memory(ledger))


def a_turn(turn_id: str = "t1", scope: Scope = ANN, conversation: str = "c", entry: Entry | None = None) -> Turn:
    decided: tuple[Decision, ...] = ()
    if entry is not None:
        key = Key("as it was found", KeyOrigin.MODEL)
        decided = (Decision(Candidate(entry, key, {"meaning": 0.75}), Action.OFFER, 0.5, BECAUSE),)
    further: dict[str, Any] = {"notes": (2, 1), "correction": "a correction", "further": ("it is", {"said": ("so",)})}
    reply = Reply.of("raw <text>", "You want a synonym.", "fast", ReplyStatus.OK, **further)
    return Turn(
        turn_id, conversation, scope.person, "क्या? ' --", created=datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC),
        model="a model", state=TurnState.ANSWERED, reply=reply, decisions=decided, used=("e1", "e2"),
        answers_again="t0", clarified_with="e1", left_out=("e3", "e2"), corrected_by="e1", confirmed=True,
        ms={"recall": 3.5}, usage=Usage(800, 90, told=False, dollars=0.1),
    )  # fmt: skip


def test_turn_names_its_clarification(books: Books) -> None:
    turns = [replace(a_turn(f"t{number}", scope), corrected_by=None) for number, scope in enumerate((ANN, ANN, BOB))]
    for turn in turns:
        books.turn_store.record(turn, Scope(turn.person))
    books.memory.remember(replace(clarification("of another person's turn?"), turn="t2"), ANN)
    books.memory.remember(example("quick?", turn="t1"), ANN)
    books.memory.remember(replace(clarification("of no turn that is kept"), turn="t9"), ANN)
    saved = books.memory.remember(replace(clarification("quick?"), turn="t0"), ANN)
    for _ in range(2):
        corrected_by = [books.turn_store.turn(turn.id, Scope(turn.person)).corrected_by for turn in turns]
        assert corrected_by == [saved.id, None, None]
        books.turn_store.mark(turns[0], ANN)  # read before the clarification was stored
        assert books.memory.remember(replace(clarification("quick?"), turn="t0"), ANN) == saved


def test_turn_is_read_back_as_it_was(books: Books) -> None:
    entry = books.memory.remember(clarification("q"), ANN)
    turn = a_turn(entry=entry)
    books.turn_store.record(turn, ANN)
    assert books.turn_store.turn("t1", ANN) == turn
    unpriced = replace(turn, id="t2", usage=Usage(800, 90, told=True))
    unknown = replace(turn, id="t3", usage=None)
    failed = replace(turn, id="t4", error=TooLong(9_000, 5).sentence)
    for other in (unpriced, unknown, failed):
        books.turn_store.record(other, ANN)
        assert books.turn_store.turn(other.id, ANN) == other


def test_english_of_older_ledgers_is_read(books: Books, ledger: Ledger) -> None:
    books.turn_store.record(a_turn(entry=books.memory.remember(clarification("q"), ANN)), ANN)
    with ledger.write() as connection:
        for table, words in ((turns, {"error": str(NotFound())}), (decisions, {"reason": f"{BECAUSE}"})):
            connection.execute(update(table).values(words))
    turn = books.turn_store.turn("t1", ANN)
    assert (turn.error, turn.decisions[0].reason) == (NotFound().sentence, plain(str(BECAUSE)))


@pytest.mark.parametrize("marked", [TurnState.RUNNING, TurnState.UNDONE])
def test_recording_again_keeps_what_was_marked(books: Books, marked: TurnState) -> None:
    entry = books.memory.remember(clarification("q"), ANN)
    running = replace(a_turn(entry=entry), state=TurnState.RUNNING, corrected_by=None, confirmed=False)
    books.turn_store.record(running, ANN)
    marks: dict[str, Any] = {"corrected_by": "e9", "confirmed": True, "state": marked}
    other = replace(running, question="other", reply=Reply(raw=""), decisions=(), used=())
    books.turn_store.mark(replace(other, **marks), ANN)
    assert books.turn_store.turn("t1", ANN) == replace(running, **marks)
    later = replace(running, state=TurnState.FAILED, error=plain("an error"), decisions=(), reply=Reply("other"))
    books.turn_store.record(later, ANN)
    state = TurnState.UNDONE if marked is TurnState.UNDONE else TurnState.FAILED
    assert books.turn_store.turns("c", ANN) == [replace(later, state=state, corrected_by="e9", confirmed=True)]


def test_marking_while_recording_loses_neither(books: Books) -> None:
    running = replace(a_turn(), state=TurnState.RUNNING, corrected_by=None, confirmed=False)
    answered = replace(running, state=TurnState.ANSWERED, error=plain("error 19"))
    books.turn_store.record(running, ANN)
    together = threading.Barrier(2)

    def record() -> None:
        together.wait()
        for number in range(20):
            books.turn_store.record(replace(answered, error=plain(f"error {number}")), ANN)

    def mark() -> None:
        together.wait()
        for number in range(20):
            books.turn_store.mark(replace(running, corrected_by=f"e{number}", confirmed=True), ANN)

    with ThreadPoolExecutor(2) as threads:
        for done in [threads.submit(record), threads.submit(mark)]:
            done.result()
    assert books.turn_store.turn("t1", ANN) == replace(answered, corrected_by="e19", confirmed=True)


def test_turns_come_in_the_order_they_began(books: Books) -> None:
    for name, conversation in (("t3", "c"), ("t1", "c"), ("t2", "c"), ("elsewhere", "d"), ("t3", "c")):
        books.turn_store.record(a_turn(name, conversation=conversation), ANN)
    assert [turn.id for turn in books.turn_store.turns("c", ANN)] == ["t3", "t1", "t2"]
    assert [turn.id for turn in books.turn_store.turns("c", ANN, limit=2)] == ["t1", "t2"]
    assert [turn.id for turn in books.turn_store.turns("c", ANN, before="t2")] == ["t3", "t1"]
    assert [turn.id for turn in books.turn_store.turns("c", ANN, limit=1, before="t2")] == ["t1"]
    assert list(books.turn_store.turns("c", ANN, before="t3")) == []


def test_turns_with_a_field_come_newest_first(books: Books) -> None:
    for name, conversation in (("t1", "c"), ("t2", "d"), ("t3", "c"), ("t4", "c")):
        turn = a_turn(name, conversation=conversation)
        told: dict[str, dict[str, object]] = {"t1": {"rule": "first"}, "t2": {"rule": "it's “so”"}, "t4": {}}
        reply = turn.reply.with_fields(drafted_lesson=told[name]) if name in told else turn.reply
        books.turn_store.record(replace(turn, reply=reply), ANN)
    assert [turn.id for turn in books.turn_store.having("drafted_lesson", ANN)] == ["t2", "t1"]
    (newest,) = books.turn_store.having("drafted_lesson", ANN, 1)
    assert newest.reply.fields["drafted_lesson"]["rule"] == "it's “so”"
    assert list(books.turn_store.having("drafted_lesson", BOB)) == list(books.turn_store.having("no such", ANN)) == []


def test_turn_goes_with_what_was_in_view(books: Books) -> None:
    seen, other = (books.memory.remember(clarification(text), ANN) for text in ("q", "r"))
    turn = replace(a_turn(entry=seen), used=(), answers_again=None, clarified_with=None, corrected_by=None)
    books.turn_store.record(replace(turn, reply=turn.reply.with_fields(in_view=(seen.id,))), ANN)
    books.turn_store.record(replace(turn, id="t2", conversation="d"), ANN)
    books.memory.forget(other.id, ANN)
    assert [one.id for one in books.turn_store.turns("c", ANN)] == ["t1"]
    books.memory.forget(seen.id, ANN)
    assert [(one.id, one.state) for one in books.turn_store.turns("c", ANN)] == [("t1", TurnState.DELETED)]
    assert [(one.id, one.state) for one in books.turn_store.turns("d", ANN)] == [("t2", TurnState.ANSWERED)]


def test_decisions_show_present_entries(books: Books, ledger: Ledger) -> None:
    entry = books.memory.remember(clarification("q"), ANN)
    turn = a_turn(entry=entry)
    books.turn_store.record(turn, ANN)
    books.memory.count(entry.id, "helped", "t1", ANN)
    retracted = books.memory.retract(entry.id, ANN)
    (decision,) = books.turn_store.turn("t1", ANN).decisions
    assert (decision.entry.status, decision.entry.helped) == (retracted.status, 1)
    with ledger.write() as connection:
        connection.execute(update(entries).values(body={"text": "damaged"}))
    assert books.turn_store.turn("t1", ANN).decisions == ()
    books.memory.forget(entry.id, ANN)
    books.turn_store.record(turn, ANN)
    assert books.turn_store.turn("t1", ANN).decisions == ()


def test_another_person_uses_no_turn(books: Books) -> None:
    books.turn_store.record(a_turn(), ANN)
    assert books.turn_store.turns("c", BOB) == []
    refused: list[Callable[[], object]] = [
        lambda: books.turn_store.turn("t1", BOB),
        lambda: books.turn_store.mark(a_turn(), BOB),
        lambda: books.turn_store.record(a_turn(scope=BOB), BOB),
        lambda: books.turn_store.record(a_turn(), BOB),
        lambda: books.turn_store.mark(a_turn("not there"), ANN),
    ]
    for attempt in refused:
        with pytest.raises(NotFound):
            attempt()
    assert books.turn_store.turn("t1", ANN) == a_turn()
    foreign = books.memory.remember(clarification("secret"), BOB)
    books.turn_store.record(a_turn("t2", entry=foreign), ANN)
    assert books.turn_store.turn("t2", ANN).decisions == ()


@pytest.mark.promise("lessons-are-text")
def test_reply_has_no_control_characters(books: Books) -> None:
    books.turn_store.record(replace(a_turn(), reply=Reply.of(raw="a\x00\ud800b" * 100_000, answer="\x1b\r\n")), ANN)
    found = books.turn_store.turn("t1", ANN).reply
    assert (found.raw, found.answer) == ("a\ufffdb" * 100_000, "\n")


def test_last_change_is_of_now(any_store: Store, any_ledger_url: str) -> None:
    ledger = any_store.ledger
    any_store.turn_store.record(Turn("t", "c", ANN.person, "asked"), ANN)
    assert ledger.last_change() == 0
    saved = any_store.memory.remember(clarification("q"), ANN)
    change = ledger.last_change()
    assert change > 0
    any_store.memory.count(saved.id, "used", "t", ANN)
    assert ledger.last_change() == change
    other = Ledger(any_ledger_url)
    ledger_memory(other).remember(unrelated_clarification("of another process"), ANN)
    assert change < ledger.last_change() == other.last_change()
    other.close()
    ledger.close()
    assert ledger.last_change() > change  # a closed ledger reopens
