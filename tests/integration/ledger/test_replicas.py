"""Two servers over one PostgreSQL and one object store: nothing is lost or doubled, and both see every change."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from assistant.types import Scope
from memory_store.ledger.database.schema import entries
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.tokens import LedgerTokens
from memory_store.store import Store
from memory_store.vectors.index import IndexUnavailable
from tests.support.memory.store import assert_same_keys, open_store, read_indexed_ids
from tests.support.people.api_client import ApiClient
from tests.support.servers.noted_server import serve
from tests.support.servers.postgres import Postgres

pytestmark = pytest.mark.promise("replicas-lose-nothing")

SAVES = 4
SECONDS = 60
PEOPLE = [Scope(f"person{number}") for number in range(SAVES)]


@pytest.fixture
def ledger_url(postgres: Postgres) -> str:
    return postgres.url()


@pytest.fixture
def programs(tmp_path: Path, ledger_url: str, index_uri: str) -> Iterator[list[list[ApiClient]]]:
    """Yield a client of each user at each of the two servers."""
    limits = {"NOTED_TURNS_PER_MINUTE": "999", "NOTED_SAVES_PER_MINUTE": "999"}
    shared: dict[str, Any] = {"NOTED_LEDGER": ledger_url, "NOTED_INDEX": index_uri, "NOTED_EMBEDDER": "none", **limits}
    with ExitStack() as running:
        servers = [running.enter_context(serve(tmp_path / name, **shared)) for name in ("first", "second")]
        with closing(Ledger(ledger_url)) as ledger:
            tokens = [LedgerTokens(ledger).make(person)[1] for person in PEOPLE]
        yield [[running.enter_context(ApiClient(one.url, token)) for token in tokens] for one in servers]


def question(number: int) -> str:
    return f"What is akin to word{number}?"


def save(program: ApiClient, number: int) -> str:
    """Save an entry, retrying while the store is busy; return its id."""
    said = {"question": question(number), "text": f"I meant a synonym of word{number}"}
    while (response := program.post("remember", **said)).status_code != 200:
        assert "is busy" in response.text
    return str(response.json()["entry"])


def ask(program: ApiClient, number: int) -> tuple[str, list[str]]:
    """Ask about a word; return the state of the turn and the ids of the entries found."""
    found = program.call("preview", question=question(number))["found"]
    answer: dict[str, Any] = program.call("ask", question=question(number))
    return answer["state"], [one["entry"]["entry"] for one in found]


def test_replicas_lose_and_double_nothing(programs: list[list[ApiClient]], ledger_url: str, index_uri: str) -> None:
    def save_then_ask_the_other(number: int) -> tuple[str, tuple[str, list[str]]]:
        here, there = (programs[(number + at) % 2][number] for at in range(2))
        entry = save(here, number)
        if number % 4 == 0:  # a timeout, after which the browser retries at the other replica
            assert save(there, number) == entry
        return entry, ask(there, number)

    def ask_anything(number: int) -> tuple[str, list[str]]:
        return ask(programs[number % 2][(number * 7) % SAVES], number)

    with ThreadPoolExecutor(2 * SAVES) as threads:
        saving = [threads.submit(save_then_ask_the_other, number) for number in range(SAVES)]
        asking = [threads.submit(ask_anything, number) for number in range(SAVES)]
        saved, asked = [done.result() for done in saving], [done.result() for done in asking]

    ids = [entry for entry, _ in saved]
    assert len(set(ids)) == SAVES
    # The next question at the other replica finds exactly the saved entry.
    assert [answer for _, answer in saved] == [("answered", [entry]) for entry in ids]
    for number, (state, found) in enumerate(asked):
        assert (state, set(found) <= {ids[(number * 7) % SAVES]}) == ("answered", True)

    store = open_store(ledger_url, index_uri, None)
    with store.ledger.read() as connection:
        assert connection.execute(select(func.count()).select_from(entries)).scalar_one() == SAVES
    wait_for_the_index(store)
    for person, entry in zip(PEOPLE, ids, strict=True):
        assert_same_keys(store, person)
        assert read_indexed_ids(store, person) == {entry}


def wait_for_the_index(store: Store) -> None:
    deadline = time.monotonic() + SECONDS
    while store.index.sequence < store.ledger.last_change():
        assert time.monotonic() < deadline, "the index is not up to date"
        with suppress(IndexUnavailable):  # a replica is still building it
            store.index.open(f"{store.ledger.identity} none", lambda: 1)
        time.sleep(0.25)
