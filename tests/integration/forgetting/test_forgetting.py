"""Erasure: afterwards, no file of the data directory contains a byte of it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import delete, insert, update

from assistant.errors import NotFound
from assistant.sentences import plain
from assistant.types import Entry, Reply, Scope, Turn, TurnState
from memory_store.ledger.database.schema import meta
from memory_store.store import Store
from tests.support.damage.find_bytes import find_bytes
from tests.support.memory.erasure import answered, build_drafts, find_turns_with_text, record, reveal_texts
from tests.support.memory.loop import CERTAIN, RIGHT, Loop
from tests.support.memory.sharing import CURATOR, RULES, end_sharing
from tests.support.memory.store import (
    ANN,
    BOB,
    clarification,
    execute,
    open_home_store,
    read_indexed_ids,
    read_keys,
    share,
)
from ui.page.views import turn_view

pytestmark = pytest.mark.promise("forgotten-is-in-no-file")

ENTRIES = 20
WHO = Scope("somebody with an unusual name")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_home_store(tmp_path)


def test_forgotten_entry_is_in_no_file(store: Store, tmp_path: Path) -> None:
    saved = list(store.memory.remember_all(build_drafts(range(ENTRIES), "Ann"), ANN))
    talked_of = saved[::5]
    turns = [answered(entry.turn, ANN) for entry in talked_of]
    turns += [answered(f"{entry.turn}-used", ANN, used=entry) for entry in talked_of]
    running = {"state": TurnState.RUNNING, "reply": Reply(""), "decisions": (), "used": ()}
    record(store, *(replace(turn, **running) for turn in turns), *turns)  # type: ignore[arg-type]
    store.indexer.catch_up()
    erased = talked_of[::2]
    wanted: list[str | bytes] = []
    for entry in erased:
        wanted += [*reveal_texts(entry), entry.text[-30:]]
        wanted += [f"{text} {entry.turn}{end}" for text in ("raw", "of", "answered", "as") for end in ("", "-used")]
    # A long text may lie in several pages.
    assert {needle for _, needle in find_bytes(tmp_path, wanted)} >= {entry.text[-30:].encode() for entry in erased}
    for entry in erased:
        assert store.memory.taken_along(entry.id, ANN) == {"blanked": 2}
        with pytest.raises(NotFound):
            store.memory.taken_along(entry.id, BOB)
        receipt = store.memory.forget(entry.id, ANN)
        assert receipt.is_complete
        assert (receipt.erased["clarifications"], receipt.erased["blanked"]) == (1, 2)
    assert find_bytes(tmp_path, wanted) == []
    left = {entry.id for entry in saved} - {entry.id for entry in erased}
    assert {entry.id for entry in store.memory.entries(ANN, limit=ENTRIES)} == read_indexed_ids(store, ANN) == left
    found = store.turn_store.turns("c", ANN)
    assert len(found) == 2 * len(talked_of)
    assert sum(turn.state is TurnState.DELETED for turn in found) == 2 * len(erased)
    assert store.memory.taken_along(None, ANN) == {"clarifications": len(left), "turns": len(found)}
    assert store.memory.taken_along(None, BOB) == {"turns": 0}


@pytest.mark.promise("forget-everything")
def test_forgotten_person_is_in_no_file(store: Store, tmp_path: Path) -> None:
    theirs = store.memory.remember_all(build_drafts(range(20), "Who"), WHO)
    anns = store.memory.remember_all(build_drafts(range(10), "Ann"), ANN)
    record(store, *(answered(entry.turn, WHO, used=entry) for entry in theirs))
    share(store, anns[0].id)
    store.memory.count(anns[0].id, "helped", "who-1", WHO)
    store.indexer.catch_up()
    wanted = [WHO.person, *(text for entry in theirs for text in reveal_texts(entry)), "answered Who"]
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


def test_blank_turn_keeps_its_place_only(store: Store) -> None:
    entry = store.memory.remember(clarification("What is a bank?", "the river kind"), ANN)
    used = answered("used", ANN, used=entry)
    used = replace(used, confirmed=True, left_out=("x",), chosen="y", error=plain("it failed"))
    record(store, used, answered("beside", ANN))
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


MEANT, SHARED = "I want the unusual thing", "the wording that everyone gets"


def shared(store: Store) -> tuple[Entry, str]:
    """Return an entry that is shared in other words, and the id of its offer."""
    entry = store.memory.remember(clarification("What is akin to quick?", MEANT), WHO)
    sharing = store.sharing(RULES)
    return entry, sharing.accept(sharing.offer(entry.id, WHO).id, sharing.curator(CURATOR), SHARED).id


def from_memory(turn: Turn) -> list[str]:
    return [decision.entry.text for decision in turn.from_memory]


@pytest.mark.promise("withdrawn-is-gone")
@pytest.mark.parametrize("how", ["withdraw", "decline", "edit", "retract", "supersede", "forget", "forget_all"])
def test_ended_sharing_leaves_nothing(store: Store, tmp_path: Path, how: str) -> None:
    entry, offer = shared(store)
    loop = Loop(store, *[RIGHT] * 12, gate=CERTAIN)
    for number, word in enumerate(("enormous", "happy")):  # the second time from the cache
        assert from_memory(loop.ask(f"What is akin to {word}?", f"b{number}", BOB)) == [SHARED]
    store.indexer.catch_up()
    assert find_bytes(tmp_path, [SHARED]) != []
    end_sharing(store, how, entry, offer)
    assert loop.ask("What is akin to sad?", "b2", BOB).decisions == ()
    assert loop.spliced() == {}
    earlier = [turn for number in range(2) for turn in loop.assistant.turns(f"b{number}", BOB)]
    assert SHARED not in json.dumps([turn_view(turn) for turn in earlier], default=str)
    # Erasing the entry also erases answers with it in the prompt.
    is_forgotten = how.startswith("forget")
    assert [turn.reply.answer for turn in earlier] == ([""] * 2 if is_forgotten else ["fast"] * 2)
    store.indexer.catch_up()
    gone = [SHARED, *([MEANT, offer] if is_forgotten else []), *([WHO.person] if how == "forget_all" else [])]
    assert find_bytes(tmp_path, gone) == []


@pytest.mark.promise("withdrawn-is-gone")
def test_forgotten_curators_decisions_stay(store: Store, tmp_path: Path) -> None:
    entry, _ = shared(store)
    assert find_bytes(tmp_path, [CURATOR.person]) != []
    assert store.memory.forget_all(CURATOR).is_complete
    store.indexer.catch_up()
    assert find_bytes(tmp_path, [CURATOR.person]) == []
    assert store.sharing(RULES).offers_of([entry.id], WHO)[entry.id].state == "accepted"
    assert len(read_keys(store, BOB)) > 0
