"""Contract of `TurnStore`."""

from dataclasses import replace
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
from memory_store.ledger.database.schema import entries
from memory_store.ledger.ledger import Ledger
from memory_store.turns.turn_store import LedgerTurnStore
from tests.support.memory.store import ANN, BOB, clarification, example

pytestmark = pytest.mark.promise("same-on-postgresql")

FOUND = Sentence("found.meaning", {"key": "“quick”", "sure": 0.5})


@pytest.fixture
def turn_store(ledger: Ledger) -> TurnStore:
    return LedgerTurnStore(ledger)


def a_turn(turn_id: str = "t1", scope: Scope = ANN, conversation: str = "c", entry: Entry | None = None) -> Turn:
    decided: tuple[Decision, ...] = ()
    if entry is not None:
        key = Key("as it was found", KeyOrigin.MODEL)
        decided = (Decision(Candidate(entry, key, {"meaning": 0.75}), Action.OFFER, 0.5, FOUND),)
    further: dict[str, Any] = {"notes": (2, 1), "correction": "a correction", "further": ("it is", {"said": ("so",)})}
    reply = Reply.of("raw <text>", "You want a synonym.", "fast", ReplyStatus.OK, **further)
    return Turn(
        turn_id, conversation, scope.person, "क्या? ' --", created=datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC),
        model="a model", state=TurnState.ANSWERED, reply=reply, decisions=decided, used=("e1", "e2"),
        answers_again="t0", clarified_with="e1", left_out=("e3", "e2"), corrected_by="e1", confirmed=True,
        ms={"recall": 3.5}, usage=Usage(800, 90, told=False, dollars=0.1),
    )  # fmt: skip


def test_turn_names_its_clarification(turn_store: TurnStore, memory: Memory) -> None:
    turns = [replace(a_turn(f"t{number}", scope), corrected_by=None) for number, scope in enumerate((ANN, ANN, BOB))]
    for turn in turns:
        turn_store.record(turn, Scope(turn.person))
    memory.remember(replace(clarification("of another person's turn?"), turn="t2"), ANN)
    memory.remember(example("quick?", turn="t1"), ANN)
    memory.remember(replace(clarification("of no turn that is kept"), turn="t9"), ANN)
    saved = memory.remember(replace(clarification("quick?"), turn="t0"), ANN)
    for _ in range(2):
        corrected_by = [turn_store.turn(turn.id, Scope(turn.person)).corrected_by for turn in turns]
        assert corrected_by == [saved.id, None, None]
        turn_store.mark(turns[0], ANN)  # read before the clarification was stored
        assert memory.remember(replace(clarification("quick?"), turn="t0"), ANN) == saved


def test_turn_is_read_back_as_it_was(turn_store: TurnStore, memory: Memory) -> None:
    entry = memory.remember(clarification("q"), ANN)
    turn = a_turn(entry=entry)
    turn_store.record(turn, ANN)
    assert turn_store.turn("t1", ANN) == turn
    failed = replace(turn, id="t2", usage=None, error=TooLong(9_000, 5).sentence)
    turn_store.record(failed, ANN)
    assert turn_store.turn("t2", ANN) == failed


@pytest.mark.parametrize("marked", [TurnState.RUNNING, TurnState.UNDONE])
def test_recording_again_keeps_what_was_marked(turn_store: TurnStore, memory: Memory, marked: TurnState) -> None:
    entry = memory.remember(clarification("q"), ANN)
    running = replace(a_turn(entry=entry), state=TurnState.RUNNING, corrected_by=None, confirmed=False)
    turn_store.record(running, ANN)
    marks: dict[str, Any] = {"corrected_by": "e9", "confirmed": True, "state": marked}
    other = replace(running, question="other", reply=Reply(raw=""), decisions=(), used=())
    turn_store.mark(replace(other, **marks), ANN)
    assert turn_store.turn("t1", ANN) == replace(running, **marks)
    later = replace(running, state=TurnState.FAILED, error=plain("an error"), decisions=(), reply=Reply("other"))
    turn_store.record(later, ANN)
    state = TurnState.UNDONE if marked is TurnState.UNDONE else TurnState.FAILED
    assert turn_store.turns("c", ANN) == [replace(later, state=state, corrected_by="e9", confirmed=True)]


