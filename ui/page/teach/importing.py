"""Import of an export, a card of the tab Teach: one request sends the file, its response streams the progress."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, closing
from dataclasses import asdict
from tempfile import TemporaryFile
from typing import IO
from weakref import WeakValueDictionary

from assistant.errors import NotedError
from assistant.reports.upkeep import Imported
from assistant.sentences import Sentence
from assistant.types import Scope
from ui.page.panel import Panel, View
from ui.server.request_policy import LARGEST_FILE
from ui.server.services import Services
from ui.streaming.runs import Run, Runs, StillAnswering, TooManyAnswers

_MOST_FILES = 24  # uploads and imports at once
_AT_ONCE = 2  # of these, imports that are not waiting
_SECONDS_FOR_A_FILE = 120.0
_SECONDS_TO_STOP = 30.0
_SECONDS_BETWEEN_VIEWS = 0.5


class ImportHandlers:
    """Handlers of imports, one per user at a time. Each file counts as one change of memory."""

    def __init__(self, services: Services) -> None:
        self._import_lines = services.upkeep.take_in
        self._allowance = services.assistant.allowance
        self._runs = Runs(_MOST_FILES, _SECONDS_BETWEEN_VIEWS, services.runs.is_known)
        self._turn = threading.Semaphore(_AT_ONCE)
        self._running: WeakValueDictionary[str, Run] = WeakValueDictionary()  # by user

    def panel(self) -> Panel:
        return Panel("import", uploads=(self.take_in,), props={"largest": LARGEST_FILE})

    async def take_in(self, content: AsyncIterator[bytes], scope: Scope) -> AsyncGenerator[View, None]:
        """Receive a file and import it; yield the progress (`taking`), and at the end what was `imported`.

        Closing the generator stops the import; imported entries stay.
        """
        try:
            with self._runs.begin(scope, "import") as run:
                self._allowance.save(scope)
                self._running[scope.person] = run
                async with asyncio.timeout(_SECONDS_FOR_A_FILE):
                    file = await _receive(content)
                yield {"taking": {"done": 0, "of": 0}}
                done = Imported({}, {}, of=1)
                async with aclosing(run.batches_in_loop(self._steps(file, scope))) as batches:
                    async for batch in batches:
                        done = batch[-1]
                        yield {"taking": {"done": done.done, "of": done.of}}
            yield {"imported": asdict(done), "stopped": done.done < done.of}
        except StillAnswering:
            yield {"refused": Sentence("import.one_at_a_time")}
        except TimeoutError:
            yield {"refused": Sentence("upload.not_whole")}
        except (TooManyAnswers, OSError):  # the disk is full
            yield {"refused": Sentence("upload.no_room")}
        except NotedError as error:
            yield {"refused": error.sentence}

    def stop_all(self, scope: Scope) -> None:
        """Stop the import of a user, and wait until it has ended."""
        if run := self._running.get(scope.person):
            run.stop()
            run.ended(_SECONDS_TO_STOP)

    def _steps(self, file: IO[bytes], scope: Scope) -> Iterator[Imported]:
        with file, self._turn, closing(self._import_lines(file, scope)) as steps:  # type: ignore[type-var]
            yield from steps


async def _receive(content: AsyncIterator[bytes]) -> IO[bytes]:
    """Write an upload to an unnamed temporary file. Raises OSError."""
    file = TemporaryFile()  # noqa: SIM115  the caller closes it
    try:
        async for piece in content:
            file.write(piece)
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file
