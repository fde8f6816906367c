"""The object store that several machines share for an index: how it is reached, and whether it can be trusted.

Two who write at the same time are kept apart by the store alone: it must refuse to put a file where one is (a
conditional PUT, `If-None-Match: *`). A store that ignores the condition overwrites, and acknowledged rows are lost.
"""

import logging
import os
import uuid
from collections.abc import Callable
from functools import cache
from typing import TypeVar

from assistant.background import begin
from assistant.errors import StoreError

T = TypeVar("T")

_log = logging.getLogger(__name__)

_SCHEMES = ("s3", "gs", "az")
_PATIENCE = 5.0  # seconds that a question waits for the store; then the ledger has the texts
_OPTIONS = {"connect_timeout": "3s", "timeout": "10s", "client_max_retries": "2", "client_retry_timeout": "10"}


class UnsafeStore(StoreError):
    code = (
        "The object store of NOTED_INDEX overwrites files that it was asked to keep (it ignores If-None-Match), so it "
        "would lose rows of the index. Please use another one, such as Amazon S3, or a folder."
    )


def is_folder(uri: str) -> bool:
    """Return True if the index lies on this machine."""
    return "://" not in uri


def storage_options(uri: str) -> dict[str, str] | None:
    """Return options for LanceDB. Address, region and keys come from the environment, such as `AWS_…`."""
    return None if is_folder(uri) else _OPTIONS


def require_safe(uri: str) -> None:
    """Raise StoreError where an object store may not be written to. One out of reach is looked at when it is used."""
    if is_folder(uri):
        return
    if uri.partition("://")[0] not in _SCHEMES:
        raise StoreError("NOTED_INDEX must be a folder, or an object store such as s3://bucket/folder.")
    try:
        check_conditional_put(uri)
    except OSError as error:
        _log.warning("The object store of the index cannot be reached; it is tried again. %s", error)


@cache
def check_conditional_put(uri: str) -> None:
    """Put the same small file twice, and take it away again. Once a store has passed, it is not asked again.

    Raises UnsafeStore, StoreError without the package that this takes, OSError: it cannot be reached or written to.
    """
    try:
        import obstore
        from obstore.exceptions import AlreadyExistsError, BaseError
        from obstore.store import from_url
    except ImportError as error:
        raise StoreError("NOTED_INDEX needs the package obstore, which is not installed.") from error
    name = f"conditional-put-{uuid.uuid4()}"
    # Options of the client take the place of all that the environment says of it, this one included.
    plain = os.environ.get("AWS_ALLOW_HTTP", "").lower() == "true"
    try:
        store = from_url(
            uri,
            client_options={"connect_timeout": "3s", "timeout": "10s", "allow_http": plain},
            retry_config={"max_retries": 2},
        )
        obstore.put(store, name, b"once", mode="create")
        try:
            obstore.put(store, name, b"twice", mode="create")
        except AlreadyExistsError:
            return
        finally:
            obstore.delete(store, name)
    except BaseError as error:
        raise OSError(str(error).partition("\n")[0]) from error
    raise UnsafeStore


def in_time(uri: str, work: Callable[[], T]) -> T:
    """Return what the work returns; with an object store, where LanceDB may try for minutes, within `_PATIENCE`."""
    return work() if is_folder(uri) else begin("index", work).result(_PATIENCE)
