"""Forgetting: afterwards no file of the data directory holds a byte of it."""

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lancedb.table import LanceTable
from sqlalchemy import delete, insert, update

from assistant.errors import NotFound, TurnDeleted
from assistant.sentences import plain
from assistant.types import Action, Candidate, Decision, Entry, Reply, ReplyStatus, Scope, Turn, TurnState
from memory_store.ledger.database.schema import meta
from memory_store.maintenance.erasing import Erasing
from memory_store.store import Store
from tests.support.damage.remains import remains
from tests.support.memory.forgotten import drafts, told, with_text
from tests.support.memory.store import (
    ANN,
    BOB,
    LetterPairs,
    clarification,
    example,
    execute,
    indexed_entries,
    near,
    opened,
    share,
)

pytestmark = pytest.mark.promise("forgotten-is-in-no-file")

ENTRIES = 60
ERASED = 4
_TALKED_OF = 5  # every so many entries have turns
WHO = Scope("somebody with an unusual name")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return opened(tmp_path)


def turn(number: str, person: Scope, used: Entry | None = None, **fields: object) -> Turn:
    decided = () if used is None else (Decision(Candidate(used, used.keys[0]), Action.USE, 1.0, plain("because")),)
    text = f"turnText{number} " + "and so on " * 20
    reply = Reply.of(f"raw {text}", f"understood {text}", f"answered {text}", ReplyStatus.OK, because=(text,))
    asked_for = Turn(f"{number}", "c", person.person, f"asked {text}", decisions=decided, state=TurnState.ANSWERED)
    return replace(asked_for, reply=reply, used=() if used is None else (used.id,), **fields)  # type: ignore[arg-type]


def record(store: Store, *made: Turn) -> None:
    """As the loop does: each turn when it begins, and when it is answered, some at a time."""
    for one in made:
        begun = replace(one, state=TurnState.RUNNING, reply=Reply(""), decisions=(), used=())
        store.turn_store.record(begun, Scope(one.person))
    for one in made:
        store.turn_store.record(one, Scope(one.person))


def filled(store: Store) -> list[Entry]:
    saved: list[Entry] = []
    for start in range(0, ENTRIES, 100):
        some = store.memory.remember_all(drafts(range(start, min(start + 100, ENTRIES)), "Ann"), ANN)
        saved += some
        record(store, *(turn(entry.turn, ANN) for entry in some[::_TALKED_OF]))
        record(store, *(turn(f"{entry.turn}-used", ANN, entry) for entry in some[::_TALKED_OF]))
    store.indexer.catch_up()
    return saved


def test_what_was_forgotten_is_in_no_file(store: Store, tmp_path: Path) -> None:
    saved = filled(store)
    chance = random.Random(4)  # noqa: S311
    erased = chance.sample(saved[::_TALKED_OF], ERASED)
    wanted: list[str | bytes] = []
    for entry in erased:
        wanted += told(entry)
        wanted += [f"turnText{entry.turn} ", f"turnText{entry.turn}-used "]
    assert {needle for _, needle in remains(tmp_path, wanted)} >= {entry.text.encode() for entry in erased}
    for entry in erased:
        assert store.memory.taken_along(entry.id, ANN) == {"blanked": 2}
        with pytest.raises(NotFound):
            store.memory.taken_along(entry.id, BOB)
        receipt = store.memory.forget(entry.id, ANN)
        assert receipt.is_complete
        assert (receipt.erased["clarifications"], receipt.erased["wordings"], receipt.erased["blanked"]) == (1, 2, 2)
    assert remains(tmp_path, wanted) == []
    left = {entry.id for entry in saved} - {entry.id for entry in erased}
    assert {entry.id for entry in store.memory.entries(ANN, limit=ENTRIES)} == left
    turns = store.turn_store.turns("c", ANN, 2 * ENTRIES)
    assert len(turns) == 2 * len(saved[::_TALKED_OF])
    assert sum(turn.state is TurnState.DELETED for turn in turns) == 2 * ERASED
    assert store.memory.taken_along(None, ANN) == {"clarifications": len(left), "turns": len(turns)}
    assert store.memory.taken_along(None, BOB) == {"turns": 0}
    assert indexed_entries(store, ANN) == left


