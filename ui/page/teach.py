"""The tab Teach: facts, suggestions, the fact sheet, imports, and work on a text: reading, study questions, practice.

No text is stored. Results of a practice are found by their turns, so that the same text continues after a stop.
"""

import asyncio
import base64
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import aclosing, closing
from dataclasses import asdict
from tempfile import TemporaryFile
from typing import IO, Annotated, ClassVar
from weakref import WeakValueDictionary

from pydantic import BeforeValidator, Field
from typing_extensions import TypedDict

from assistant.errors import InputError, NotedError
from assistant.kinds import MOST_TRIPLES, Triple
from assistant.papers.expnote.practice import Exercises
from assistant.papers.memllm.sheet import Lines, Order
from assistant.papers.selection.study import SAMPLES, Passage, Study
from assistant.reports.upkeep import Imported
from assistant.sentences import Sentence
from assistant.settings import MOST_DRAFTS
from assistant.text.cleaning import check_text
from assistant.text.tables import decode
from assistant.types import Entry, Scope
from ui.actions import teaching
from ui.actions.arguments import LONGEST_TEXT
from ui.actions.call import Call
from ui.actions.memory import erases, forget
from ui.actions.operation import Role, operation
from ui.page.handlers import Handlers, Kind, View, event, handler_of, parse_fields, parse_number, parse_text, perform
from ui.page.views import undo_fact
from ui.server.request_policy import LARGEST_FILE
from ui.server.services import Services
from ui.streaming.runs import Run, Runs, StillAnswering, TooManyAnswers

PAGE_SIZE = 50
"""Number of lines of the fact sheet shown at once."""
_FURTHEST = 10**9
_LONGEST_SENTENCE = 1_000
_MOST_TOLD = 3  # reasons shown
_MOST_KEPT = 500  # sentences per request
_MOST_BAD = 20
_MOST_FILES = 24  # uploads and imports at once
_AT_ONCE = 2  # of these, imports that are not waiting
_SECONDS_FOR_A_FILE = 120.0
_SECONDS_TO_STOP = 30.0
_SECONDS_BETWEEN_VIEWS = 0.5


def parse_file(data: object) -> str:
    """Return the text of a file that a browser sent (`bytes`, in base64). Raises InputError if it is not a text."""
    try:
        content = base64.b64decode(parse_text(data, "bytes"), validate=True)
    except ValueError:
        raise InputError from None
    return decode(content)


@event()
def decode_file(_panel: Handlers, data: object) -> View:
    """Decode a file that a user chose for a field of a form."""
    return {"file_text": parse_file(data)}


@operation(saves=True)
def tell_fact(call: Call, text: Annotated[str, Role.WORDS]) -> Entry:
    """Save a sentence as a fact, like a chat message that tells it."""
    return call.services.keep_fact(text, call.scope)


class TeachHandlers(Handlers):
    """Told facts. Each handler returns the view of `look`, with the fact just `saved`."""

    element = "teach"

    @event()
    def look(self, _data: object, scope: Scope) -> View:
        """Count the lines of the fact sheet and their subjects."""
        lines = self._services.sheet.lines(scope, Lines()).lines
        return {"sheet": {"facts": len(lines), "things": len({line.triple.subject for line in lines})}}

    @event(Kind.CALLING)
    def tell(self, data: object, scope: Scope, page: str) -> View:
        entry = perform(tell_fact, self._call(scope, page), data)
        return self.look(data, scope) | {"done": "told", "saved": {"entry": entry.id, "text": entry.shown}}

    undo = handler_of(undo_fact, "undone")


class SuggestionHandlers(Handlers):
    """Suggestions of models that wait for the user's decision, in one list beside the tab.

    Each handler returns `{"suggestions": [{"turn", "of", "number", "question", "line"}]}`, where `line` is the text of
    a lesson, or the three parts of a fact; `of` is as in `decide`.
    """

    element = "suggestions"

    @event()
    def look(self, _data: object, scope: Scope) -> View:
        """Return waiting suggestions: lessons, then facts, newest first."""
        lessons, facts = self._services.lessons.waiting(scope), self._services.triples.waiting(scope)
        waiting = [("lesson", turn, one.number, [one.said.rule]) for turn, one in lessons]
        waiting += [("fact", turn, one.number, [*one.said.model_dump().values()]) for turn, one in facts]
        views = [
            {"turn": turn.id, "of": of, "number": number, "question": turn.question, "line": line}
            for of, turn, number, line in waiting
        ]
        return {"suggestions": views}

    decide = handler_of(teaching.decide)


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
            {"name": line.name, **line.triple.model_dump(), "from": line.entry.shown}
            | {"since": line.entry.created.isoformat()}
            for line in page.lines
        ]
        return {"lines": lines, "first": first, "total": page.total, "more": first + PAGE_SIZE < page.total}

    change_line = handler_of(teaching.change_line, "sheet_changed")
    remove_line = handler_of(teaching.remove_line, "sheet_taken_off")

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
        done = perform(teaching.import_sheet, self._call(scope), data, text=parse_file(data))
        told = {"taken": done.saved, "bad": done.why_not[:_MOST_BAD], "bad_total": len(done.why_not)}
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
        steps = self._services.store.take_in(file, scope)
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


