"""Process-wide setup: environment, standard streams, imports and garbage collection."""

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

from assistant.models.remote.library import repair_proxies, set_variables

_OLDEST = 2
_READABLE = "noted.readable"


def prepare_process() -> None:
    """Repair HOME and proxies, and let streams encode any text. Call before imports that read them."""
    if not os.path.isabs(os.path.expanduser("~")):  # noqa: PTH111, PTH117  Path raises here
        os.environ["HOME"] = os.devnull  # not even root can create folders in it
    repair_proxies()
    set_variables()
    codecs.register_error(_READABLE, _readable)
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, _READABLE), (sys.stderr, _READABLE)):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)


def _readable(error: UnicodeError) -> tuple[str, int]:
    """Codec error handler: transliterate to Latin letters, else write an escape."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = []
    for character in error.object[error.start : error.end]:
        is_invisible = unicodedata.category(character) in {"Cf", "Mn", "Me"}
        letters.append(anyascii(character) or ("" if is_invisible else f"\\u{ord(character):04x}"))
    return "".join(letters), error.end


@contextmanager
def import_gradio_lightly() -> Iterator[None]:
    """Hide MCP from Gradio, and keep it from writing a type stub beside each component, during this block.

    Gradio writes the stubs at every import, which takes nearly a second and serves only editors. It skips classes
    without a source file, so `inspect.getfile` finds none here.
    """
    given, is_loaded = inspect.getfile, "mcp" in sys.modules

    def getfile(thing: Any) -> str:
        if isinstance(thing, type) and (hasattr(thing, "EVENTS") or thing.__name__ == "BlocksEvents"):
            raise OSError
        return given(thing)

    inspect.getfile = getfile  # type: ignore[assignment]  # its parameter has another name
    if not is_loaded:
        sys.modules["mcp"] = None  # type: ignore[assignment]  # documented by Python for this
    try:
        yield
    finally:
        inspect.getfile = given
        if not is_loaded:
            del sys.modules["mcp"]


def freeze_garbage_collector() -> None:
    """Exclude loaded modules from garbage collection.

    Libraries for models and vectors hold a million objects, and each full collection stops all threads to scan them.
    After a collection that follows new imports, the survivors are frozen.
    """
    known = 0

    def collected(phase: str, info: dict[str, Any]) -> None:
        nonlocal known
        if phase == "stop" and info["generation"] == _OLDEST and len(sys.modules) > known:
            known = len(sys.modules)
            gc.freeze()

    gc.callbacks.append(collected)
