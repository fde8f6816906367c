"""Import of an export, a card of the tab Teach: upload in pieces, then import in the background."""

from __future__ import annotations

import base64
import binascii
import logging
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from time import monotonic
from typing import IO

from assistant.errors import NotedError
from assistant.reports.upkeep import Imported
from assistant.types import Scope
from ui.page.panel import Panel, View, convert_refusals, parse_fields
from ui.page.teach.uploads import LARGEST_FILE, NotWhole, Uploads
from ui.server.services import Services

PIECE = 120_000
"""Maximum bytes of a piece: in base64 it still fits the request limit (`ui.server.request_policy`)."""
_AT_ONCE = 2  # concurrent imports; others wait
_KEPT = 200  # results not fetched yet
_SECONDS_TO_STOP = 30.0
_SECONDS_UNASKED = 180.0  # a hidden tab polls once a minute

_log = logging.getLogger(__name__)


class OneAtATime(NotedError):
    code = "import.one_at_a_time"


class BrokenOff(NotedError):
    code = "import.broken_off"


@dataclass
class _Import:
    person: str
    asked: float  # time of the page's last request
    so_far: Imported = field(default_factory=lambda: Imported({}, {}))
    error: NotedError | None = None
    stopping: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)


class ImportHandlers:
    """Handlers of uploads and imports, one per user at a time. `now` is a monotonic clock.

    Each file counts as one change of memory.
    """

    def __init__(self, services: Services, now: Callable[[], float] = monotonic) -> None:
        self._take_in = services.upkeep.take_in
        self._allowance = services.assistant.allowance
        self._now = now
        self._uploads = Uploads(now)
        self._lock = threading.Lock()
        self._turn = threading.Semaphore(_AT_ONCE)
        self._imports: dict[tuple[str, str], _Import] = {}

    def panel(self) -> Panel:
        props = {"piece": PIECE, "largest": LARGEST_FILE}
        return Panel("import", page_events=(self.piece, self.taking, self.stop_taking), props=props)

    @convert_refusals
    def piece(self, data: object, scope: Scope, page: str) -> View:
        """Add a piece of a file (`bytes`, in base64) with its `place` from 0; import the file after the `last` one.

        Returns the number of pieces (`received`), and after the last one the view of `taking`.
        """
        try:
            place, last, piece = _read(data)
            if place == 0:
                self._allowance.save(scope)
            self._uploads.add(scope, page, place, piece)
        except NotedError:
            self._uploads.drop(scope, page)
            raise
        if not last:
            return {"received": place + 1}
        self._begin(self._uploads.whole(scope, page), scope, page)
        return self.taking(data, scope, page)

    @convert_refusals
    def taking(self, _data: object, scope: Scope, page: str) -> View:
        """Return the progress of this page's import (`taking`: `done` of `of` lines), or its result.

        The result has counts of `imported` entries, and `stopped` if it ended early.
        """
        known = self._imports.get((scope.person, page))
        if known is None:
            raise NotWhole
        known.asked = self._now()
        if not known.over.is_set():
            return {"taking": {"done": known.so_far.done, "of": known.so_far.of}}
        if known.error:
            raise known.error
        done = known.so_far
        numbers = {"outdated": done.outdated, "counting": done.counting, "dropped": done.dropped}
        stopped = known.stopping.is_set() and done.done < done.of
        return {"imported": {"new": dict(done.new), "known": dict(done.known), **numbers}, "stopped": stopped}

    @convert_refusals
    def stop_taking(self, data: object, scope: Scope, page: str) -> View:
        """Stop the import of this page; imported entries stay."""
        if known := self._imports.get((scope.person, page)):
            known.stopping.set()
        return self.taking(data, scope, page)

    def stop_all(self, scope: Scope) -> None:
        """Stop all imports of a user, and wait until they have ended."""
        mine = self._running(scope)
        for known in mine:
            known.stopping.set()
        for known in mine:
            known.over.wait(_SECONDS_TO_STOP)

    def _running(self, scope: Scope) -> list[_Import]:
        everybody = list(self._imports.values())
        return [known for known in everybody if known.person == scope.person and not known.over.is_set()]

    def _begin(self, file: IO[bytes], scope: Scope, page: str) -> None:
        known = _Import(scope.person, self._now())
        with self._lock:
            if self._running(scope):
                file.close()
                raise OneAtATime
            for key in [key for key, other in self._imports.items() if other.over.is_set()][:-_KEPT]:
                del self._imports[key]
            self._imports[scope.person, page] = known
        threading.Thread(target=self._run, args=(known, file, scope), name="import", daemon=True).start()

    def _run(self, known: _Import, file: IO[bytes], scope: Scope) -> None:
        try:
            with self._turn, file, closing(self._take_in(file, scope)) as steps:  # type: ignore[type-var]
                for known.so_far in steps:
                    if self._now() - known.asked > _SECONDS_UNASKED:  # the user has left; it can be resumed
                        known.stopping.set()
                    if known.stopping.is_set():
                        break
        except NotedError as error:
            known.error = error
        except Exception:  # the user gets an error, the log the cause
            _log.exception("A file could not be taken in.")
            known.error = BrokenOff()
        finally:
            known.over.set()


def _read(data: object) -> tuple[int, bool, bytes]:
    """Parse place, last flag and content of a piece. Raises NotWhole: it is invalid."""
    fields = parse_fields(data)
    place, last, written = fields.get("place"), fields.get("last"), fields.get("bytes")
    if not isinstance(place, int) or not isinstance(last, bool) or not isinstance(written, str):
        raise NotWhole
    try:
        return place, last, base64.b64decode(written, validate=True)
    except (binascii.Error, ValueError):
        raise NotWhole from None
