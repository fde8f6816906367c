"""What the process as a whole is told: its environment, its streams, what it imports, and what is garbage."""

import codecs
import gc
import inspect
import io
import os
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from anyascii import anyascii

from assistant.models.remote.library import set_variables
from assistant.models.remote.proxies import repair_proxies

_OLDEST = 2
_READABLE = "noted.readable"
# Nothing is found there, and not even root can make a folder in it.
_NO_HOME = os.devnull
_INVISIBLE = frozenset({"Cf", "Mn", "Me"})


def prepare_process() -> None:
    """Let libraries start in any environment, and streams take any text. Comes before imports that read either."""
    if not os.path.isabs(os.path.expanduser("~")):  # noqa: PTH111, PTH117  Path raises here
        os.environ["HOME"] = _NO_HOME
    repair_proxies()
    set_variables()
    codecs.register_error(_READABLE, _readable)
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, _READABLE), (sys.stderr, _READABLE)):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)


def _readable(error: UnicodeError) -> tuple[str, int]:
    """Write what an encoding lacks in Latin letters, or else by number."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_latin, error.object[error.start : error.end])), error.end


def _latin(character: str) -> str:
    if latin := anyascii(character):
        return latin
    return "" if unicodedata.category(character) in _INVISIBLE else f"\\u{ord(character):04x}"


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
