"""What a process has once for all indexes: the loop that they are searched in, and what it is told about LanceDB."""

import ctypes
import sys
from collections.abc import Callable, Coroutine
from functools import cache
from importlib.util import find_spec, module_from_spec
from typing import Any, TypeVar

from assistant.models.remote.event_loop import EventLoopThread

T = TypeVar("T")

_MMAP_THRESHOLD = -3  # its name in `malloc.h` is M_MMAP_THRESHOLD
_LARGE = 1 << 20  # bytes
_CLIENT = "lance_namespace_urllib3_client"


@cache
def prepare() -> None:
    """Say which memory is kept, and what need not be imported; once, before LanceDB is."""
    _give_back_large_blocks()
    _postpone(_CLIENT)  # of catalogues of tables, which nobody here asks: half of all that LanceDB imports


def _give_back_large_blocks() -> None:
    """Give every freed block of a megabyte or more back to the system at once, where the C library is glibc.

    Else it takes the largest block that was ever freed for the usual size, and keeps hundreds of megabytes.
    """
    set_option = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if set_option is not None:
        set_option(_MMAP_THRESHOLD, _LARGE)


def _postpone(package: str) -> None:
    """Let what a package itself holds be imported when it is asked for; its parts can be imported without it."""
    spec = find_spec(package)
    if package in sys.modules or spec is None or spec.loader is None:
        return
    postponed, loader = module_from_spec(spec), spec.loader

    def ask(name: str) -> Any:
        del postponed.__dict__["__getattr__"]
        loader.exec_module(postponed)
        return getattr(postponed, name)

    postponed.__dict__["__getattr__"] = ask
    sys.modules[package] = postponed


@cache  # it keeps nothing of what is found
def search_loop() -> EventLoopThread:
    return EventLoopThread("index-loop")


def in_loop(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """What `work()` returns, awaited in the loop in which tables are searched."""
    return search_loop().begin(work).result()
