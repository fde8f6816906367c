"""What the process as a whole is told: what it imports, and what is looked through for garbage."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_OLDEST = 2


@contextmanager
def without(package: str) -> Iterator[None]:
    """Let imports in this block find no such package, unless it is there already. Afterwards they find it again."""
    if package in sys.modules:
        yield
        return
    sys.modules[package] = None  # type: ignore[assignment]  # what Python documents for this
    try:
        yield
    finally:
        del sys.modules[package]


def spare_what_is_loaded() -> None:
    """Let Python's garbage collector leave modules alone once it has been through them.

    Libraries for models and vectors bring a million objects, and each full collection stops all threads to find nothing
    among them. After one that met new modules, what has survived it is set aside for good.
    """
    known = 0

    def collected(phase: str, info: dict[str, Any]) -> None:
        nonlocal known
        if phase == "stop" and info["generation"] == _OLDEST and len(sys.modules) > known:
            known = len(sys.modules)
            gc.freeze()

    gc.callbacks.append(collected)
