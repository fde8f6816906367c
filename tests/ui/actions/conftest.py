"""A server and users for tests of operations by every interface."""

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.support.interfaces import INTERFACES, Interface
from tests.support.servers.chat_server import ChatServer
from tests.ui.actions.scenarios import CURATOR, SCENARIOS, Do, User
from tests.ui.conftest import serving
from ui.actions.operation import Operation, Who
from ui.actions.table import OPERATIONS

NewAccess = Callable[[str], User]


def _accesses(home: Path, folder: Path, settings: dict[str, str]) -> Iterator[NewAccess]:
    settings |= {"NOTED_CURATORS": CURATOR}
    with serving(home, settings) as (url, services):
        yield lambda name: User(services, url, home, settings, folder, name)


@pytest.fixture(scope="session")
def embedded_access(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NewAccess]:
    """Yield a factory of users of a server with the embedded model."""
    yield from _accesses(tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("files"), {})


@pytest.fixture(scope="session")
def remote_access(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NewAccess]:
    """Yield a factory of users of a server with a language model that writes study questions."""
    with ChatServer(answer=lambda _: "<question>When?</question><answer>1867</answer>") as model:
        settings = {"NOTED_MODEL": "openai/test", "NOTED_API_BASE": model.url, "NOTED_API_KEY": "none"}
        yield from _accesses(tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("files"), settings)


@dataclass(frozen=True)
class Tried:
    """An operation under test, by one interface.

    Args:
        me: the user who prepares its scenario.
        mine: that user's interface.
        others: the interface of another user, who is no curator.
    """

    operation: Operation[Any, Any]
    me: User
    mine: Interface
    other: User
    others: Interface

    def performs(self, do: Do) -> None:
        """Run the scenario of the operation; `do` performs it."""
        SCENARIOS[self.operation.name](replace(self.me, tested={self.operation.name: do}))


@pytest.fixture
def tried(request: pytest.FixtureRequest, operation: str, interface: str) -> Tried:
    accesses = request.getfixturevalue("remote_access" if operation == "questions" else "embedded_access")
    is_curators = OPERATIONS[operation].who is Who.CURATOR
    mine, other = (accesses(name) for name in (CURATOR if is_curators else str(uuid.uuid4()), str(uuid.uuid4())))
    by = INTERFACES[interface]
    return Tried(OPERATIONS[operation], mine, partial(by, mine), other, partial(by, other))
