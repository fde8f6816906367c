"""Fixtures of the integration tests."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from app import compose
from assistant.settings import Settings
from memory_store.store import Store
from memory_store.vectors import indexer
from tests.support.commands import Commands
from tests.support.memory.store import LetterPairEmbedder, create_ledger, ledger_url, open_store
from tests.support.servers.chat_server import ChatServer
from tests.support.servers.object_store import BUCKET, ObjectStore
from ui.server.services import Services


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(f"sqlite:///{tmp_path / 'ledger.sqlite3'}", str(tmp_path / "index"), None)


Compose = Callable[..., Services]


@pytest.fixture
def composed(tmp_path: Path) -> Iterator[Compose]:
    """Return a function that composes the app with settings on one home; it closes the previous app."""
    running: list[Services] = []

    def with_settings(environment: Mapping[str, str] = {}, **values: object) -> Services:
        for services in running:
            services.close()
        create_ledger(ledger_url(tmp_path))
        told = {"NOTED_HOME": str(tmp_path), "NOTED_EMBEDDER": "none", **environment}
        running[:] = [compose(Settings.load(told, **values))]
        return running[0]

    yield with_settings
    for services in running:
        services.close()


@pytest.fixture
def services(composed: Compose) -> Services:
    """Return the app with default settings."""
    return composed()


@pytest.fixture
def connected(composed: Compose, server: ChatServer) -> Compose:
    """Return a function that composes the app with the model of the server and further variables."""
    return lambda **environment: composed({**server.settings, **environment})


@pytest.fixture
def embedder() -> LetterPairEmbedder:
    return LetterPairEmbedder()


@pytest.fixture
def server() -> Iterator[ChatServer]:
    """Yield a server for a model over HTTP."""
    with ChatServer() as server:
        yield server


@pytest.fixture
def index_uri(tmp_path: Path, object_store: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the address of an index in the object store, whose variables are set."""
    for name, value in object_store.environment.items():
        monkeypatch.setenv(name, value)
    return f"s3://{BUCKET}/{tmp_path.name}"


@pytest.fixture
def here(tmp_path: Path) -> Commands:
    """Return the command line with its own data directory."""
    return Commands(tmp_path)


@pytest.fixture
def soon_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the time until the indexer tries again."""
    monkeypatch.setattr(indexer, "_RETRY_SECONDS", 0.2)
