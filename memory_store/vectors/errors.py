"""The one error of an index that cannot be searched, and what a damaged one can do to the process."""

import logging
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assistant.errors import StoreError
from memory_store.vectors.object_store import is_folder

_PANIC = "PanicException"  # how PyO3 hands on a panic; it is no Exception, and each library has its own

_log = logging.getLogger(__name__)


class IndexUnavailable(StoreError):
    """The index cannot be searched now. The words of the ledger can."""

    code = "store.index_not_ready"


@contextmanager
def unavailable() -> Iterator[None]:
    """Turn into IndexUnavailable whatever LanceDB, Arrow and Rust raise: one flipped byte makes that anything."""
    try:
        yield
    except IndexUnavailable:
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != _PANIC:
            raise
        _log.warning("The index cannot be used: %s", str(error).splitlines()[0] if str(error) else type(error).__name__)
        raise IndexUnavailable from error


@contextmanager
def removing_what_ends_the_process(uri: str) -> Iterator[None]:
    """Remove tables that ended the process that opened them last: a flipped bit can ask for all the memory."""
    folder = Path(uri) if is_folder(uri) else None
    marker = folder / "BEING-OPENED" if folder else None
    if folder and marker and marker.exists():
        _log.warning("Opening the index ended a process. It is made anew.")
        for path in folder.glob("*.lance"):
            shutil.rmtree(path, ignore_errors=True)
    if folder and marker and folder.is_dir():
        marker.touch()
    try:
        yield
    finally:
        if marker:
            marker.unlink(missing_ok=True)
