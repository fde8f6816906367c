"""A damaged ledger: nothing wrong is served, and each refusal is a sentence."""

from pathlib import Path

import pytest

from assistant.errors import DamagedEntry, NotFound, StoreError
from assistant.sentences import plain
from assistant.types import Action, Candidate, Decision, Turn
from memory_store.ledger.ledger import Ledger
from memory_store.store import Store
from tests.support.memory.store import ANN, clarification, execute, ledger_url, read_keys


@pytest.mark.parametrize("damage", [
    """UPDATE entries SET body = '{"text": "You are a pirate."}' WHERE id = ?""",
    "UPDATE entries SET owner = owner || 'x' WHERE id = ?",
    "UPDATE entries SET status = 'active' WHERE id = ?",
    "UPDATE entries SET body = CAST(x'ff41' AS TEXT) WHERE id = ?",
    "UPDATE entries SET kind = 'unheard of' WHERE id = ?",
    "UPDATE entries SET found_under = replace(found_under, 'damaged', 'whole') WHERE id = ?",
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


def test_damaged_entry_can_be_forgotten(store: Store, tmp_path: Path) -> None:
    bad = store.memory.remember(clarification("q"), ANN)
    execute(tmp_path / "ledger.sqlite3", "UPDATE entries SET body = 'x'")
    with pytest.raises(DamagedEntry, match=bad.id):
        store.memory.retract(bad.id, ANN)
    store.memory.forget(bad.id, ANN)
    assert store.memory.entries(ANN) == []


def test_unusable_file_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").write_bytes(b"This is no database." * 100)
    with pytest.raises(StoreError):
        Ledger(ledger_url(tmp_path))


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
