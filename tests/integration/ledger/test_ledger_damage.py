"""A damaged, removed or replaced ledger: no wrong entry is served, nothing is lost, and a plain sentence reports it."""

import json
import random
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from assistant.errors import DamagedEntry, NotedError, NotFound, StoreError
from assistant.sentences import plain
from assistant.types import Action, Candidate, Decision, Entry, Key, KeyOrigin, Scope, Turn
from memory_store.ledger.ledger import Ledger
from memory_store.maintenance.backup import check_ledger
from memory_store.store import Store
from tests.support.commands import Commands
from tests.support.memory.store import (
    ANN,
    BOB,
    LetterPairEmbedder,
    build_retriever,
    clarification,
    execute,
    ledger_url,
    open_home_store,
    open_store,
    read_keys,
    share,
    small_store,
    unrelated_clarification,
)
from ui.server.request_policy import HealthMiddleware

FLIPS = 6
ENTRIES = 12
GONE = "removed or replaced while Noted was running"


@dataclass(frozen=True)
class Truth:
    folder: Path
    entries: dict[str, Entry]


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> Truth:
    folder = tmp_path_factory.mktemp("whole")
    store = small_store(folder)
    for number in range(ENTRIES):
        draft = clarification(f"question {number} {'x' * 37 * number}", further=[Key("further", KeyOrigin.MODEL)])
        entry = store.memory.remember(draft, ANN)
        decision = Decision(Candidate(entry, entry.keys[0]), Action.USE, 0.5, plain("It is the same."))
        store.turn_store.record(Turn(f"turn {number}", "c", "ann", f"question {number}", decisions=(decision,)), ANN)
        store.memory.count(entry.id, "helped", f"turn {number}", ANN)
    store.memory.remember(clarification("what nobody else may see"), BOB)
    share(store, store.memory.entries(ANN)[3].id)
    store.memory.edit(store.memory.entries(ANN)[5].id, "I meant an antonym", ANN)
    store.ledger.wipe()
    found = {entry.id: entry for person in (ANN, BOB) for entry in store.memory.entries(person)}
    store.close()
    return Truth(folder, found)


@pytest.mark.promise("ledger-damage-is-contained")
@pytest.mark.parametrize("number", range(FLIPS))
def test_flipped_bit_serves_nothing_wrong(truth: Truth, tmp_path: Path, number: int) -> None:
    content = bytearray((truth.folder / "ledger.db").read_bytes())
    chance = random.Random(number)  # noqa: S311 - no secret, only the same numbers each time
    # A nonzero byte: most zeros are unused space.
    content[chance.choice([place for place, byte in enumerate(content) if byte])] ^= 1 << chance.randrange(8)
    (tmp_path / "ledger.db").write_bytes(content)
    with suppress(StoreError):
        store = small_store(tmp_path)
        if number % 3 == 0:
            with suppress(NotedError):
                store.indexer.catch_up()
        use(store, truth)


def use(store: Store, truth: Truth) -> None:
    """Read as each user in each way, then change what users and background jobs may change."""
    served = {entry.id for person in (ANN, BOB) for entry in reading(store, truth, person)}
    missing = truth.entries.keys() - served
    assert not missing or check_ledger(store.ledger, lambda line: None)[1], missing
    memory, ids = store.memory, list(truth.entries)
    changes: list[Callable[[], object]] = [
        lambda: memory.remember(clarification("a new question"), ANN),
        lambda: store.turn_store.turns("c", ANN),
        lambda: store.turn_store.record(Turn("new", "c", "ann", "q"), ANN),
        lambda: memory.edit(ids[2], "other words", ANN),
        lambda: memory.count(ids[4], "used", "t", ANN),
        lambda: memory.retract(ids[6], ANN),
        lambda: memory.forget(ids[8], ANN),
        store.key_work.wanting,
    ]
    for change in changes:
        with suppress(NotedError):
            change()
    store.close()