def test_turns_come_in_the_order_they_began(turn_store: TurnStore) -> None:
    for name, conversation in (("t3", "c"), ("t1", "c"), ("t2", "c"), ("elsewhere", "d"), ("t3", "c")):
        turn_store.record(a_turn(name, conversation=conversation), ANN)
    assert [turn.id for turn in turn_store.turns("c", ANN)] == ["t3", "t1", "t2"]
    assert [turn.id for turn in turn_store.turns("c", ANN, limit=2)] == ["t1", "t2"]
    assert [turn.id for turn in turn_store.turns("c", ANN, limit=1, before="t2")] == ["t1"]


def test_turn_goes_with_what_was_in_view(turn_store: TurnStore, memory: Memory) -> None:
    seen, other = (memory.remember(clarification(text), ANN) for text in ("q", "r"))
    turn = replace(a_turn(entry=seen), used=(), answers_again=None, clarified_with=None, corrected_by=None)
    turn_store.record(replace(turn, reply=turn.reply.with_fields(in_view=(seen.id,))), ANN)
    turn_store.record(replace(turn, id="t2", conversation="d"), ANN)
    memory.forget(other.id, ANN)
    assert [one.id for one in turn_store.turns("c", ANN)] == ["t1"]
    memory.forget(seen.id, ANN)
    assert [(one.id, one.state) for one in turn_store.turns("c", ANN)] == [("t1", TurnState.DELETED)]
    assert [(one.id, one.state) for one in turn_store.turns("d", ANN)] == [("t2", TurnState.ANSWERED)]


def test_decisions_show_present_entries(turn_store: TurnStore, memory: Memory, ledger: Ledger) -> None:
    entry = memory.remember(clarification("q"), ANN)
    turn = a_turn(entry=entry)
    turn_store.record(turn, ANN)
    memory.count(entry.id, "helped", "t1", ANN)
    retracted = memory.retract(entry.id, ANN)
    (decision,) = turn_store.turn("t1", ANN).decisions
    assert (decision.entry.status, decision.entry.helped) == (retracted.status, 1)
    with ledger.write() as connection:
        connection.execute(update(entries).values(body={"text": "damaged"}))
    assert turn_store.turn("t1", ANN).decisions == ()
    memory.forget(entry.id, ANN)
    turn_store.record(turn, ANN)
    assert turn_store.turn("t1", ANN).decisions == ()


def test_another_person_uses_no_turn(turn_store: TurnStore, memory: Memory) -> None:
    turn_store.record(a_turn(), ANN)
    assert turn_store.turns("c", BOB) == []
    with pytest.raises(NotFound):
        turn_store.turn("t1", BOB)
    for attempt in (turn_store.mark, turn_store.record):
        for turn in (a_turn(), a_turn(scope=BOB)):
            with pytest.raises(NotFound):
                attempt(turn, BOB)
    assert turn_store.turn("t1", ANN) == a_turn()
    foreign = memory.remember(clarification("secret"), BOB)
    turn_store.record(a_turn("t2", entry=foreign), ANN)
    assert turn_store.turn("t2", ANN).decisions == ()


@pytest.mark.promise("lessons-are-text")
def test_reply_has_no_control_characters(turn_store: TurnStore) -> None:
    turn_store.record(replace(a_turn(), reply=Reply.of(raw="a\x00\ud800b" * 100_000, answer="\x1b\r\n")), ANN)
    found = turn_store.turn("t1", ANN).reply
    assert (found.raw, found.answer) == ("a\ufffdb" * 100_000, "\n")


def test_turns_with_a_field_come_newest_first(turn_store: TurnStore) -> None:
    for name, conversation in (("t1", "c"), ("t2", "d"), ("t3", "c"), ("t4", "c")):
        turn = a_turn(name, conversation=conversation)
        told: dict[str, dict[str, object]] = {"t1": {"rule": "first"}, "t2": {"rule": "it's “so”"}, "t4": {}}
        reply = turn.reply.with_fields(drafted_lesson=told[name]) if name in told else turn.reply
        turn_store.record(replace(turn, reply=reply), ANN)
    assert [turn.id for turn in turn_store.having("drafted_lesson", ANN)] == ["t2", "t1"]
    (newest,) = turn_store.having("drafted_lesson", ANN, 1)
    assert newest.reply.fields["drafted_lesson"]["rule"] == "it's “so”"
    assert list(turn_store.having("drafted_lesson", BOB)) == list(turn_store.having("no such", ANN)) == []
