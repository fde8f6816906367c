"""Copies in a folder that outlives the disk: they come back into an empty home, and what was erased does not."""

import json
import os
import random
import shutil
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from assistant.errors import SettingsError, StoreError
from assistant.settings import Settings
from memory_store.custody.snapshots import Snapshots
from memory_store.store import Keeping, Store
from tests.support.memory.store import ANN, BOB, PLAIN, clarification, open_store, unlike
from tests.support.servers.processes import kill_when

pytestmark = pytest.mark.promise("copies-fill-an-empty-home")

KILLS = 2


@dataclass(frozen=True)
class Host:
    """A machine whose disk is lost with every restart, and a mount that stays."""

    home: Path
    mount: Path

    def started(self) -> Store:
        """As `app.py` does it, but without the background work: a copy is written when a test says so."""
        self.home.mkdir(exist_ok=True)
        settings = Settings.load({"NOTED_HOME": str(self.home)})
        snapshots = Snapshots(self.mount / "noted", self.home)
        snapshots.bring_back(settings)
        keeping = Keeping(snapshots=snapshots, snapshot_minutes=1e6)
        return open_store(settings.ledger, settings.index, None, PLAIN, settings.erasures, keeping)

    def lose_the_disk(self) -> None:
        shutil.rmtree(self.home)

    @property
    def copies(self) -> list[Path]:
        return sorted((self.mount / "noted").glob("noted-*"))


@pytest.fixture
def host(tmp_path: Path) -> Host:
    (tmp_path / "mount").mkdir()
    return Host(tmp_path / "home", tmp_path / "mount")


def written(store: Store) -> bool:
    assert store.snapshotting
    return store.snapshotting.write()


def texts(store: Store) -> list[str]:
    return sorted(entry.text for person in (ANN, BOB) for entry in store.memory.entries(person, limit=100_000))


def words_in(copies: Sequence[Path], words: bytes) -> list[Path]:
    """The copies, unpacked, in which these bytes are."""
    found = []
    for copy in copies:
        with zipfile.ZipFile(copy) as archive:
            if words in archive.read("ledger.sqlite3"):
                found.append(copy)
    return found


def test_an_empty_home_begins_with_the_last_copy(host: Host) -> None:
    store = host.started()
    first = store.memory.remember(unlike("first"), ANN)
    store.close()
    host.lose_the_disk()
    store = host.started()
    second = store.memory.remember(unlike("second"), ANN)
    assert written(store)
    third = store.memory.remember(unlike("third"), ANN)
    host.lose_the_disk()  # without an end that is orderly

    again = host.started()
    assert texts(again) == sorted([first.text, second.text])
    assert third.text not in texts(again)
    assert again.memory.remember(unlike("fourth"), ANN).sequence > second.sequence
    again.close()
    store.ledger.close()


def test_a_home_that_is_not_empty_stays_as_it_is(host: Host) -> None:
    store = host.started()
    store.memory.remember(unlike("first"), ANN)
    assert written(store)
    later = store.memory.remember(unlike("later"), ANN)
    store.ledger.close()
    store = host.started()
    assert later.text in texts(store)


def test_nothing_new_writes_nothing_and_only_the_last_few_stay(host: Host) -> None:
    store = host.started()
    for number in range(5):
        store.memory.remember(unlike(str(number)), ANN)
        assert written(store)
    copies = {path: path.stat().st_mtime_ns for path in host.copies}
    assert len(copies) == 3
    assert written(store)
    store.close()
    assert {path: path.stat().st_mtime_ns for path in host.copies} == copies
    assert [path.stat().st_mode & 0o777 for path in copies] == [0o600] * 3


def test_what_is_erased_leaves_the_mount_before_the_receipt_says_so(host: Host) -> None:
    store = host.started()
    secret = store.memory.remember(clarification("a secret question", "a secret meaning"), ANN)
    store.memory.remember(unlike("kept"), ANN)
    assert written(store)
    assert words_in(host.copies, b"a secret meaning")
    assert store.memory.forget(secret.id, ANN).is_complete
    assert host.copies
    assert words_in(host.copies, b"a secret") == []