def reading(store: Store, truth: Truth, person: Scope) -> list[Entry]:
    """Return the entries that a user gets; assert that each is unchanged and readable."""
    readable = {entry_id for entry_id, entry in truth.entries.items() if person.may_read(entry)}
    found = [candidate.entry for candidate in build_retriever(store, seconds=0)("question 3", person)]
    with suppress(NotedError):
        found += store.memory.entries(person)
    with suppress(NotedError):
        found += store.memory.entries_by_id(truth.entries, person).values()
    with suppress(NotedError):
        assert {key.entry_id for key in read_keys(store, person)} <= readable
    assert {entry.id for entry in found} <= readable
    for entry in found:
        known = truth.entries[entry.id]
        assert entry == replace(known, used=entry.used, helped=entry.helped, hurt=entry.hurt)
    return found


@pytest.mark.promise("ledger-damage-is-contained")
@pytest.mark.parametrize("lost", ["entries", "entries_by_owner", "meta", "the page of a text"])
def test_lost_page_is_a_sentence(truth: Truth, tmp_path: Path, lost: str) -> None:
    ledger = Path(shutil.copy(truth.folder / "ledger.db", tmp_path))
    content = bytearray(ledger.read_bytes())
    ((page_size,),) = execute(ledger, "PRAGMA page_size")
    found = execute(ledger, "SELECT rootpage FROM sqlite_master WHERE name = ?", (lost,))
    start = (found[0][0] - 1) * page_size if found else content.index(b"I meant a synonym") // page_size * page_size
    content[start : start + page_size] = b"\xa5" * page_size
    ledger.write_bytes(content)
    try:
        store = small_store(tmp_path)
    except StoreError as error:
        sentence = str(error)
    else:
        told = store.verify(lambda line: None)
        sentence = str(told.ledger)
        assert not told.is_right
        use(store, truth)
    assert "noted restore" in sentence or "missing from index" in sentence


