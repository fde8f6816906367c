"""A file that a person brings in on the Memory page comes in pieces. No Gradio."""

from __future__ import annotations

import base64
import binascii
import io
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from time import monotonic

from assistant.errors import InputError, NotedError
from assistant.limits import UNLIMITED
from assistant.ports import Allowance
from assistant.reports.upkeep import Imported
from assistant.types import Scope
from ui.page.panel import View, fields_of, refusing

LARGEST_FILE = 32_000_000
"""Bytes of a file that is brought in."""
PIECE = 120_000
"""Bytes of one piece, at most: written in base64 it is still a request that is let in (`ui.server.guard`)."""
MOST_AT_ONCE = 4
_FORGOTTEN_AFTER = 60.0  # seconds without a further piece, where others wait


class NotWhole(InputError):
    sentence = "The file did not come in whole. Nothing was taken in; please try again."


class TooManyFiles(NotedError):
    sentence = "Too many files are being taken in just now. Please try again in a minute."


class FileTooLarge(InputError):
    sentence = f"This file is larger than {LARGEST_FILE // 1_000_000} MB, so it cannot be taken in here."


@dataclass
class _Coming:
    pieces: list[bytes] = field(default_factory=list)
    size: int = 0
    last: float = 0.0


class ImportHandlers:
    """Collects the pieces of files, one file for each page that a person has open, and takes in those that are whole.

    `take_in` imports the lines of an export. Each file counts as one change of memory. `now` never goes back.
    """

    def __init__(
        self,
        take_in: Callable[[Iterable[bytes], Scope], Imported],
        allowance: Allowance = UNLIMITED,
        now: Callable[[], float] = monotonic,
    ) -> None:
        self._take_in = take_in
        self._allowance = allowance
        self._now = now
        self._lock = threading.Lock()
        self._coming: dict[tuple[str, str], _Coming] = {}

    @refusing
    def piece(self, data: object, scope: Scope, page: str) -> View:
        """The next piece (`bytes`, in base64) of a file: its `place` from 0, and whether it is the `last`.

        Says how many pieces have come (`received`); after the last one, what was `imported`.
        """
        key = (scope.person, page)
        try:
            place, last, piece = _read(data)
            if place == 0:
                self._allowance.save(scope)
            file = self._add(key, place, piece)
        except NotedError:
            self._drop(key)
            raise
        if not last:
            return {"received": place + 1}
        self._drop(key)
        done = self._take_in(io.BytesIO(b"".join(file.pieces)), scope)
        numbers = {"outdated": done.outdated, "counting": done.counting}
        return {"imported": {"new": dict(done.new), "known": dict(done.known), **numbers}}

    def _add(self, key: tuple[str, str], place: int, piece: bytes) -> _Coming:
        with self._lock:
            if place == 0:
                self._make_room(key)
                self._coming[key] = _Coming()
            file = self._coming.get(key)
            if file is None or place != len(file.pieces):
                raise NotWhole
            file.size += len(piece)
            if file.size > LARGEST_FILE:
                raise FileTooLarge
            file.pieces.append(piece)
            file.last = self._now()
            return file

    def _drop(self, key: tuple[str, str]) -> None:
        with self._lock:
            self._coming.pop(key, None)

    def _make_room(self, key: tuple[str, str]) -> None:
        self._coming.pop(key, None)
        if len(self._coming) < MOST_AT_ONCE:
            return
        oldest = min(self._coming, key=lambda other: self._coming[other].last)
        if self._now() - self._coming[oldest].last < _FORGOTTEN_AFTER:
            raise TooManyFiles
        del self._coming[oldest]


def _read(data: object) -> tuple[int, bool, bytes]:
    """Place, whether it is the last one, and content of a piece. Raises NotWhole: it is none."""
    fields = fields_of(data)
    place, last, written = fields.get("place"), fields.get("last"), fields.get("bytes")
    if not isinstance(place, int) or not isinstance(last, bool) or not isinstance(written, str):
        raise NotWhole
    try:
        return place, last, base64.b64decode(written, validate=True)
    except (binascii.Error, ValueError):
        raise NotWhole from None
