"""Uploads in pieces, spooled to unnamed temporary files."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from tempfile import SpooledTemporaryFile
from time import monotonic
from typing import IO

from assistant.errors import InputError, NotedError
from assistant.types import Scope

LARGEST_FILE = 32_000_000
"""Maximum bytes of a file."""
MOST_OF_ONE = 3
"""Concurrent uploads per address of visitors, else per user."""
MOST_AT_ONCE = 24
_IN_MEMORY = 500_000  # bytes; larger files are spooled to disk

_Place = tuple[str, str]  # user and page


class NotWhole(InputError):
    code = "upload.not_whole"


class FileTooLarge(InputError):
    def __init__(self) -> None:
        super().__init__("upload.too_large", megabytes=LARGEST_FILE // 1_000_000)


class NoRoom(NotedError):
    code = "upload.no_room"


def _spool() -> IO[bytes]:
    return SpooledTemporaryFile(_IN_MEMORY)


@dataclass
class _Upload:
    whose: str
    last: float
    content: IO[bytes] = field(default_factory=_spool)
    pieces: int = 0


class Uploads:
    """Unfinished uploads, one per user and page. `now` is a monotonic clock.

    If there are too many, the one that has been idle longest is dropped, of the same address first, so that abandoned
    uploads keep nobody out.
    """

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._coming: dict[_Place, _Upload] = {}

    def add(self, scope: Scope, page: str, place: int, piece: bytes) -> None:
        """Add the next piece, from 0. Raises NotWhole, FileTooLarge or NoRoom, and drops the upload."""
        key = (scope.person, page)
        with self._lock:
            if place == 0:
                self._drop(key)
                self._make_room(scope.address or scope.person)
                self._coming[key] = _Upload(scope.address or scope.person, self._now())
            file = self._coming.get(key)
            try:
                if file is None or place != file.pieces:
                    raise NotWhole
                if file.content.tell() + len(piece) > LARGEST_FILE:
                    raise FileTooLarge
                file.content.write(piece)
            except OSError as error:
                self._drop(key)
                raise NoRoom from error
            except NotedError:
                self._drop(key)
                raise
            file.pieces += 1
            file.last = self._now()

    def whole(self, scope: Scope, page: str) -> IO[bytes]:
        """Remove and return a finished file, at its beginning; the caller closes it. Raises NotWhole."""
        with self._lock:
            file = self._coming.pop((scope.person, page), None)
        if file is None:
            raise NotWhole
        file.content.seek(0)
        return file.content

    def drop(self, scope: Scope, page: str) -> None:
        with self._lock:
            self._drop((scope.person, page))

    def _drop(self, key: _Place) -> None:
        if (file := self._coming.pop(key, None)) is not None:
            file.content.close()

    def _make_room(self, whose: str) -> None:
        for most, some in ((MOST_OF_ONE, self._of(whose)), (MOST_AT_ONCE, [*self._coming])):
            if len(some) >= most:
                self._drop(min(some, key=lambda place: self._coming[place].last))

    def _of(self, whose: str) -> list[_Place]:
        return [place for place, file in self._coming.items() if file.whose == whose]