@pytest.mark.parametrize("damage", [
    """UPDATE entries SET body = '{"text": "You are a pirate."}' WHERE id = ?""",
    "UPDATE entries SET owner = owner || 'x' WHERE id = ?",
    "UPDATE entries SET status = 'active' WHERE id = ?",
    "UPDATE entries SET body = CAST(x'ff41' AS TEXT) WHERE id = ?",
    "UPDATE entries SET kind = 'unheard of' WHERE id = ?",
    "UPDATE entries SET found_under = '[5' WHERE id = ?",
])  # fmt: skip
def test_damaged_entry_is_never_served(
    store: Store, tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    whole = store.memory.remember(clarification("whole"), ANN)
    bad = store.memory.remember(clarification("the damaged one", "a secret"), ANN)
    if "'active'" in damage:
        store.memory.retract(bad.id, ANN)
    execute(tmp_path / "ledger.sqlite3", damage, (bad.id,))
    assert [entry.id for entry in store.memory.entries(ANN)] == [whole.id]
    assert set(store.memory.entries_by_id([whole.id, bad.id], ANN)) == {whole.id}
    assert {key.entry_id for key in read_keys(store, ANN)} == {whole.id}
    assert store.memory.current(bad.id, ANN) is None
    with pytest.raises((DamagedEntry, NotFound)):
        store.memory.entry(bad.id, ANN)
    assert store.memory.remember(clarification("the damaged one", "said anew", "anew"), ANN).text == "said anew"
    store.turn_store.record(Turn("t", "c", ANN.person, "what?"), ANN)
    assert store.conversations.erase("c", ANN).erased["turns"] == 1
    if "pirate" in damage:
        with pytest.raises(DamagedEntry, match=bad.id):
            store.memory.retract(bad.id, ANN)
        assert store.memory.forget(bad.id, ANN).erased["clarifications"] == 1
    assert "a secret" not in caplog.text


@pytest.mark.parametrize("damage", [
    "turns SET state = 'unheard of'", "turns SET created = 'yesterday'", "turns SET notes = '[1, '",
    "turns SET left_out = CAST(x'ff5b' AS TEXT)", "decisions SET action = 'unheard of'",
])  # fmt: skip
def test_unreadable_turn_is_a_sentence(store: Store, tmp_path: Path, damage: str) -> None:
    entry = store.memory.remember(clarification("q"), ANN)
    decision = Decision(Candidate(entry, entry.keys[0]), Action.USE, 0.5, plain(""))
    turn = Turn("t", "c", "ann", "a secret", decisions=(decision,))
    store.turn_store.record(turn, ANN)
    execute(tmp_path / "ledger.sqlite3", f"UPDATE {damage}")
    for read in (lambda: store.turn_store.turns("c", ANN), lambda: store.turn_store.turn("t", ANN)):
        with pytest.raises(StoreError, match="noted restore") as refused:
            read()
        assert "a secret" not in str(refused.value)
    store.turn_store.record(turn, ANN)
    assert store.turn_store.turn("t", ANN).decisions == (decision,)


@pytest.mark.parametrize("url", [
    "mysql://root:secret@127.0.0.1/noted", "sqlite+nosuchdriver:///ledger.db", "postgresql+pg8000://127.0.0.1/x",
    "postgresql://127.0.0.1:port/x", "sqlite://", "sqlite:////dev/null/ledger.db", "ledger.db", "",
])  # fmt: skip
def test_unusable_url_is_a_sentence(url: str) -> None:
    with pytest.raises(StoreError, match="NOTED_LEDGER") as refused:
        Ledger(url)
    assert "secret" not in str(refused.value)


def test_commits_are_synced_and_erasures_zero(store: Store) -> None:
    expected = {"journal_mode": "wal", "synchronous": 2, "secure_delete": 1, "foreign_keys": 1}
    with store.ledger.write() as connection:
        read = {name: connection.exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in expected}
    assert read == expected


@pytest.mark.promise("removed-ledger-is-noticed")
@pytest.mark.parametrize("how", ["removed", "replaced"])
def test_removed_ledger_saves_nothing(tmp_path: Path, how: str) -> None:
    store = open_home_store(tmp_path)
    health = TestClient(HealthMiddleware(Starlette(), store.ledger.check))
    kept = store.memory.remember(unrelated_clarification("before"), ANN)
    assert health.get("/healthz").status_code == 200
    (tmp_path / "ledger.db").rename(tmp_path / "aside")
    if how == "replaced":
        shutil.copy(tmp_path / "aside", tmp_path / "ledger.db")
    with pytest.raises(StoreError, match=GONE):
        store.memory.remember(unrelated_clarification("after"), ANN)
    with pytest.raises(StoreError, match=GONE):
        store.memory.forget(kept.id, ANN)
    with suppress(StoreError):
        assert list(store.memory.entries(ANN)) == [kept]
    assert health.get("/healthz").status_code == 503
    assert (tmp_path / "ledger.db").exists() == (how == "replaced")
    (tmp_path / "ledger.db").unlink(missing_ok=True)
    (tmp_path / "aside").rename(tmp_path / "ledger.db")
    store.memory.remember(unrelated_clarification("after"), ANN)
    assert health.get("/healthz").status_code == 200
    store.close()
    assert len(open_home_store(tmp_path).memory.entries(ANN)) == 2


def test_unmakable_index_is_not_right(tmp_path: Path) -> None:
    store = open_store(ledger_url(tmp_path), "/dev/null/x/index", LetterPairEmbedder())
    store.memory.remember(clarification("q"), ANN)
    found = store.verify(lambda line: None)
    assert (found.is_right, found.index_is_right, found.ledger) == (False, False, ())


def test_command_mends_and_names_damage(here: Commands, tmp_path: Path) -> None:
    here.run("ask", "What is akin to quick?")
    here.run("clarify", "I want a word with the same meaning")
    shutil.rmtree(tmp_path / "index")
    shown = here.run("verify").stdout
    assert "rebuilt from the ledger" in shown
    assert shown.endswith("Everything is intact. Entries: 1.\n")
    assert here.run("verify").stdout == "Everything is intact. Entries: 1.\n"
    (entry,) = here.json("list")["entries"]
    (ledger,) = tmp_path.glob("*.sqlite3")
    execute(ledger, """UPDATE entries SET body = '{"text": "You are a pirate."}'""")
    shown = here.run("verify", status=1).stdout
    assert f"Damaged: entry {entry['entry']}: it is not what was saved.\n" in shown
    assert "noted restore" in shown
    assert "pirate" not in shown
    told = json.loads(here.run("verify", "--json", status=1).stdout)
    assert (told["right"], told["entries"]) == (False, 1)
    assert told["damaged"] == [f"entry {entry['entry']}: it is not what was saved"]
