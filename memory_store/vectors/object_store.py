"""Reach the object store that several machines share for an index, and check that it is safe.

Concurrent writers rely on conditional PUT (`If-None-Match: *`): a store that overwrites would lose acknowledged rows.
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
_TIMEOUT = 5.0  # seconds that a question waits for the store; then the ledger's word search answers
OPTIONS = {"connect_timeout": "3s", "timeout": "10s", "client_max_retries": "2", "client_retry_timeout": "10"}
"""Of LanceDB's client; address, region and keys come from the environment (`AWS_…`)."""


class UnsafeStore(StoreError):
    code = (
        "The object store of NOTED_INDEX overwrites files that it was asked to keep (it ignores If-None-Match), so it "
        "would lose rows of the index. Please use another one, such as Amazon S3, or a folder."
    )


def is_folder(uri: str) -> bool:
    return "://" not in uri


def require_safe(uri: str) -> None:
    """Raise StoreError if an object store is unsafe. An unreachable one is checked when it is used."""
    if is_folder(uri):
        return
    if uri.partition("://")[0] not in _SCHEMES:
        raise StoreError("NOTED_INDEX must be a folder, or an object store such as s3://bucket/folder.")
    try:
        check_conditional_put(uri)
    except OSError as error:
        _log.warning("The object store of the index cannot be reached; trying again later. %s", error)


@cache
def check_conditional_put(uri: str) -> None:
    """Create the same small file twice, and delete it. A store that passed is not checked again.

    Raises UnsafeStore, StoreError if obstore is not installed, OSError if the store cannot be reached or written.
    """
    try:
        import obstore
        from obstore.exceptions import AlreadyExistsError, BaseError
        from obstore.store import from_url
    except ImportError as error:
        raise StoreError("NOTED_INDEX needs the package obstore, which is not installed.") from error
    name = f"conditional-put-{uuid.uuid4()}"
    # Client options override all environment variables, including this one.
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


def run_with_timeout(uri: str, work: Callable[[], T]) -> T:
    """Return the result of `work`; for an object store, within `_TIMEOUT`, as LanceDB may retry for minutes."""
    return work() if is_folder(uri) else begin("index", work).result(_TIMEOUT)
