"""What a chat feels: what a question, a save and a restart cost with more and more memories, against what they must.

What is compared is asked by turns, so that what else the machine does touches both alike. All is measured in one
process in which nothing runs beside it, but for restarts, which are processes of their own.
"""

import json
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import sleep, thread_time
from typing import Any, cast
from uuid import uuid4

from app import compose
from assistant.conversation import Assistant
from assistant.events import Event, Saved, Started
from assistant.model_usage import Count, not_counted
from assistant.types import Message, Question, Scope
from evaluation.cases import Stored
from evaluation.costs.filling import fill
from evaluation.costs.processes import process
from evaluation.costs.synthetic import clarifications, questions
from evaluation.costs.timing import Row, Timed, both, clocked, machine, middle, show_rows, timed
from evaluation.decisions.running import with_progress
from evaluation.store_filling import settings_in
from memory_store.embedding.embedder import SentenceEmbedder, choose_embedder
from memory_store.memory.memory import LedgerMemory
from memory_store.retrieval.retriever import IndexRetriever
from ui.server.services import Services

ASKER = Scope("asker")
RECALL_BARS = {1_000: 1.5, 10_000: 2.0, 100_000: 3.0}
TURN_BARS = {1_000: 2.0, 10_000: 2.5}
MEMORY_BARS = {10_000: 450.0}  # MB
AFTER_CHANGE_BAR, RESTART_BAR = 1.3, 2.0
SAVED_BAR = 25.0  # ms
_CHANGES = 10  # of each kind
_SAVES = 50
_RESTARTS = 3
_WARM_UP = 5  # of each that are not counted: what is loaded once is not what it takes
_LONGEST_PAUSE = 0.02  # seconds; some ticks of a disk
_REPLY = "<understanding>You want to know this.</understanding>\n<answer>This is so.</answer>"


@dataclass(frozen=True, slots=True)
class Speed:
    """One store, measured."""

    memories: int
    fill_seconds: float
    rows: Sequence[Row]


@dataclass(frozen=True, slots=True)
class AtOnce:
    """A model that takes no time."""

    name: str = "at once"
    writes_keys: bool = False
    window: int = 1_000_000

    def stream(self, messages: Sequence[Message], count: Count = not_counted) -> Generator[str, None, None]:  # noqa: ARG002
        yield _REPLY


def measure_all(
    sizes: Sequence[int], asked: int, seed: int, also: Callable[["Measuring", Services], Sequence[Row]] | None = None
) -> Iterator[Speed]:
    """Every number of memories, the smallest first, each in a folder of its own; `also` measures more of the same."""
    for number in sorted(sizes):
        with TemporaryDirectory(prefix="noted-speed-", ignore_cleanup_errors=True) as folder:
            yield Measuring(Path(folder), number, asked, seed).measured(also or (lambda _, _services: ()))


