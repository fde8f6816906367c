"""Files that the commands write and read."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated, TypeVar

import typer

from assistant.errors import HeaderUnclear, InputError
from assistant.text.cleaning import printable
from assistant.text.decoding import decode
from ui.terminal.command_parts import echo

Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether line 1 is the header; else it asks if that is unclear."),
]
_Read = TypeVar("_Read")


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


def read_table_in(file: Path, header: bool | None, read: Callable[[str, bool | None], _Read]) -> _Read:
    """Read the text of a file as a table, and ask about its header if that is unclear; where nobody can be asked, the
    first line is taken as one. Raises InputError: it cannot be read.
    """
    text = text_in(file)
    try:
        return read(text, header)
    except HeaderUnclear as unclear:
        if sys.stdin.isatty() and sys.stderr.isatty():
            return read(text, typer.confirm(printable(str(unclear)), err=True))
        echo(f"{unclear} It was taken as one and left out; say --no-header if it is none.", err=True)
        return read(text, True)  # so that no header is learnt


def decoded(written: bytes) -> str:
    """Read bytes as UTF-8, or else as standard input is encoded; what that lacks becomes U+FFFD."""
    try:
        return written.decode()
    except UnicodeDecodeError:
        return written.decode(sys.stdin.encoding, "replace")
