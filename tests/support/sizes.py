"""How much a test does: a short form in `make test`, the full one in `make soak`."""

import os
from typing import TypeVar

T = TypeVar("T")
IS_FULL = bool(os.environ.get("NOTED_SOAK"))


def size(short: T, full: T) -> T:
    """How much a test does, or with what: `full` in `make soak`, which sets NOTED_SOAK, else `short`."""
    return full if IS_FULL else short
