"""kill -9 at any moment: acknowledged changes stay, once; acknowledged erasures stay erased."""

import random
import time
from pathlib import Path

import pytest
from sqlalchemy import select

from assistant.types import Status
from memory_store.ledger.database.schema import entries
from memory_store.store import Store
from tests.support.damage.kills import Account, read_account, work_until_killed
from tests.support.memory.keys import wait_until
from tests.support.memory.store import ANN, LetterPairEmbedder, assert_same_keys, build_retriever, small_store
from tests.support.memory.triples import compute_tables, read_told
from tests.support.servers.processes import kill_when

pytestmark = pytest.mark.promise("kill-loses-nothing")

KILLS = 6
SECONDS = 60.0


def kill_at_a_random_moment(folder: Path, log: Path, chance: random.Random, account: Account) -> None:
    awaited = log.stat().st_size + chance.randint(1, 3_000)  # bytes; a step writes about 150

    def is_time() -> bool:
        if log.stat().st_size < awaited:
            return False
        time.sleep(chance.uniform(0, 0.03))
        return True

    kill_when(is_time, work_until_killed, folder, log, str(chance.random()), account.unfinished)


def assert_nothing_lost(store: Store, account: Account) -> None:
    with store.ledger.read() as connection:
        statuses = {row.id: Status(row.status) for row in connection.execute(select(entries.c.id, entries.c.status))}
    active = {entry_id for entry_id, status in statuses.items() if status is Status.ACTIVE}
    in_question = account.unfinished and account.unfinished["target"]
    lines = {head: line for head, line in account.lines.items() if head != in_question}
    assert [head for head in lines if head not in active] == [], "acknowledged, and not there"
    assert [old for line in lines.values() for old in line if old not in statuses] == [], "history that is lost"
    assert account.forgotten.isdisjoint(statuses), "acknowledged as erased, and there again"
    in_doubt = active - lines.keys()
    assert len(in_doubt) <= (account.unfinished is not None), "more than anybody asked for"
    served = store.memory.entries(ANN, limit=1_000_000)
    assert {entry.id for entry in served} == active, "damaged"
    assert len({entry.text for entry in served}) == len(served), "doubled"
    with store.ledger.read() as connection:
        triples = read_told(connection)
    assert triples == compute_tables(store.ledger), "not what the facts say"


def start_again(folder: Path) -> Store:
    """Start the store as the app does. Until the index is open, the ledger answers."""
    store = small_store(folder, LetterPairEmbedder())
    store.start()
    recall = build_retriever(store, LetterPairEmbedder(), seconds=0)
    for entry in store.memory.entries(ANN, limit=1):
        assert entry.id in {candidate.entry.id for candidate in recall(entry.question, ANN)}
    wait_until(lambda: store.indexer.wait_until_current(1.0), SECONDS)
    return store


def test_acknowledged_saves_survive_a_kill(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - no secret
    log = tmp_path / "log"
    log.touch()
    account = Account()
    for _ in range(KILLS):
        kill_at_a_random_moment(tmp_path, log, chance, account)
        account = read_account(log.read_text(encoding="utf-8").splitlines())
        store = start_again(tmp_path)
        assert_nothing_lost(store, account)
        assert_same_keys(store, ANN)
        store.close()
    assert account.lines
    assert account.forgotten
