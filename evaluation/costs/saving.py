"""How long it takes until "Saved" may be said, against what cannot be avoided: one commit with full sync.

What is timed is the call of the page, from the words of a person to the event after which the page says that they are
noted. By turns with it, a row as large as what was saved is committed to a plain SQLite file of its own, opened as the
ledger is. Every one begins at a moment of its own: some disks end what they are told to sync at the ticks of a clock,
and nobody saves in step with that.
"""

import sqlite3
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import sleep, thread_time
from typing import Any, cast
from uuid import uuid4

from assistant.events import Event, Noted
from assistant.settings import EMBEDDED
from assistant.types import Question, Reply, ReplyStatus, Scope, Turn, TurnState
from evaluation.cases import Stored
from evaluation.costs.page import MEASURED, model_server
from evaluation.costs.synthetic import clarifications
from evaluation.costs.timing import Spread, clocked, print_columns, spread
from evaluation.decisions.running import with_progress
from evaluation.store_filling import filled
from memory_store.ledger.database.sqlite_file import connect
from ui.server.services import Services

BAR = 1.3
"""What "Saved" may take by one commit with full sync."""
_PERSON = Scope("person")
_WARM_UP = 10  # saves that are not counted: what is loaded once is not what a save takes
_LONGEST_PAUSE = 0.02  # seconds; some ticks of a disk


@dataclass(frozen=True, slots=True)
class Saved:
    """One store, measured. Milliseconds."""

    name: str  # what else is going on
    entries: int  # how many the person had before
    saves: int  # how many were counted
    saved: Spread  # until "Saved" may be said
    commit: Spread  # one commit of one row
    saved_cpu: Spread  # processor time of the thread that saves
    commit_cpu: Spread  # the same of the commit

    @property
    def ratio(self) -> float:
        """The median of "Saved" by that of the commit."""
        return self.saved.p50 / self.commit.p50

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"ratio": self.ratio}


def measure_all(entries: int, saves: int, seed: int) -> Iterator[Saved]:
    """A new store; one with so many entries; and the same with all that the app does beside it."""
    yield measure("a new store", 0, saves, seed)
    yield measure("a filled store", entries, saves, seed)
    with model_server() as api_base:
        yield measure("the same, index and keys being written", entries, saves, seed, api_base)


def measure(name: str, entries: int, saves: int, seed: int, api_base: str | None = None) -> Saved:
    """Save so many clarifications in a store that has so many entries, with their index.

    With `api_base`, of a model that writes keys, all that the app does in the background is done; without, nothing is.
    """
    made_up = clarifications(seed, _PERSON.person)
    random = Random(seed)  # noqa: S311  a repeatable choice is wanted
    model = MEASURED if api_base else EMBEDDED
    with filled(tuple(islice(made_up, entries)), model, api_base) as app, _plain_file() as commit:
        if api_base:
            app.services.start()
        timed = []
        for corrected in with_progress(list(islice(made_up, _WARM_UP + saves)), name):
            timed.append(_timed(corrected, app.services, commit, random))
            if api_base:
                # The question is asked again, which waits for the index; the keys of the entry are written meanwhile.
                app.services.parts.recall(Question(corrected.questions[0]), _PERSON)
        app.services.settle()
    return Saved(name, entries, saves, *(spread(column) for column in zip(*timed[_WARM_UP:], strict=True)))


def _timed(
    corrected: Stored, services: Services, commit: Callable[[str], object], random: Random
) -> tuple[float, float, float, float]:
    """A save and a commit: both as they took, and both of the processor alone."""
    reply = Reply.of(raw="", understanding=corrected.wrong_understanding, answer="An answer.", status=ReplyStatus.OK)
    question, conversation = corrected.questions[0], str(uuid4())
    turn = Turn(str(uuid4()), conversation, corrected.owner, question, state=TurnState.ANSWERED, reply=reply)
    services.assistant.runner.turn_store.record(turn, _PERSON)
    sleep(random.uniform(0, _LONGEST_PAUSE))
    events = services.assistant.clarify(turn.id, corrected.feedback, _PERSON)
    noted = partial(next, (one.entry for one in events if isinstance(one, Noted)))
    with closing(cast(Generator[Event, None, None], events)):
        entry, saved, saved_cpu = clocked(noted, thread_time)
    sleep(random.uniform(0, _LONGEST_PAUSE))
    _, committed, commit_cpu = clocked(lambda: commit(repr(entry)), thread_time)
    return saved, committed, saved_cpu, commit_cpu


@contextmanager
def _plain_file() -> Iterator[Callable[[str], object]]:
    """What commits a text as one row, in a SQLite file on the disk on which the store is."""
    with TemporaryDirectory(prefix="noted-evaluation-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "plain.sqlite3"
        with closing(connect(path, lambda: sqlite3.connect(path))) as connection:
            connection.execute("CREATE TABLE rows (id TEXT PRIMARY KEY, text TEXT NOT NULL)")
            # Without `BEGIN`, a statement is a transaction of its own.
            yield lambda text: connection.execute("INSERT INTO rows VALUES (?, ?)", (str(uuid4()), text))


def show_saved(measured: Sequence[Saved]) -> None:
    """Print times, milliseconds as p50 / p95, a column per store."""
    rows: dict[str, Callable[[Saved], object]] = {
        "entries before": lambda one: f"{one.entries:,}",
        "saves": lambda one: f"{one.saves:,}",
        f"ratio of the medians (bar {BAR})": lambda one: f"{one.ratio:.2f}",
        'until "Saved" may be said, ms': lambda one: one.saved,
        "one commit of one row, ms": lambda one: one.commit,
        'processor until "Saved", ms': lambda one: one.saved_cpu,
        "processor of the commit, ms": lambda one: one.commit_cpu,
    }
    print_columns('"Saved"', {one.name: one for one in measured}, rows)
