"""The tab Teach: tell facts, decide on suggestions, edit the fact sheet, and import an export."""

import asyncio
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import aclosing, closing
from dataclasses import asdict
from tempfile import TemporaryFile
from typing import IO, Annotated, ClassVar
from weakref import WeakValueDictionary

from assistant.errors import NotedError
from assistant.papers.memllm.sheet import Lines, Order
from assistant.reports.upkeep import Imported
from assistant.sentences import Sentence
from assistant.types import Entry, Scope
from ui.actions import teaching
from ui.actions.call import Call
from ui.actions.memory import erases, forget
from ui.actions.operation import Role, operation
from ui.page.handlers import (
    Handlers,
    Kind,
    View,
    event,
    operation_handler,
    parse_file,
    parse_number,
    parse_text,
    perform,
)
from ui.page.views import undo_fact
from ui.server.request_policy import LARGEST_FILE
from ui.server.services import Services
from ui.streaming.runs import Run, Runs, StillAnswering, TooManyAnswers

PAGE_SIZE = 50
"""Number of lines of the fact sheet shown at once."""
_FURTHEST = 10**9
_MOST_BAD = 20
_MOST_FILES = 24  # uploads and imports at once
_AT_ONCE = 2  # of these, imports that are not waiting
_SECONDS_FOR_A_FILE = 120.0
_SECONDS_TO_STOP = 30.0
_SECONDS_BETWEEN_VIEWS = 0.5


@operation(saves=True)
def tell_fact(call: Call, text: Annotated[str, Role.WORDS]) -> Entry:
    """Save a sentence as a fact, like a chat message that tells it."""
    return call.services.keep_fact(text, call.scope)


class TeachHandlers(Handlers):
    """Told facts. Each handler returns the view of `look`, with the fact just `saved`."""

    element = "teach"

    def props(self) -> Mapping[str, object]:
        return {"longest": self._services.assistant.limits.clarification}

    @event()
    def look(self, _data: object, scope: Scope) -> View:
        """Count the lines of the fact sheet and their subjects."""
        lines = self._services.sheet.lines(scope, Lines()).lines
        return {"sheet": {"facts": len(lines), "things": len({line.triple.subject for line in lines})}}

    @event(Kind.CALLING)
    def tell(self, data: object, scope: Scope, page: str) -> View:
        entry = perform(tell_fact, self._call(scope, page), data)
        return self.look(data, scope) | {"done": "told", "saved": {"entry": entry.id, "text": entry.shown}}

    undo = operation_handler(undo_fact, "undone")


class SuggestionHandlers(Handlers):
    """Suggestions of models that wait for the user's decision, in one list beside the tab.

    Each handler returns `{"suggestions": [{"turn", "of", "number", "question", "line"}]}`, where `line` is the text of
    a lesson, or the three parts of a fact; `of` is as in `decide`.
    """

    element = "suggestions"

    @event()
    def look(self, _data: object, scope: Scope) -> View:
        """Return waiting suggestions: lessons, then facts, newest first."""
        services = self._services
        waiting = [("lesson", turn, one.number, [one.said.rule]) for turn, one in services.lessons.waiting(scope)]
        waiting += [
            ("fact", turn, one.number, [*one.said.model_dump().values()])
            for turn, one in services.triples.waiting(scope)
        ]
        views = [
            {"turn": turn.id, "of": of, "number": number, "question": turn.question, "line": line}
            for of, turn, number, line in waiting
        ]
        return {"suggestions": views}

    decide = operation_handler(teaching.decide)


class SheetHandlers(Handlers):
    """The fact sheet. Each handler returns the view of `look`, with `done`, the name of a string, after an action."""

    element = "sheet"
    constants: ClassVar = {"step": PAGE_SIZE, "orders": [*Order]}

    @event()
    def look(self, data: object, scope: Scope) -> View:
        """Return a page of the lines that contain `search` or are of one thing (`of`), sorted by `order`."""
        call, first = self._call(scope), parse_number(data, "first", _FURTHEST, 0)
        page = perform(teaching.sheet, call, data, limit=PAGE_SIZE, offset=first)
        if first and not page.lines:  # the last line of this page was removed
            first = max(0, page.total - 1) // PAGE_SIZE * PAGE_SIZE
            page = perform(teaching.sheet, call, data, limit=PAGE_SIZE, offset=first)
        lines = [
            {
                "name": line.name,
                **line.triple.model_dump(),
                "since": line.entry.created.isoformat(),
                "from": line.entry.shown,
            }
            for line in page.lines
        ]
        return {"lines": lines, "first": first, "total": page.total, "more": first + PAGE_SIZE < page.total}

    change_line = operation_handler(teaching.change_line, "sheet_changed")
    remove_line = operation_handler(teaching.remove_line, "sheet_taken_off")

    @event()
    def weigh(self, data: object, scope: Scope) -> View:
        """Return, as `takes`, the counts of things that would be erased with the fact of a line (`line`)."""
        return {"takes": dict(erases(self._call(scope), self._entry(data, scope)))}

    @event()
    def forget(self, data: object, scope: Scope) -> View:
        """Erase the fact of a line (`line`) and everything made of it."""
        receipt = forget(self._call(scope), self._entry(data, scope))
        return self.look(data, scope) | {"done": "forgotten", "receipt": receipt}

    @event()
    def export(self, data: object, scope: Scope) -> View:
        """Return all lines as a file in `format`: csv or json."""
        return {"done": "sheet_exported", "file": perform(teaching.export_sheet, self._call(scope), data).file}

    @event()
    def take_in(self, data: object, scope: Scope) -> View:
        """Save each line of a file (`bytes`) as a fact; `bad` lists the rejected ones."""
        saved, why_not = perform(teaching.import_sheet, self._call(scope), data, text=parse_file(data))
        told = {"taken": saved, "bad": why_not[:_MOST_BAD], "bad_total": len(why_not)}
        return self.look(data, scope) | {"done": "sheet_brought_in"} | told

    def _entry(self, data: object, scope: Scope) -> str:
        """Return the id of the fact of a line. Raises NotFound."""
        entry, _ = self._services.sheet_editing.named(parse_text(data, "line"), scope)
        return entry.id


class ImportHandlers(Handlers):
    """Import of an export, one per user at a time: one request sends the file, its response streams the progress.

    Each file counts as one change of memory.
    """

    element = "import"
    constants: ClassVar = {"largest": LARGEST_FILE}

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._runs = Runs(_MOST_FILES, _SECONDS_BETWEEN_VIEWS, services.runs.is_known)
        self._turn = threading.Semaphore(_AT_ONCE)
        self._running: WeakValueDictionary[str, Run] = WeakValueDictionary()  # by user

    @event(Kind.UPLOAD)
    async def take_in(self, content: AsyncIterator[bytes], scope: Scope) -> AsyncGenerator[View, None]:
        """Receive a file and import it; yield the progress (`taking`), and at the end what was `imported`.

        Closing the generator stops the import; imported entries stay.
        """
        try:
            with self._runs.begin(scope, "import") as run:
                self._services.assistant.allowance.save(scope)
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
        steps = self._services.upkeep.take_in(file, scope)
        with file, self._turn, closing(steps):  # type: ignore[type-var]
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
