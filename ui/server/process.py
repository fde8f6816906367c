"""What the process as a whole is told: what it imports, and what is looked through for garbage."""

import gc
import inspect
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


@contextmanager
def without_type_stubs() -> Iterator[None]:
    """Let Gradio's components be made in this block without a file of types written beside each.

    That happens whenever Gradio is imported, nearly a second's work that only editors need. It leaves out classes that
    have no file, so for as long as this lasts no component has one.
    """
    given = inspect.getfile

    def getfile(thing: Any) -> str:
        if isinstance(thing, type) and (hasattr(thing, "EVENTS") or thing.__name__ == "BlocksEvents"):
            raise OSError
        return given(thing)

    inspect.getfile = getfile  # type: ignore[assignment]  # its parameter has another name
    try:
        yield
    finally:
        inspect.getfile = given


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
