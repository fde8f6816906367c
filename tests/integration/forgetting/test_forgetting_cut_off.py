"""Interrupted, killed or refused erasure: afterwards, no file contains a byte of it, or nothing has changed."""

import random
from pathlib import Path

import pytest
from lancedb.table import LanceTable

from assistant.errors import StoreError
from memory_store.ledger.ledger import Ledger
from memory_store.vectors.index import VectorIndex
from tests.support.damage.find_bytes import find_bytes
from tests.support.memory.erasure import build_drafts, reveal_texts
from tests.support.memory.store import ANN, clarification, open_home_store, read_indexed_ids
from tests.support.servers.processes import kill_when

pytestmark = pytest.mark.promise("forgetting-survives-kill")

KILLS = 2


class Died(BaseException):
    """The end of the process."""


@pytest.mark.parametrize(
    ("owner", "name"), [(Ledger, "append"), (Ledger, "wipe"), (VectorIndex, "upsert"), (LanceTable, "optimize")]
)
def test_cut_off_erasure_continues_at_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: object, name: str
) -> None:
    store = open_home_store(tmp_path)
    saved = store.memory.remember_all(build_drafts(range(20), "Ann"), ANN)
    store.indexer.catch_up()
    with monkeypatch.context() as patched:
        patched.setattr(owner, name, _dies)
        with pytest.raises(Died):
            store.memory.forget(saved[3].id, ANN)
    store.close()
    assert find_bytes(tmp_path, reveal_texts(saved[3])) != []
    again = open_home_store(tmp_path)
    again.indexer.catch_up()
    assert find_bytes(tmp_path, reveal_texts(saved[3])) == []
    assert len(read_indexed_ids(again, ANN)) == 19


def _dies(*_: object, **__: object) -> None:
    raise Died


def test_erasure_needs_its_line(tmp_path: Path) -> None:
    store = open_home_store(tmp_path)
    saved = store.memory.remember(clarification("q"), ANN)
    (tmp_path / "erasures.jsonl").mkdir()
    with pytest.raises(StoreError, match="Nothing was changed"):
        store.memory.forget(saved.id, ANN)
    assert store.memory.entry(saved.id, ANN) == saved


def forget_until_killed(folder: Path, done: Path) -> None:
    """Erase Ann's entries one after the other, in a process of its own, and log the turn of each."""
    store = open_home_store(folder)
    store.start()
    with done.open("a", encoding="utf-8", buffering=1) as log:
        for entry in store.memory.entries(ANN, limit=1_000):
            if store.memory.forget(entry.id, ANN).is_complete:
                log.write(f"{entry.turn}\n")


def test_kill_during_forgetting_leaves_nothing(tmp_path: Path) -> None:
    store = open_home_store(tmp_path / "home")
    saved = {entry.turn: entry for entry in store.memory.remember_all(build_drafts(range(KILLS * 8), "Ann"), ANN)}
    store.indexer.catch_up()
    store.close()
    chance, done = random.Random(7), tmp_path / "done"  # noqa: S311
    done.touch()
    for _ in range(KILLS):
        until = len(done.read_text().splitlines()) + chance.randint(1, 4)
        kill_when(lambda: len(done.read_text().splitlines()) >= until, forget_until_killed, tmp_path / "home", done)  # noqa: B023
        forgotten = [saved[line] for line in done.read_text().splitlines() if line in saved]
        assert find_bytes(tmp_path / "home", [text for entry in forgotten for text in reveal_texts(entry)]) == []
    store = open_home_store(tmp_path / "home")
    store.indexer.catch_up()
    left = {entry.turn for entry in store.memory.entries(ANN, limit=1_000)}
    gone = [entry for number, entry in saved.items() if number not in left]
    assert len(gone) >= len(forgotten)
    assert find_bytes(tmp_path / "home", [text for entry in gone for text in reveal_texts(entry)]) == []
    assert read_indexed_ids(store, ANN) == {saved[number].id for number in left}
