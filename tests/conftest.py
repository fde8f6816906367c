"""Settings for all tests: no network beyond this machine, no environment settings, no Hypothesis deadline."""

import gc
import os
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.models.remote.connecting import USUAL_PORTS
from assistant.models.remote.library import set_variables
from memory_store.store import Store
from tests.marks import ROOT, marks_of
from tests.support.memory.store import closing_stores, ledger_url, small_store
from tests.support.servers.object_store import ObjectStore, running_object_store
from tests.support.servers.postgres import Postgres, running_postgres

# The first example loads tables, and a busy machine is slow at any of them.
settings.register_profile("noted", deadline=None, max_examples=15)
settings.load_profile("noted")

# Background jobs of a shell ignore SIGINT, and so would the processes that tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

set_variables()
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TZ"] = "UTC"
time.tzset()
for name in [name for name in os.environ if name.startswith(("NOTED_", "GRADIO_", "SPACE_"))]:
    del os.environ[name]
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
USUAL_PORTS.clear()  # ignore model servers on this machine; tests add their own


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """Yield a PostgreSQL server; each ledger in it has its own schema."""
    with running_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def object_store() -> Iterator[ObjectStore]:
    """Yield an S3 server with one bucket."""
    with running_object_store() as server:
        yield server


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def any_ledger_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the URL of an empty ledger, for each database."""
    if request.param == "sqlite":
        return ledger_url(tmp_path)
    postgres: Postgres = request.getfixturevalue("postgres")
    return postgres.url()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return a new store without an embedder."""
    return small_store(tmp_path)


@pytest.fixture(autouse=True)
def stores_are_closed() -> Iterator[None]:
    with closing_stores():
        yield


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by folder and fixture; run browser tests last, because failures of others tell more."""
    items.sort(key=lambda item: "tests/ui" in str(item.path))
    for item in items:
        for name in marks_of(item.path.relative_to(ROOT).as_posix(), getattr(item, "fixturenames", ())):
            item.add_marker(name)


@given(st.none())
def _nothing_in_particular(_: None) -> None: ...


def pytest_collection_finish() -> None:
    """Freeze imported objects for the garbage collector: scanning them repeatedly would take a sixth of the time.

    The first Hypothesis example creates random generators that must not be frozen.
    """
    _nothing_in_particular()
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seed", type=int, help="the seed that a failed test printed, to choose the same again")
    parser.addoption("--record", action="store_true", help="record the conversations of tests/integration/characters")


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """Return the seed of a test's random choices, new each time; printed, so that a failure can be repeated."""
    given: int | None = request.config.getoption("--seed")
    chosen = random.SystemRandom().randrange(1_000_000) if given is None else given
    print(f"The same again: pytest --seed {chosen}")
    return chosen