@pytest.mark.promise("forget-everything")
def test_of_a_person_who_is_forgotten_nothing_is_left_not_even_the_name(store: Store, tmp_path: Path) -> None:
    theirs = store.memory.remember_all(drafts(range(20), "Who"), WHO)
    anns = store.memory.remember_all(drafts(range(10), "Ann"), ANN)
    record(store, *(turn(f"{entry.turn}", WHO, entry) for entry in theirs))
    share(store, anns[0].id)
    store.memory.count(anns[0].id, "helped", "who-1", WHO)
    store.indexer.catch_up()
    wanted = [WHO.person, *(text for entry in theirs for text in told(entry)), "turnTextWho"]
    assert remains(tmp_path, [WHO.person]) != []
    receipt = store.memory.forget_all(WHO)
    assert receipt.is_complete
    assert receipt.erased["clarifications"] == receipt.erased["turns"] == len(theirs)
    assert remains(tmp_path, wanted) == []
    assert store.memory.entries(WHO) == []
    assert len(store.memory.entries(ANN)) == 10
    assert store.memory.forget_all(WHO).erased == {}


def test_what_was_made_of_it_goes_too_and_what_stood_beside_it_stays(store: Store) -> None:
    entry = store.memory.remember(replace(clarification("What is a bank?", "the river kind"), turn="gave"), ANN)
    edited = store.memory.edit(entry.id, "the kind by the river", ANN)
    used = turn("used", ANN, edited)
    record(store, turn("gave", ANN, corrected_by=entry.id), turn("again", ANN, answers_again="gave"), used)
    record(store, turn("stays", ANN), turn("bobs", BOB))
    kept = store.memory.remember(example(used.question, turn="used"), ANN)
    record(store, turn("shown", ANN, kept))
    draft = replace(clarification("another thing", "the other kind", "beside", wrong="wrong"), turn="used")
    beside = store.memory.remember(draft, ANN)
    receipt = store.memory.forget(entry.id, ANN)
    assert (receipt.erased["clarifications"], receipt.erased["examples"]) == (2, 1)
    assert (receipt.erased["blanked"], receipt.erased["emptied"]) == (4, 1)
    found = store.turn_store.turns("c", ANN)
    assert [turn.id for turn in found] == ["gave", "again", "used", "stays", "shown"]
    assert with_text(found) == ["stays"]
    assert [(found.id, found.wrong_understanding) for found in store.memory.entries(ANN)] == [(beside.id, "")]


