"""Write files atomically and durably."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkstemp


@contextmanager
def replace_file(path: Path) -> Iterator[Path]:
    """Yield a temporary file, readable by its owner only, that replaces `path` if the block succeeds.

    Raises OSError if it cannot be created or moved; `path` then stays unchanged.
    """
    descriptor, name = mkstemp(prefix=f".{path.name}.", dir=path.parent)  # mode 0600
    os.close(descriptor)
    temporary = Path(name)
    try:
        yield temporary
        with temporary.open("r+b") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
        sync_folder(path.parent)
    finally:
        with suppress(FileNotFoundError):
            temporary.unlink()


def sync_folder(path: Path) -> None:
    """Sync a folder's entries to disk, if the system can."""
    with suppress(PermissionError):  # Windows opens no folders
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        except OSError as error:
            if error.errno not in {errno.EINVAL, errno.ENOTSUP, errno.ENOSYS}:  # as of some mounts
                raise
        finally:
            os.close(descriptor)
