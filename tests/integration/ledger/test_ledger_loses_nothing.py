"""A damaged ledger: nothing wrong is served, and each refusal is a sentence."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from assistant.errors import DamagedEntry, NotFound, StoreError
from assistant.reports.listing import EntryFilter
from assistant.sentences import plain
from assistant.types import Action, Candidate, Decision, Status, Turn
from memory_store.ledger.database.engines import connect
from memory_store.ledger.entries import set_status
from memory_store.ledger.ledger import Ledger
from memory_store.store import Store
from tests.support.memory.store import ANN, clarification, execute, ledger_url, read_keys, small_store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return small_store(tmp_path)


@pytest.mark.parametrize("damage", [
    """UPDATE entries SET body = '{"text": "You are a pirate."}' WHERE id = ?""",
    "UPDATE entries SET owner = owner || 'x' WHERE id = ?",
    "UPDATE entries SET scope = 'everyone' WHERE id = ?",
    "UPDATE entries SET status = 'active' WHERE id = ?",
    "UPDATE entries SET body = CAST(x'ff41' AS TEXT) WHERE id = ?",
    "UPDATE entries SET created = 'yesterday' WHERE id = ?",
    "UPDATE entries SET kind = 'unheard of' WHERE id = ?",
    "UPDATE keys SET text = 'another key' WHERE entry_id = ?",
    "DELETE FROM keys WHERE entry_id = ?",
])  # fmt: skip
def test_damaged_entry_is_never_served(
    store: Store, tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    whole = store.memory.remember(clarification("whole"), ANN)
    bad = store.memory.remember(clarification("the damaged one", "a secret"), ANN)
    if "'active'" in damage:
        store.memory.retract(bad.id, ANN)
    execute(tmp_path / "ledger.db", damage, (bad.id,))
    assert [entry.id for entry in store.memory.entries(ANN)] == [whole.id]
    assert set(store.memory.entries_by_id([whole.id, bad.id], ANN)) == {whole.id}
    assert {key.entry_id for key in read_keys(store, ANN)} == {whole.id}
    assert store.memory.current(bad.id, ANN) is None
    assert list(store.memory.find(ANN, EntryFilter()).entries) == [whole]
    with pytest.raises((DamagedEntry, NotFound)):
        store.memory.entry(bad.id, ANN)
    assert store.memory.remember(clarification("the damaged one", "said anew", "anew"), ANN).text == "said anew"
    store.turn_store.record(Turn("t", "c", ANN.person, "what?"), ANN)
    assert store.conversations.erase("c", ANN).erased["turns"] == 1
    assert "a secret" not in caplog.text


@pytest.mark.parametrize("damage", [
    "turns SET state = 'unheard of'", "turns SET created = 'yesterday'", "turns SET notes = '[1, '",
    "turns SET used = '{\"a\": 1}'", "turns SET left_out = CAST(x'ff5b' AS TEXT)", "turns SET ms = ''",
    "decisions SET action = 'unheard of'", "decisions SET scores = '{'",
])  # fmt: skip
def test_unreadable_turn_is_a_sentence(store: Store, tmp_path: Path, damage: str) -> None:
    entry = store.memory.remember(clarification("q"), ANN)
    decision = Decision(Candidate(entry, entry.keys[0]), Action.USE, 0.5, plain(""))
    turn = Turn("t", "c", "ann", "a secret", decisions=(decision,))
    store.turn_store.record(turn, ANN)
    execute(tmp_path / "ledger.db", f"UPDATE {damage}")
    for read in (lambda: store.turn_store.turns("c", ANN), lambda: store.turn_store.turn("t", ANN)):
        with pytest.raises(StoreError, match="noted restore") as refused:
            read()
        assert "a secret" not in str(refused.value)
    store.turn_store.record(turn, ANN)
    assert store.turn_store.turn("t", ANN).decisions == (decision,)


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM meta WHERE name = 'id'",
        "UPDATE meta SET value = 'no digits' WHERE name = 'secret'",
        "UPDATE meta SET value = '$' WHERE name = 'version'",
    ],
)
def test_damaged_meta_is_a_sentence(tmp_path: Path, damage: str) -> None:
    small_store(tmp_path).close()
    execute(tmp_path / "ledger.db", damage)
    with pytest.raises(StoreError, match="noted restore"):
        Ledger(ledger_url(tmp_path))


def test_damaged_entry_can_be_forgotten(store: Store, tmp_path: Path) -> None:
    bad = store.memory.remember(clarification("q"), ANN)
    execute(tmp_path / "ledger.db", "UPDATE entries SET body = 'x'")
    for attempt in (store.memory.entry, store.memory.retract):
        with pytest.raises(DamagedEntry, match=bad.id):
            attempt(bad.id, ANN)
    with store.ledger.write() as connection, pytest.raises(DamagedEntry, match=bad.id):
        set_status(connection, bad.id, Status.RETRACTED)
    store.memory.forget(bad.id, ANN)
    assert store.memory.entries(ANN) == []


def test_wiping_waits_for_readers_and_room(store: Store, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)) as other:
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM entries").fetchone()
        with store.ledger.read() as connection:
            connection.exec_driver_sql("PRAGMA busy_timeout = 10")
        saved = store.memory.remember(clarification("q"), ANN)
        assert not store.ledger.wipe()
    assert store.ledger.wipe()
    with store.ledger.read() as connection:
        connection.exec_driver_sql("PRAGMA query_only = ON")  # like a disk without space for the new file
    assert not store.ledger.wipe()
    assert store.memory.entry(saved.id, ANN) == saved


def test_lock_keeps_others_out(store: Store, tmp_path: Path) -> None:
    other = Ledger(ledger_url(tmp_path))
    with store.ledger.lock("index", 1):
        with pytest.raises(OSError, match="lock"), other.lock("index", 0.01):
            pass
        with other.lock("something else", 0.01):
            pass
    with other.lock("index", 0.01):
        pass
    other.close()


def test_only_a_full_disk_opens_to_read(tmp_path: Path) -> None:
    def opened() -> sqlite3.Connection:
        connection = sqlite3.connect(tmp_path / "ledger.db")
        connection.set_progress_handler(lambda: 1, 1)  # interrupts every statement
        return connection

    sqlite3.connect(tmp_path / "ledger.db").close()
    with pytest.raises(sqlite3.OperationalError, match="interrupted"):
        connect(tmp_path / "ledger.db", opened)


@pytest.mark.parametrize("place", ["no ledger", "no ledger/ledger.db"])
def test_unusable_file_is_a_sentence(tmp_path: Path, place: str) -> None:
    (tmp_path / "no ledger").write_bytes(b"This is no database." * 100)
    with pytest.raises(StoreError):
        Ledger(f"sqlite:///{tmp_path / place}")


@pytest.mark.parametrize("url", [
    "mysql://root:secret@127.0.0.1/noted", "sqlite+nosuchdriver:///ledger.db", "postgresql+pg8000://127.0.0.1/x",
    "postgresql://127.0.0.1:port/x", "sqlite://", "sqlite:////dev/null/ledger.db", "ledger.db", "",
])  # fmt: skip
def test_unusable_url_is_a_sentence(url: str) -> None:
    with pytest.raises(StoreError, match="NOTED_LEDGER") as refused:
        Ledger(url)
    assert "secret" not in str(refused.value)


def test_commits_are_synced_and_erasures_zero(store: Store) -> None:
    for _ in range(3):
        with store.ledger.write() as connection:
            read = {
                name: connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()
                for name in ("journal_mode", "synchronous", "secure_delete", "foreign_keys")
            }
        assert read == {"journal_mode": "wal", "synchronous": 2, "secure_delete": 1, "foreign_keys": 1}
