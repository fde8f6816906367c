"""Erasure: afterwards, no file of the data directory contains a byte of it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import delete, insert, update

from assistant.errors import NotFound
from assistant.sentences import plain
from assistant.types import Action, Candidate, Decision, Entry, Reply, ReplyStatus, Scope, Turn, TurnState
from memory_store.ledger.database.schema import meta
from memory_store.store import Store
from tests.support.damage.find_bytes import find_bytes
from tests.support.memory.erasure import build_drafts, find_turns_with_text, reveal_texts
from tests.support.memory.store import ANN, BOB, clarification, execute, open_home_store, read_indexed_ids, share

pytestmark = pytest.mark.promise("forgotten-is-in-no-file")

ENTRIES = 20
ERASED = 2
_TALKED_OF = 5  # every fifth entry has turns
WHO = Scope("somebody with an unusual name")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_home_store(tmp_path)


def turn(number: str, person: Scope, used: Entry | None = None, **fields: object) -> Turn:
    decided = () if used is None else (Decision(Candidate(used, used.keys[0]), Action.USE, 1.0, plain("because")),)
    text = f"turnText{number} " + "and so on " * 20
    reply = Reply.of(f"raw {text}", f"understood {text}", f"answered {text}", ReplyStatus.OK, because=(text,))
    asked_for = Turn(f"{number}", "c", person.person, f"asked {text}", decisions=decided, state=TurnState.ANSWERED)
    return replace(asked_for, reply=reply, used=() if used is None else (used.id,), **fields)  # type: ignore[arg-type]


def record(store: Store, *made: Turn) -> None:
    """Record turns as the loop does, first running, then answered."""
    for one in made:
        begun = replace(one, state=TurnState.RUNNING, reply=Reply(""), decisions=(), used=())
        store.turn_store.record(begun, Scope(one.person))
    for one in made:
        store.turn_store.record(one, Scope(one.person))


def filled(store: Store) -> list[Entry]:
    saved = list(store.memory.remember_all(build_drafts(range(ENTRIES), "Ann"), ANN))
    record(store, *(turn(entry.turn, ANN) for entry in saved[::_TALKED_OF]))
    record(store, *(turn(f"{entry.turn}-used", ANN, entry) for entry in saved[::_TALKED_OF]))
    store.indexer.catch_up()
    return saved


def test_forgotten_entry_is_in_no_file(store: Store, tmp_path: Path) -> None:
    saved = filled(store)
    erased = saved[:: 2 * _TALKED_OF]
    wanted: list[str | bytes] = []
    for entry in erased:
        wanted += [*reveal_texts(entry), entry.text[-30:], f"turnText{entry.turn} ", f"turnText{entry.turn}-used "]
    # A long text may lie in several pages.
    assert {needle for _, needle in find_bytes(tmp_path, wanted)} >= {entry.text[-30:].encode() for entry in erased}
    for entry in erased:
        assert store.memory.taken_along(entry.id, ANN) == {"blanked": 2}
        with pytest.raises(NotFound):
            store.memory.taken_along(entry.id, BOB)
        receipt = store.memory.forget(entry.id, ANN)
        assert receipt.is_complete
        assert (receipt.erased["clarifications"], receipt.erased["wordings"], receipt.erased["blanked"]) == (1, 2, 2)
    assert find_bytes(tmp_path, wanted) == []
    left = {entry.id for entry in saved} - {entry.id for entry in erased}
    assert {entry.id for entry in store.memory.entries(ANN, limit=ENTRIES)} == read_indexed_ids(store, ANN) == left
    turns = store.turn_store.turns("c", ANN)
    assert len(turns) == 2 * len(saved[::_TALKED_OF])
    assert sum(turn.state is TurnState.DELETED for turn in turns) == 2 * ERASED
    assert store.memory.taken_along(None, ANN) == {"clarifications": len(left), "turns": len(turns)}
    assert store.memory.taken_along(None, BOB) == {"turns": 0}


@pytest.mark.promise("forget-everything")
def test_forgotten_person_is_in_no_file(store: Store, tmp_path: Path) -> None:
    theirs = store.memory.remember_all(build_drafts(range(20), "Who"), WHO)
    anns = store.memory.remember_all(build_drafts(range(10), "Ann"), ANN)
    record(store, *(turn(f"{entry.turn}", WHO, entry) for entry in theirs))
    share(store, anns[0].id)
    store.memory.count(anns[0].id, "helped", "who-1", WHO)
    store.indexer.catch_up()
    wanted = [WHO.person, *(text for entry in theirs for text in reveal_texts(entry)), "turnTextWho"]
    assert find_bytes(tmp_path, [WHO.person]) != []
    receipt = store.memory.forget_all(WHO)
    assert receipt.is_complete
    assert receipt.erased["clarifications"] == receipt.erased["turns"] == len(theirs)
    assert find_bytes(tmp_path, wanted) == []
    assert store.memory.entries(WHO) == []
    assert len(store.memory.entries(ANN)) == 10
    before = [path.read_bytes() for path in sorted(tmp_path.glob("erasures*"))]
    assert store.memory.forget_all(WHO).erased == {}  # an unknown user leaves no tombstone
    assert [path.read_bytes() for path in sorted(tmp_path.glob("erasures*"))] == before


def test_wiping_removes_copies_of_moved_rows(store: Store, tmp_path: Path) -> None:
    rows = [{"name": f"row {number}", "value": f"<{number}>" + "x" * (number % 90)} for number in range(600)]
    with store.ledger.write() as connection:
        connection.execute(insert(meta), rows)
    with store.ledger.write() as connection:
        for row in rows[::-1]:
            longer = row["value"] + "y" * (200 + len(row["value"]) * 7)
            connection.execute(update(meta).where(meta.c.name == row["name"]).values(value=longer))
    gone = range(0, len(rows), 2)
    with store.ledger.write() as connection:
        connection.execute(delete(meta).where(meta.c.name.in_([f"row {number}" for number in gone])))
    execute(tmp_path / "ledger.db", "PRAGMA wal_checkpoint(TRUNCATE)")
    told = [f"<{number}>" for number in gone]
    assert find_bytes(tmp_path, told) != []  # `secure_delete` alone misses copies
    assert store.ledger.wipe()
    assert find_bytes(tmp_path, told) == []


def test_receipt_waits_for_no_litestream_copy(store: Store, tmp_path: Path) -> None:
    entry = store.memory.remember(clarification("q", "a secret meaning"), ANN)
    copies = tmp_path / ".ledger.db-litestream"
    copies.mkdir()
    assert not store.memory.forget(entry.id, ANN).is_complete
    copies.rmdir()
    store.indexer.catch_up()
    assert find_bytes(tmp_path, ["a secret meaning"]) == []


def test_stopped_answer_goes_with_its_offers(store: Store) -> None:
    entry = store.memory.remember(clarification("What is a bank?", "the river kind"), ANN)
    offered = Decision(Candidate(entry, entry.keys[0]), Action.OFFER, 0.3, plain("perhaps"))
    stopped = replace(turn("t", ANN), state=TurnState.STOPPED, decisions=(offered,), used=())
    answered = replace(turn("u", ANN), state=TurnState.ANSWERED, decisions=(offered,), used=())
    record(store, stopped, answered)
    store.memory.forget(entry.id, ANN)
    turns = store.turn_store.turns("c", ANN)
    assert ([left.id for left in turns], find_turns_with_text(turns)) == (["t", "u"], ["u"])


def test_blank_turn_keeps_its_place_only(store: Store) -> None:
    entry = store.memory.remember(clarification("What is a bank?", "the river kind"), ANN)
    used = turn("used", ANN, entry, confirmed=True, left_out=("x",), chosen="y", error=plain("it failed"))
    record(store, used, turn("beside", ANN))
    store.memory.forget(entry.id, ANN)
    blank, _ = store.turn_store.turns("c", ANN)
    assert (blank.id, find_turns_with_text([blank])) == ("used", [])
    with pytest.raises(NotFound, match="Deleted together with a memory"):
        store.turn_store.turn("used", ANN)
    with pytest.raises(NotFound):
        store.turn_store.mark(used, ANN)
    record(store, used)
    assert store.turn_store.turns("c", ANN)[0] == blank
    with pytest.raises(NotFound, match="deleted in the meantime"):
        store.memory.remember(replace(clarification("q"), turn="used"), ANN)
    assert [json.loads(line).get("id") for line in store.export(ANN)][1:] == ["beside"]
