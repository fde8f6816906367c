"""How much a test does: a short form in `make test`, the full one in `make soak`."""

from __future__ import annotations

import os


def size(short: int, full: int) -> int:
    """How often a test repeats what it does: `full` in `make soak`, which sets NOTED_SOAK, else `short`."""
    return full if os.environ.get("NOTED_SOAK") else short
