"""For every test: no network but this machine, no settings from outside, no deadline for a single example."""

from __future__ import annotations

import os
import random

import pytest
from hypothesis import settings

# The first example loads tables, and a busy machine is slow at any: neither says anything about the property.
settings.register_profile("noted", deadline=None)
settings.load_profile("noted")

os.environ["HF_HUB_OFFLINE"] = "1"
for name in [name for name in os.environ if name.startswith(("NOTED_", "GRADIO_", "SPACE_")) and name != "NOTED_SOAK"]:
    del os.environ[name]
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The tests in a browser run last: what is broken below shows first."""
    items.sort(key=lambda item: "tests/ui" in str(item.path))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seed", type=int, help="the seed that a failed test printed, to choose the same again")


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """Where a test's random choices begin: another number each time, printed, so that they can be made again."""
    given: int | None = request.config.getoption("--seed")
    chosen = random.SystemRandom().randrange(1_000_000) if given is None else given
    print(f"The same again: pytest --seed {chosen}")
    return chosen