def test_copies_that_moving_rows_left_behind_go_with_the_next_sweep(store: Store, tmp_path: Path) -> None:
    chance = random.Random(3)  # noqa: S311
    rows = [{"name": f"row {number}", "value": f"<{number}>" + "x" * chance.randint(5, 100)} for number in range(1_000)]
    with store.ledger.write() as connection:
        connection.execute(insert(meta), rows)
    with store.ledger.write() as connection:
        for row in chance.sample(rows, len(rows)):
            longer = row["value"] + "y" * chance.randint(200, 900)
            connection.execute(update(meta).where(meta.c.name == row["name"]).values(value=longer))
    gone = chance.sample(range(len(rows)), len(rows) // 2)
    with store.ledger.write() as connection:
        connection.execute(delete(meta).where(meta.c.name.in_([f"row {number}" for number in gone])))
    execute(tmp_path / "ledger.db", "PRAGMA wal_checkpoint(TRUNCATE)")
    told = [f"<{number}>" for number in gone]
    assert remains(tmp_path, told) != []  # `secure_delete` is on, and does not see them
    assert store.ledger.wipe()
    assert remains(tmp_path, told) == []


def test_receipt_waits_for_no_copy_of_litestream(store: Store, tmp_path: Path) -> None:
    entry = store.memory.remember(clarification("q", "a secret meaning"), ANN)
    copies = tmp_path / ".ledger.db-litestream"
    copies.mkdir()
    assert not store.memory.forget(entry.id, ANN).is_complete
    copies.rmdir()
    store.indexer.catch_up()
    assert remains(tmp_path, ["a secret meaning"]) == []


def test_nothing_is_kept_of_a_turn_that_was_erased_meanwhile(store: Store) -> None:
    entry = store.memory.remember(clarification("q"), ANN)
    store.turn_store.record(turn("t", ANN), ANN)
    store.memory.forget_all(ANN)
    other = store.memory.remember(clarification("another"), ANN)
    with pytest.raises(NotFound):
        store.memory.count(other.id, "used", "t", ANN)
    with pytest.raises(NotFound, match="forgotten in the meantime"):
        store.memory.remember(replace(clarification("q again"), turn="t"), ANN)
    assert [left.id for left in store.memory.entries(ANN)] == [other.id] != [entry.id]


def test_an_answer_that_was_stopped_goes_with_what_it_may_have_named(store: Store) -> None:
    entry = store.memory.remember(clarification("What is a bank?", "the river kind"), ANN)
    offered = Decision(Candidate(entry, entry.keys[0]), Action.OFFER, 0.3, plain("perhaps"))
    stopped = replace(turn("t", ANN), state=TurnState.STOPPED, decisions=(offered,), used=())
    answered = replace(turn("u", ANN), state=TurnState.ANSWERED, decisions=(offered,), used=())
    record(store, stopped, answered)
    store.memory.forget(entry.id, ANN)
    turns = store.turn_store.turns("c", ANN)
    assert ([left.id for left in turns], with_text(turns)) == (["t", "u"], ["u"])


def test_a_turn_without_text_keeps_its_place_and_nothing_can_be_done_with_it(store: Store) -> None:
    entry = store.memory.remember(clarification("What is a bank?", "the river kind"), ANN)
    used = turn("used", ANN, entry, confirmed=True, left_out=("x",), chosen="y", error=plain("it failed"))
    record(store, used, turn("beside", ANN))
    store.memory.forget(entry.id, ANN)
    blank, _ = store.turn_store.turns("c", ANN)
    assert (blank.id, with_text([blank])) == ("used", [])
    with pytest.raises(TurnDeleted):
        store.turn_store.turn("used", ANN)
    with pytest.raises(NotFound):
        store.turn_store.mark(used, ANN)
    record(store, used)
    assert store.turn_store.turns("c", ANN)[0] == blank
    with pytest.raises(NotFound):
        store.memory.remember(replace(clarification("q"), turn="used"), ANN)
    assert [json.loads(line).get("id") for line in store.export(ANN)][1:] == ["beside"]
    receipt = Erasing(store.ledger).forget_conversation("c", ANN)
    assert (receipt.erased["turns"], store.turn_store.turns("c", ANN)) == (2, [])


def test_who_is_unknown_is_forgotten_without_a_trace(store: Store, tmp_path: Path) -> None:
    before = [path.read_bytes() for path in sorted(tmp_path.glob("erasures*"))]
    assert store.memory.forget_all(WHO).erased == {}
    assert [path.read_bytes() for path in sorted(tmp_path.glob("erasures*"))] == before


def test_searches_go_on_while_the_index_is_written_anew(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    saved = store.memory.remember_all(drafts(range(20), "Ann"), ANN)
    store.indexer.catch_up()
    seen: list[int] = []
    optimize = LanceTable.optimize

    def look_meanwhile(self: LanceTable, **how: Any) -> object:
        seen.append(len(near(store, "which", ANN, LetterPairs())))
        return optimize(self, **how)

    monkeypatch.setattr(LanceTable, "optimize", look_meanwhile)
    store.memory.forget(saved[0].id, ANN)
    assert seen == [19]
