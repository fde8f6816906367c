"""Backup and restore: consistent during writes, damaged files are refused, erased data stays erased."""

import os
import zipfile
from collections.abc import Iterator
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest

from assistant.settings import Settings
from assistant.sharing import OfferState
from memory_store.maintenance.backup import InvalidBackup, LedgerInUse, restore_backup
from tests.support.damage.find_bytes import find_bytes
from tests.support.memory.sharing import CURATOR, RULES
from tests.support.memory.store import (
    ANN,
    BOB,
    assert_same_keys,
    clarification,
    ledger_url,
    open_home_store,
    open_store,
    read_indexed_ids,
    read_keys,
)
from tests.support.servers.processes import FORKED

pytestmark = pytest.mark.promise("backups-are-consistent")

BACKUPS = 3


def restore(folder: Path, file: Path) -> int:
    places = {"NOTED_HOME": str(folder), "NOTED_LEDGER": ledger_url(folder), "NOTED_INDEX": str(folder / "index")}
    return restore_backup(Settings.load(places), file)[1]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "home").mkdir()
    yield tmp_path / "home"
    assert [path.name for path in tmp_path.rglob(".noted-*")] == []


def test_restore_brings_back_ledger_and_index(home: Path, tmp_path: Path) -> None:
    store = open_home_store(home)
    kept = store.memory.remember(clarification("kept"), ANN)
    assert store.backup(tmp_path / "backup").entries == 1
    assert (tmp_path / "backup").stat().st_mode & 0o777 == 0o600
    store.memory.remember(clarification("later"), ANN)
    store.indexer.catch_up()
    store.close()
    (home / "ledger.db").write_bytes(b"This is no database." * 300)
    (home / "ledger.db-wal").write_bytes(os.urandom(5_000))
    assert restore(home, tmp_path / "backup") == 0
    assert (home / "ledger.db").stat().st_mode & 0o777 == 0o600
    store = open_home_store(home)
    assert [entry.id for entry in store.memory.entries(ANN)] == [kept.id]
    store.indexer.catch_up()
    assert read_indexed_ids(store, ANN) == {kept.id}


@pytest.mark.parametrize("by_hand", [False, True])
def test_restore_erases_again(home: Path, tmp_path: Path, *, by_hand: bool) -> None:
    store = open_home_store(home)
    secret = store.memory.remember(clarification("a secret question", "a secret meaning"), ANN)
    kept = store.memory.remember(clarification("kept"), ANN)
    store.memory.remember(clarification("bobs secret"), BOB)
    (gone, revoked), (_, valid) = store.tokens.make(ANN), store.tokens.make(ANN)
    sharing = store.sharing(RULES)
    sharing.accept(sharing.offer(kept.id, ANN).id, sharing.curator(CURATOR))
    store.backup(tmp_path / "backup")
    store.memory.forget(secret.id, ANN)
    store.memory.forget_all(BOB)
    store.tokens.revoke(gone.id, ANN)
    sharing.withdraw(kept.id, ANN)
    anew = store.memory.remember(clarification("bob is back"), BOB)
    store.backup(tmp_path / "later")
    store.close()
    if by_hand:
        with zipfile.ZipFile(tmp_path / "backup") as archive:
            archive.extract("ledger.sqlite3", tmp_path)
        (tmp_path / "ledger.sqlite3").replace(home / "ledger.db")
    else:
        assert restore(home, tmp_path / "backup") == 4
    store = open_home_store(home)
    store.indexer.catch_up()
    assert_same_keys(store, ANN, BOB)
    assert find_bytes(home, ["a secret question", "a secret meaning", "bobs secret", BOB.person]) == []
    assert [entry.id for entry in store.memory.entries(ANN)] == [kept.id]
    assert [store.tokens.person(token) for token in (revoked, valid)] == [None, ANN.person]
    assert {key.entry_id for key in read_keys(store, BOB)} == set()
    assert store.sharing(RULES).offers_of([kept.id], ANN)[kept.id].state is OfferState.WITHDRAWN
    store.close()
    restore(home, tmp_path / "later")
    assert [entry.id for entry in open_home_store(home).memory.entries(BOB)] == [anew.id]


def write_until(folder: Path, stop: Event) -> None:
    """Save pairs of entries, each in one transaction, in a process of its own."""
    store = open_store(ledger_url(folder), str(folder / "index"), None)
    number = 0
    while not stop.is_set():
        number += 1
        pair = [clarification(f"{number} {half} {os.urandom(4).hex()}", os.urandom(9).hex()) for half in "ab"]
        store.memory.remember_all(pair, ANN)
    store.close()


def test_backup_during_writes_is_consistent(home: Path, tmp_path: Path) -> None:
    open_home_store(home).close()
    stop = FORKED.Event()
    writer = FORKED.Process(target=write_until, args=(home, stop))
    writer.start()
    store = open_home_store(home)
    held = [7]
    for number in range(BACKUPS):
        while len(store.memory.entries(ANN, limit=100_000)) <= held[-1]:
            pass  # so that each backup differs from the previous one
        store.backup(tmp_path / f"backup{number}")
        acknowledged = len(store.memory.entries(ANN, limit=100_000))
        other = tmp_path / f"home{number}"
        restore(other, tmp_path / f"backup{number}")
        copy = open_home_store(other)
        questions = [entry.question.rsplit(" ", 1)[0] for entry in copy.memory.entries(ANN, limit=100_000)]
        halves = [{question[:-1] for question in questions if question.endswith(half)} for half in "ab"]
        assert halves[0] == halves[1]
        held.append(len(questions))
        assert held[-1] <= acknowledged
        copy.close()
    stop.set()
    writer.join()
    store.close()
    assert held == sorted(set(held))


def test_open_ledger_is_not_replaced(home: Path, tmp_path: Path) -> None:
    left = home / ".noted-restore-abc"  # of a killed restore
    left.mkdir()
    (left / "ledger.sqlite3").write_text("what was erased since")
    store = open_home_store(home)
    assert not left.exists()
    store.memory.remember(clarification("q"), ANN)
    store.backup(tmp_path / "backup")
    store.memory.remember(clarification("later"), ANN)
    with pytest.raises(LedgerInUse):
        restore(home, tmp_path / "backup")
    assert len(store.memory.entries(ANN)) == 2


def test_damaged_backup_changes_nothing(home: Path, tmp_path: Path) -> None:
    store = open_home_store(home)
    for _ in range(5):  # no runs of zeros, in which a flipped bit of the zip file may change nothing
        store.memory.remember(clarification(os.urandom(4_000).hex()), ANN)
    store.backup(tmp_path / "backup")
    store.close()
    before = (home / "ledger.db").read_bytes()
    whole = (tmp_path / "backup").read_bytes()
    places = range(len(whole) // 20, len(whole) * 9 // 10, len(whole) // 20)  # the contents, not times of the zip file
    flipped = [whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :] for at in places]
    for case in [b"", b"nothing", whole[: len(whole) // 2], *flipped]:
        (tmp_path / "bad").write_bytes(case)
        with pytest.raises(InvalidBackup):
            restore(home, tmp_path / "bad")
        assert (home / "ledger.db").read_bytes() == before
