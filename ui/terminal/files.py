"""Files that the commands write and read."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from assistant.errors import InputError
from assistant.text.decoding import decode


@contextmanager
def written(file: Path) -> Iterator[IO[bytes]]:
    """A file that only its owner may read, or standard output. Raises InputError: it cannot be written."""
    if str(file) == "-":
        yield sys.stdout.buffer
        return
    try:
        file.touch(mode=0o600)
        if file.is_file():  # one that was there already
            file.chmod(0o600)
        with file.open("wb") as out:
            yield out
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}.") from error


@contextmanager
def read(file: Path) -> Iterator[IO[bytes]]:
    """A file. Raises InputError: it cannot be read."""
    try:
        with file.open("rb") as lines:
            yield lines
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from error


def text_in(file: Path) -> str:
    """Return the text of a file, in whatever encoding. Raises InputError: it cannot be read."""
    with read(file) as lines:
        return decode(lines.read())


def decoded(written: bytes) -> str:
    """Read bytes as UTF-8, or else as standard input is encoded; what that lacks becomes U+FFFD."""
    try:
        return written.decode()
    except UnicodeDecodeError:
        return written.decode(sys.stdin.encoding, "replace")
