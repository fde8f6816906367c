"""A server whose users perform operations by any interface."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.interfaces import Access
from tests.support.servers.chat_server import ChatServer
from tests.ui.conftest import serving

NewAccess = Callable[[str], Access]


def _accesses(home: Path, folder: Path, settings: dict[str, str]) -> Iterator[NewAccess]:
    with serving(home, settings | {"NOTED_CURATORS": "cora"}) as (url, services):
        yield lambda name: Access(services, url, home, folder, name)


@pytest.fixture(scope="session")
def embedded_access(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NewAccess]:
    """Users of a server with the embedded model, by their names."""
    yield from _accesses(tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("files"), {})


@pytest.fixture(scope="session")
def remote_access(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NewAccess]:
    """Users of a server with a language model that writes study questions."""
    with ChatServer(answer=lambda _: "<question>When?</question><answer>1867</answer>") as model:
        settings = {"NOTED_MODEL": "openai/test", "NOTED_API_BASE": model.url, "NOTED_API_KEY": "none"}
        yield from _accesses(tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("files"), settings)