def test_what_was_erased_after_the_last_copy_does_not_come_back(host: Host) -> None:
    store = host.started()
    secret = store.memory.remember(clarification("a secret question", "a secret meaning"), ANN)
    store.memory.remember(unlike("of bob"), BOB)
    kept = store.memory.remember(unlike("kept"), ANN)
    assert written(store)
    before = host.mount.with_name("before")
    shutil.copytree(host.mount, before)
    store.memory.forget(secret.id, ANN)
    store.memory.forget_all(BOB)
    store.close()
    # As where the machine ended after the erasures and before a copy of what was left.
    for copy in host.copies:
        copy.unlink()
    for copy in (before / "noted").glob("noted-*"):
        shutil.copy(copy, host.mount / "noted")
    host.lose_the_disk()
    store = host.started()
    assert texts(store) == [kept.text]
    assert written(store)
    assert words_in(host.copies, b"a secret") == []


def test_nothing_is_erased_where_the_mount_cannot_be_told(host: Host) -> None:
    store = host.started()
    entry = store.memory.remember(unlike("first"), ANN)
    assert written(store)
    away = host.mount.with_name("away")
    host.mount.rename(away)
    with pytest.raises(StoreError, match="Nothing was changed"):
        store.memory.forget(entry.id, ANN)
    store.memory.remember(unlike("second"), ANN)  # to save goes on
    assert not written(store)
    away.rename(host.mount)
    assert written(store)
    store.memory.forget(entry.id, ANN)
    store.close()
    host.lose_the_disk()
    store = host.started()
    assert texts(store) == [unlike("second").text]


def test_a_damaged_copy_is_set_aside_and_the_one_before_it_is_taken(host: Host) -> None:
    store = host.started()
    kept = store.memory.remember(unlike("first"), ANN)
    assert written(store)
    store.memory.remember(unlike("second"), ANN)
    store.close()
    newest = host.copies[-1]
    newest.write_bytes(newest.read_bytes()[:-200])
    host.lose_the_disk()
    store = host.started()
    assert texts(store) == [kept.text]
    assert newest.with_suffix(".damaged") in host.copies


def test_a_mount_that_is_not_there_is_said_at_the_start(host: Host) -> None:
    host.mount.rmdir()
    with pytest.raises(SettingsError, match="NOTED_SNAPSHOTS"):
        host.started()


def live_until_killed(host: Host, log: Path, seed: str) -> None:
    """In a process of its own: save, forget and write copies at random, each told in the log when it is done."""
    chance = random.Random(seed)  # noqa: S311 - no secret, only the same choices again
    store = host.started()
    ids = [entry.id for entry in store.memory.entries(ANN, limit=100_000)]
    out = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def tell(what: str, name: str = "") -> None:
        os.write(out, json.dumps([what, name]).encode() + b"\n")

    for number in range(1_000_000):
        choice = chance.random()
        if choice < 0.7:
            ids.append(store.memory.remember(unlike(f"{seed} {number}"), ANN).id)
            tell("saved", ids[-1])
        elif choice < 0.85 and ids:
            gone = ids.pop(chance.randrange(len(ids)))
            tell("forgetting", gone)
            store.memory.forget(gone, ANN)
            tell("forgotten", gone)
        else:
            assert written(store)
            tell("copied")


def test_kill_9_loses_nothing_of_the_last_copy_and_brings_nothing_back(host: Host, tmp_path: Path) -> None:
    chance = random.Random(6)  # noqa: S311
    kept: set[str] = set()
    gone: set[str] = set()
    for number in range(KILLS):
        log = tmp_path / f"log {number}"
        log.touch()
        awaited = chance.randint(100, 600)
        kill_when(lambda: log.stat().st_size >= awaited, live_until_killed, host, log, str(number))  # noqa: B023

        in_doubt, saved = set(), set()
        for line in log.read_text(encoding="utf-8").splitlines():
            what, name = json.loads(line)
            if what == "saved":
                saved.add(name)
            elif what == "copied":
                kept |= saved
            elif what == "forgetting":
                in_doubt.add(name)
            else:
                gone.add(name)
                kept |= saved  # a receipt is given after a copy
        kept -= in_doubt
        gone_or_in_doubt = in_doubt - gone
        host.lose_the_disk()
        store = host.started()
        there = {entry.id for entry in store.memory.entries(ANN, limit=100_000)}
        assert kept <= there, "in the last copy, and not there"
        assert gone.isdisjoint(there), "erased, and there again"
        kept = there - gone_or_in_doubt
        gone |= gone_or_in_doubt - there
        assert written(store)
        store.ledger.close()
        left = [path for path in (*host.mount.rglob(".*"), *host.home.glob(".noted-snapshot-*")) if path.exists()]
        assert left == []