@dataclass
class Measuring:
    """One store, while it is measured."""

    folder: Path
    number: int
    asked: int
    seed: int
    questions: Iterator[str] = field(init=False)
    memories: Sequence[Stored] = field(init=False)
    disk: float = field(init=False)  # MB

    def __post_init__(self) -> None:
        self.questions, self._made_up = questions(self.seed + 1), clarifications(self.seed, ASKER.person)
        self.home, self.memories = self.folder / "home", self.more(self.number)

    def more(self, number: int) -> list[Stored]:
        """So many memories, none of which came before."""
        return list(islice(self._made_up, number))

    def measured(self, also: Callable[["Measuring", Services], Sequence[Row]]) -> Speed:
        self.home.mkdir(mode=0o700)
        settings = settings_in(self.home)
        choice = choose_embedder(settings.embedder)
        embedder = SentenceEmbedder(choice) if choice.path else None
        _, filling, _ = clocked(lambda: fill(settings, self.memories, embedder, self.seed))
        self.disk = megabytes(self.home)
        started = self._restarts()
        with closing(compose(settings)) as services:
            # Nobody may have more than some ten thousand; what another would cost is asked all the same.
            cast("LedgerMemory", services.assistant.memory)._most = None
            rows = [*self._steady(services), *self._after_changes(services), *self._saved(services), *started]
            rows += [Row("disk, settled", self.disk, unit="MB"), *also(self, services)]
        return Speed(self.number, filling / 1000, rows)

    def _restarts(self) -> list[Row]:
        """The first answer of a process that begins with these memories, against one that begins with none."""
        ours, empty, resident, found = [], [], 0.0, 0
        known, others = self.memories[-1].questions[0], list(islice(self.questions, 20))
        for number in range(min(_RESTARTS, self.asked)):
            empty.append(first_answer("ask", self.folder / f"empty-{number}", [known])[0])
            time, resident, found = first_answer("ask", self.home, [known, *others])
            ours.append(time)
        what = "first answer after a restart by one of an empty home"
        return [
            *both(what, middle(ours), middle(empty), RESTART_BAR, RESTART_BAR),
            Row("candidates of that answer, whose question was saved", found, unit="in all"),
            Row("resident memory", resident, bar=_bar(MEMORY_BARS, self.number), unit="MB"),
        ]

    def _steady(self, services: Services) -> list[Row]:
        """Recall and gate, and a whole turn, against embedding a question alone."""
        embedder = services.parts.embedder
        assistant = services.assistant.with_parts(services.models.connected, model=AtOnce())
        found = []
        for number in with_progress(range(_WARM_UP + self.asked), f"{self.number:,} memories"):
            question, other = next(self.questions), next(self.questions)
            row = (
                timed(lambda: embedder and embedder.encode([question])),  # noqa: B023  it is called at once
                timed(lambda: decide(services, question)),  # noqa: B023
                timed(lambda: list(assistant.ask(other, ASKER))),  # noqa: B023
            )
            found += [row] if number >= _WARM_UP else []
        embedding, decided, turn = (middle(column) for column in zip(*found, strict=True))
        against, bar = (embedding if embedder else None), _bar(RECALL_BARS, self.number) if embedder else None
        turn_bar = _bar(TURN_BARS, self.number) if embedder else None
        return [
            *both("recall and gate by embedding alone", decided, against, bar, bar),
            *both("whole turn without model by embedding alone", turn, against, turn_bar),
        ]

    def _after_changes(self, services: Services) -> list[Row]:
        """The first question after a change, by one just before it."""
        memory, assistant = services.assistant.memory, services.assistant

        def newest() -> str:
            return memory.entries(ASKER, limit=1)[0].id

        changes: Mapping[str, Callable[[], object]] = {
            "a save": lambda: remember(assistant, self.more(1)[0]),
            "an edit": lambda: memory.edit(newest(), f"no, {uuid4()}", ASKER),
            "an erasure": lambda: memory.forget(newest(), ASKER),
        }
        rows = []
        for name, change in changes.items():
            steady, first = [], []
            for _ in range(min(_CHANGES, self.asked)):
                wait_until_current(services)
                decide(services, next(self.questions))
                steady.append(timed(lambda: decide(services, next(self.questions))))
                change()
                wait_until_current(services)
                first.append(timed(lambda: decide(services, next(self.questions))))
            what = f"first question after {name} by a steady one"
            rows += both(what, middle(first), middle(steady), AFTER_CHANGE_BAR)
        return rows

    def _saved(self, services: Services) -> list[Row]:
        """From the words of a person to the event after which a page says "Saved".

        Each begins at a moment of its own: some disks end what they are told to sync at the ticks of a clock, and
        nobody saves in step with that.
        """
        random = Random(self.seed)  # noqa: S311  a repeatable choice is wanted
        found = []
        for number in range(_WARM_UP + min(_SAVES, self.asked)):
            noted = _noting(services, self.more(1)[0])
            sleep(random.uniform(0, _LONGEST_PAUSE))
            with closing(noted):
                saved = timed(lambda: next(noted), thread_time)  # noqa: B023
            found += [saved] if number >= _WARM_UP else []
        return both('"Saved"', middle(found), bar=SAVED_BAR)


def remember(assistant: Assistant, memory: Stored) -> Any:
    """Save one, as a person does."""
    return assistant.remember(memory.questions[0], memory.feedback, ASKER)


def decide(services: Services, question: str) -> object:
    """Recall and gate."""
    return services.parts.gate(services.parts.recall(Question(question), ASKER), ASKER)


def wait_until_current(services: Services) -> None:
    """Let the index have all that was saved."""
    cast("IndexRetriever", services.parts.recall).wait_until_current()


def _noting(services: Services, memory: Stored) -> Generator[object, None, None]:
    """What saves, once it is asked for, what a person said of an answer, and ends as soon as this is noted."""
    asked = list(services.assistant.ask(memory.questions[0], ASKER))
    turn = next(one.turn for one in asked if isinstance(one, Started))

    def noting() -> Generator[object, None, None]:
        events = services.assistant.clarify(turn.id, memory.feedback, ASKER)
        with closing(cast("Generator[Event, None, None]", events)):
            yield from (one.entry for one in events if isinstance(one, Saved))

    return noting()


def first_answer(does: str, home: Path, asked: Sequence[str]) -> tuple[Timed, float, int]:
    """What a process takes to its first answer, in ms; its MB after the others; and how many candidates the first had.

    It does whole turns or searches (`evaluation.costs.first_answer`). The home is made where there is none.
    """
    with process(["-m", "evaluation.costs.first_answer", does, str(home), ASKER.person, *asked], {}) as started:
        told = json.loads(started.stdout.readline())
        wall = started.seconds * 1000
        started.stdout.readline()
        return Timed(wall, told["processor"] * 1000), started.megabytes(), told["found"]


def megabytes(folder: Path) -> float:
    """On the disk."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 2**20


def _bar(bars: Mapping[int, float], memories: int) -> float | None:
    """The bar of the smallest size that is no smaller."""
    return next((bar for size, bar in sorted(bars.items()) if memories <= size), None)


def as_json(measured: Sequence[Speed], asked: int, seed: int) -> dict[str, Any]:
    runs = [
        {"memories": one.memories, "fill_seconds": one.fill_seconds, "rows": [row.as_json() for row in one.rows]}
        for one in measured
    ]
    return {"questions": asked, "seed": seed, "machine": machine(), "runs": runs}


def show(measured: Speed) -> None:
    show_rows(f"{measured.memories:,} memories", measured.rows)
