"""For every test: no network but this machine, no settings from outside, no deadline for a single example."""

from __future__ import annotations

import os

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
