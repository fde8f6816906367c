"""The one error of an index that cannot be searched."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from assistant.errors import StoreError

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
