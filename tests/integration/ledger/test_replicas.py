"""Two replicas of the app over one PostgreSQL and one object store: nothing is lost or doubled, and both know all."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from assistant.types import Scope
from memory_store.language.word_translation import READINGS
from memory_store.ledger.database.schema import entries
from memory_store.store import Store
from memory_store.vectors.index import IndexUnavailable
from tests.support.memory.store import assert_same_keys, indexed_entries, open_store
from tests.support.servers.object_store import BUCKET, ObjectStore
from tests.support.servers.postgres import Postgres
from tests.support.servers.replica import Replica, two_replicas

pytestmark = pytest.mark.promise("replicas-lose-nothing")

SAVES = 4
SECONDS = 60


@pytest.fixture
def index_uri(tmp_path: Path) -> str:
    return f"s3://{BUCKET}/{tmp_path.name}"


@pytest.fixture
def ledger_url(postgres: Postgres) -> str:
    return postgres.url()


@pytest.fixture
def replicas(
    tmp_path: Path, ledger_url: str, index_uri: str, object_store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Replica, Replica]]:
    for name, value in object_store.environment.items():
        monkeypatch.setenv(name, value)
    shared = {"NOTED_LEDGER": ledger_url, "NOTED_INDEX": index_uri, "NOTED_EMBEDDER": "none"}
    homes = [{**shared, "NOTED_HOME": str(tmp_path / name)} for name in ("first", "second")]
    with two_replicas(*homes) as replicas:
        yield replicas


def test_replicas_lose_and_double_nothing(replicas: tuple[Replica, Replica], ledger_url: str, index_uri: str) -> None:
    def question(number: int) -> str:
        return f"What is akin to word{number}?"

    def save_then_ask_the_other(number: int) -> tuple[str, dict[str, Any]]:
        here, there = replicas[number % 2], replicas[(number + 1) % 2]
        saved = {"question": question(number), "text": f"I meant a synonym of word{number}", "key": f"key {number}"}
        entry = here.save(f"person{number}", **saved)
        if number % 4 == 0:  # a time-out in between, and the person's browser tries again elsewhere
            assert there.save(f"person{number}", **saved) == entry
        return entry, there.ask(f"person{number}", question(number))

    def ask_anything(number: int) -> dict[str, Any]:
        return replicas[number % 2].ask(f"person{(number * 7) % SAVES}", question(number))

    with ThreadPoolExecutor(2 * SAVES) as threads:
        saving = [threads.submit(save_then_ask_the_other, number) for number in range(SAVES)]
        asking = [threads.submit(ask_anything, number) for number in range(SAVES)]
        saved, asked = [done.result() for done in saving], [done.result() for done in asking]

    ids = [entry for entry, _ in saved]
    assert len(set(ids)) == SAVES
    # The very next question, asked of the other replica, finds what was saved, and nothing else.
    assert [answer["found"] for _, answer in saved] == [[entry] for entry in ids]
    assert {answer["state"] for answer in (*asked, *(answer for _, answer in saved))} == {"answered"}
    for number, answer in enumerate(asked):
        assert set(answer["found"]) <= {ids[(number * 7) % SAVES]}

    store = open_store(ledger_url, index_uri, None, READINGS)
    with store.ledger.read() as connection:
        assert connection.execute(select(func.count()).select_from(entries)).scalar_one() == SAVES
    wait_for_the_index(store)
    for number, entry in enumerate(ids):
        scope = Scope(f"person{number}")
        assert_same_keys(store, scope, readings=READINGS)
        assert indexed_entries(store, scope) == {entry}


def wait_for_the_index(store: Store) -> None:
    deadline = time.monotonic() + SECONDS
    while store.index.sequence < store.ledger.last_change():
        assert time.monotonic() < deadline, "the index is not up to date"
        with suppress(IndexUnavailable):  # a replica is still filling it for the first time
            store.index.open(f"{store.ledger.identity} none", lambda: 1)
        time.sleep(0.25)