class _Told(TypedDict):
    """A sentence with the lines of its triples."""

    text: str
    triples: Annotated[
        list[Annotated[Triple, BeforeValidator(lambda line: Triple.read(str(line)))]],
        Field(min_length=1, max_length=MOST_TRIPLES),
    ]


@operation()
def keep_facts(
    call: Call, facts: Annotated[list[_Told], Field(min_length=1, max_length=_MOST_KEPT)]
) -> teaching.SheetImport:
    """Save facts of a text."""
    return teaching.save_facts(call, [(check_text(one["text"], _LONGEST_SENTENCE), one["triples"]) for one in facts])


class LearnHandlers(Handlers):
    """Reading a text: read facts sentence by sentence, and save the selected ones."""

    element = "learn"
    constants: ClassVar = {"longest": LONGEST_TEXT}

    @event(Kind.STREAM)
    def read(self, data: object, scope: Scope, page: str) -> AsyncGenerator[View, None]:
        """Stream the facts read in a `text`, and how many sentences are done."""

        def views(call: Call) -> Iterator[View]:
            shown = 0
            for so_far in perform(teaching.learn, call, data):
                read = [{"text": one.sentence, "line": one.line} for one in so_far.read[shown:]]
                shown = len(so_far.read)
                yield {"read": read, "done": so_far.done, "of": so_far.of}

        return self._stream(scope, page, views)

    @event()
    def keep(self, data: object, scope: Scope) -> View:
        """Save `facts`: sentences (`text`) with the lines of their triples (`triples`)."""
        done = perform(keep_facts, self._call(scope), data)
        return {"kept": done.saved, "why": done.why_not[:_MOST_TOLD]}

    decode_file = decode_file


class StudyHandlers(Handlers):
    """Study questions about a text, the best of several each time."""

    element = "study"
    constants: ClassVar = {"longest": LONGEST_TEXT, "most": MOST_DRAFTS, "samples": SAMPLES}

    @event(Kind.CALLING)
    def plan(self, data: object, scope: Scope, page: str) -> View:
        """Count the passages of a `text`, or answers, to ask about, and the maximum number of model calls."""
        study, passages, samples = self._passages(self._call(scope, page), data)
        return {"places": len(passages), "calls": study.most_calls(len(passages), samples)}

    @event(Kind.STREAM)
    def make(self, data: object, scope: Scope, page: str) -> AsyncGenerator[View, None]:
        """Stream the questions for the passages from `done` on."""

        def views(call: Call) -> Iterator[View]:
            study, passages, samples = self._passages(call, data)
            done, shown = parse_number(data, "done", len(passages), 0), 0
            for so_far in teaching.write_questions(call, study, passages[done:], samples):
                yield {"made": [one.model_dump() for one in so_far.questions[shown:]]}
                shown = len(so_far.questions)

        return self._stream(scope, page, views)

    decode_file = decode_file

    def _passages(self, call: Call, data: object) -> tuple[Study, Sequence[Passage], int]:
        """Return the study, the passages to ask about, and how many questions to write for each."""
        text, answers = parse_text(data, "text"), parse_text(data, "answers")
        answers = check_text(answers, LONGEST_TEXT) if answers.strip() else ""
        samples = parse_number(data, "samples", MOST_DRAFTS, SAMPLES)
        return *teaching.passages_of(call, text, answers.splitlines()), samples


class PracticeHandlers(Handlers):
    """Practice: the model answers the user's questions, and its lessons are kept or not."""

    element = "practice"
    constants: ClassVar = {"longest": LONGEST_TEXT}

    @event(Kind.STREAM)
    def practise(self, data: object, scope: Scope, page: str) -> AsyncGenerator[View, None]:
        """Practise a `text`: stream results and lessons, without the tests of the first `tested` held-out questions."""

        def views(call: Call) -> Iterator[View]:
            exercises, name = self._exercises(call, data)
            practice, tested = teaching.practice_of(call), parse_number(data, "tested", LONGEST_TEXT, 0)
            for so_far in practice.run(name, exercises, scope, tested):
                tests = [{"before": one.before, "after": one.right, "used": list(one.used)} for one in so_far.tests]
                shown = teaching.practised(so_far, exercises, practice.lessons(name, scope))
                yield shown.model_dump() | {"tests": tests}

        return self._stream(scope, page, views)

    @event()
    def keep(self, data: object, scope: Scope) -> View:
        _, name = self._exercises(self._call(scope), data)
        return {"kept": self._services.practice.keep(name, scope)}

    @event()
    def forget(self, data: object, scope: Scope) -> View:
        _, name = self._exercises(self._call(scope), data)
        return {"forgotten": self._services.practice.forget(name, scope)}

    decode_file = decode_file

    def _exercises(self, call: Call, data: object) -> tuple[Exercises, str]:
        """Return the exercises of a text and the name of their practice."""
        header = parse_fields(data).get("header")  # the user's answer whether a table has one
        return teaching.exercises_of(call, parse_text(data, "text"), header if isinstance(header, bool) else None)
