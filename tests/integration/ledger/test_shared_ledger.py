"""A ledger on PostgreSQL: failures are reported in a sentence, acknowledged changes stay, and it recovers."""

import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import text

from assistant.errors import StoreError
from memory_store.ledger.database import engines
from memory_store.ledger.ledger import Ledger
from memory_store.memory.memory import LedgerMemory
from tests.support.memory.store import ANN, clarification, ledger_memory
from tests.support.servers.postgres import Postgres

pytestmark = pytest.mark.promise("database-stops")


@pytest.fixture
def ledger(postgres: Postgres) -> Iterator[Ledger]:
    ledger = Ledger(postgres.url())
    yield ledger
    ledger.close()


@pytest.fixture
def memory(ledger: Ledger) -> LedgerMemory:
    return ledger_memory(ledger)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT], ids=["stopped", "killed"])
def test_saves_outlive_the_database(postgres: Postgres, memory: LedgerMemory, how: signal.Signals) -> None:
    number, acknowledged, refused = 12, {}, set()
    middle = threading.Semaphore(0)

    def save(place: int) -> None:
        try:
            acknowledged[place] = memory.remember(clarification(f"q{place}", f"I meant {place}"), ANN).id
        except StoreError as error:
            refused.add(str(error))
        middle.release()

    with ThreadPoolExecutor(8) as threads:
        threads.map(save, range(number))
        for _ in range(number // 2):
            middle.acquire()
        postgres.stop(how)
    with pytest.raises(StoreError, match="can’t be reached right now"):
        memory.entries(ANN)
    postgres.start()
    assert refused == {"The memory’s database can’t be reached right now. Try again; nothing is saved twice."}
    assert number // 2 <= len(acknowledged) < number
    before = {entry.question: entry.id for entry in memory.entries(ANN, limit=number)}
    assert {f"q{place}": entry for place, entry in acknowledged.items()}.items() <= before.items()
    again = [memory.remember(clarification(f"q{place}", f"I meant {place}"), ANN) for place in range(number)]
    assert before.items() <= {entry.question: entry.id for entry in again}.items()
    assert len(memory.entries(ANN, limit=2 * number)) == number


def test_replicas_starting_at_once_agree(postgres: Postgres) -> None:
    url = postgres.url()
    with ThreadPoolExecutor(8) as threads:
        ledgers = list(threads.map(Ledger, [url] * 8))
    assert len({ledger.identity for ledger in ledgers}) == 1
    assert len({ledger.secret_for("visitors") for ledger in ledgers}) == 1
    assert ledgers[0].secret_for("visitors") not in {ledgers[0].secret, ledgers[0].secret_for("others")}
    for ledger in ledgers:
        ledger.close()


def test_commit_is_synced_whatever_the_default(postgres: Postgres) -> None:
    ledger = Ledger(f"{postgres.url()}%20-csynchronous_commit%3Doff")
    with ledger.read() as connection:
        assert connection.execute(text("SHOW synchronous_commit")).scalar_one() == "on"
    ledger.close()


def test_unusable_database_is_a_sentence(
    postgres: Postgres, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines._log, "disabled", False)  # import-linter in other tests disables all loggers
    nowhere = postgres.url().replace("/postgres?", "/nowhere?").replace("postgres@", "postgres:hunter2@")
    for url in (nowhere, "postgresql+psycopg://postgres@127.0.0.1:1/postgres"):
        with pytest.raises(StoreError, match="can’t be reached right now"):
            Ledger(url)
    assert 'database "nowhere" does not exist' in caplog.text
    assert "hunter2" not in caplog.text
    postgres.run("CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
    with pytest.raises(StoreError, match="encoding UTF8"):
        Ledger(postgres.url().replace("/postgres?", "/latin?"))


def test_erased_bytes_are_in_no_table_file(postgres: Postgres, ledger: Ledger, memory: LedgerMemory) -> None:
    kept = memory.remember(clarification("q", "I meant keptneedle"), ANN)
    gone = memory.remember(clarification("r", "I meant goneneedle"), ANN)
    assert postgres.files_with("goneneedle")
    memory.forget(gone.id, ANN)
    assert ledger.wipe()
    assert postgres.files_with("goneneedle") == []
    assert postgres.files_with("keptneedle")
    assert memory.entry(kept.id, ANN) == kept
