"""The application in this process, with the embedded model or one with scripted replies."""

import gc
import socket
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app import compose
from assistant.settings import Settings
from tests.support.memory.keys import reply_in_background
from tests.support.servers.chat_server import ChatServer
from ui.server.process import freeze_garbage_collector
from ui.server.services import CardPart, Services
from ui.server.sign_in import SignIn

# Ports of closed servers. Browsers cache by address, so the next server uses one of these.
_LEFT: list[socket.socket] = []


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Ignore ResourceWarning: Gradio leaves sockets and event loops to the garbage collector."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"))


@pytest.fixture(scope="session", autouse=True)
def _collect_what_gradio_leaves() -> Iterator[None]:
    freeze_garbage_collector()  # as `serve` does
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.unfreeze()
        gc.collect()


@pytest.fixture(scope="session")
def embedded_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the data directory of the application at `embedded_url`."""
    return tmp_path_factory.mktemp("embedded")


@pytest.fixture(scope="session")
def embedded_url(embedded_home: Path) -> Iterator[str]:
    """Serve the application as on a fresh machine, without an embedder, so that nothing heavy loads."""
    yield from served_here(embedded_home, {})


@pytest.fixture(scope="session")
def remote() -> Iterator[ChatServer]:
    with ChatServer(aside=reply_in_background) as server:
        yield server


@pytest.fixture(scope="session")
def remote_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the data directory of the application at `remote_url`."""
    return tmp_path_factory.mktemp("remote")


@pytest.fixture(scope="session")
def remote_url(remote: ChatServer, remote_home: Path) -> Iterator[str]:
    """Serve the application with the model behind `chat_server`."""
    model = {"NOTED_MODEL": "openai/test", "NOTED_API_BASE": remote.url, "NOTED_API_KEY": "none"}
    yield from served_here(remote_home, model)


@pytest.fixture
def chat_server(remote: ChatServer) -> ChatServer:
    """Return the server of the model, with no replies queued and no requests recorded."""
    remote.forget_replies()
    remote.requests.clear()
    return remote


@pytest.fixture(scope="session")
def built_page(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Build a page without serving it."""
    from ui.page.page import PageApp  # see `served_here`

    home = tmp_path_factory.mktemp("built")
    services = compose(Settings.load({"NOTED_HOME": str(home), "NOTED_EMBEDDER": "none"}))
    page = PageApp(services, SignIn(), lambda _scope: False)
    services.close()
    return page


def served_here(home: Path, environment: dict[str, str], card_parts: Sequence[CardPart] = ()) -> Iterator[str]:
    """Yield the address of an application with its memory in `home`."""
    with serving(home, environment, card_parts) as (url, _services):
        yield url


@contextmanager
def serving(
    home: Path, environment: dict[str, str], card_parts: Sequence[CardPart] = ()
) -> Iterator[tuple[str, Services]]:
    """Serve an application with its memory in `home`; yield its address and its services."""
    from ui.serve import launch  # imports Gradio, which the process that distributes tests does not need

    if _LEFT:
        reserved = _LEFT.pop()
    else:  # a port that a server may bind and the system assigns to nobody else
        reserved = socket.socket()
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        reserved.bind(("127.0.0.1", 0))
    always = {"NOTED_PORT": str(reserved.getsockname()[1]), "NOTED_PROXIES": "127.0.0.1", "NOTED_NAMES": "*.test"}
    settings = Settings.load(always | {"NOTED_HOME": str(home), "NOTED_EMBEDDER": "none"} | environment)
    composed = compose(settings)
    services = replace(composed, card_parts=[*composed.card_parts, *card_parts])
    page = launch(services, settings, quiet=True)
    # Import the client of the remote model here: in a thread it would interfere with pytest's guard of warnings.
    assert services.assistant.runner.model.window
    services.start()
    try:
        yield str(page.local_url), services
    finally:
        page.close(verbose=False)
        services.close()
        _LEFT.append(reserved)


@pytest.fixture
def own_url(tmp_path: Path) -> Iterator[str]:
    """Serve an application of its own: the local person is curator, and memory is empty."""
    yield from served_here(tmp_path, {})
