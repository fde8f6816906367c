"""Measure a question, a save and the resident memory by number of memories.

Alternatives are measured in turns, so that other load on the machine affects them alike.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import count, islice
from random import Random
from statistics import median
from time import sleep, thread_time
from typing import cast
from uuid import uuid4

from assistant.events import Event, Saved
from assistant.limits import DEFAULT_LIMITS
from assistant.model_usage import Count, ignore_usage
from assistant.types import Message, Question, Scope
from evaluation.decisions.benchmark import StoredEntry
from evaluation.decisions.misunderstandings import SETS, load_decision_set
from evaluation.decisions.run import build_draft
from evaluation.harness.runner import track
from evaluation.harness.simulated_user import SimulatedUser, fresh_folder, open_app
from evaluation.perf.page import measure_start
from evaluation.perf.timing import TimingRow, measure_time
from memory_store.memory.memory import LedgerMemory
from memory_store.retrieval.retriever import IndexRetriever
from ui.server.services import Services

ASKER = Scope("asker")
RECALL_BARS = {1_000: 1.5, 10_000: 2.0, 100_000: 3.0}
TURN_BARS = {1_000: 2.0, 10_000: 2.5}
MEMORY_BARS = {10_000: 450.0}  # MB
AFTER_CHANGE_BAR, SAVED_BAR = 1.3, 25.0  # ratio to a steady question; ms
_CHANGES, _SAVES = 10, 50
_WARM_UP = 5  # first calls that are not counted, to exclude one-time loading
_LONGEST_PAUSE = 0.02  # seconds; several ticks of a disk
_REPLY = "<understanding>You want to know this.</understanding>\n<answer>This is so.</answer>"


@dataclass(frozen=True, slots=True)
class InstantModel:
    """A model that takes no time."""

    name: str = "at once"
    writes_keys: bool = False
    window: int = 1_000_000

    def stream(self, messages: Sequence[Message], count: Count = ignore_usage) -> Generator[str, None, None]:  # noqa: ARG002
        yield _REPLY


def generate_questions(seed: int) -> Iterator[str]:
    """Yield questions of all decision sets without end, in mixed languages."""
    every = [case.question for name in SETS for case in load_decision_set(name, keys=False).questions]
    chance = Random(seed)  # noqa: S311  a repeatable choice is wanted
    while True:
        yield chance.choice(every)


def generate_clarifications(seed: int) -> Iterator[StoredEntry]:
    """Yield clarifications without end, each of another question."""
    every = [entry for name in SETS for entry in load_decision_set(name, keys=False).entries]
    chance = Random(seed)  # noqa: S311
    for number, question in zip(count(1), generate_questions(seed), strict=False):
        yield replace(chance.choice(every), id=number, question=f"{question} {number}")


def save_all(memories: Sequence[StoredEntry], services: Services) -> None:
    """Save memories of one user as the app does, and index them."""
    _lift_limit(services)
    drafts = [build_draft(one, place, DEFAULT_LIMITS) for place, one in enumerate(memories)]
    services.memory.remember_all(drafts, ASKER)
    services.store.indexer.rebuild()


def _lift_limit(services: Services) -> None:
    """Allow more memories than a user may have."""
    cast("LedgerMemory", services.assistant.memory)._most = None


def measure_memory(number: int, asked: int, seed: int) -> list[TimingRow]:
    """Measure a store with `number` memories by `asked` questions."""
    with fresh_folder() as folder:
        home, made_up = folder / "home", generate_clarifications(seed)
        home.mkdir(mode=0o700)
        with open_app(home) as services:
            save_all(list(islice(made_up, number)), services)
        resident = measure_start({"NOTED_HOME": str(home)}, questions=20).megabytes
        with open_app(home) as services:
            _lift_limit(services)
            rows = _MemoryMeasurement(services, number, asked, seed, made_up).rows()
    bar = _find_bar(MEMORY_BARS, number)
    return [*rows, TimingRow("resident memory after 20 turns", resident, bar=bar, unit="MB")]


class _MemoryMeasurement:
    """Measurements of an open store."""

    def __init__(self, services: Services, number: int, asked: int, seed: int, made_up: Iterator[StoredEntry]) -> None:
        self.services, self.number, self.asked, self.seed = services, number, asked, seed
        self.questions, self.made_up = generate_questions(seed + 1), made_up

    def rows(self) -> list[TimingRow]:
        return [*self._measure_turns(), *self._measure_changes(), *self._measure_saves()]

    def decide(self) -> object:
        parts = self.services.parts
        return parts.gate(parts.recall(Question(next(self.questions)), ASKER), ASKER)

    def _measure_turns(self) -> list[TimingRow]:
        """Compare retriever with gate, and a whole turn, with embedding a question alone."""
        embedder = self.services.parts.embedder
        assistant = self.services.assistant.with_parts(self.services.models.connected, model=InstantModel())
        found = []
        for number in track(range(_WARM_UP + self.asked), f"{self.number:,} memories"):
            row = (
                measure_time(lambda: embedder and embedder.encode([next(self.questions)])),
                measure_time(self.decide),
                measure_time(lambda: list(assistant.ask(next(self.questions), ASKER))),
            )
            found += [row] if number >= _WARM_UP else []
        embedding, decided, turn = (median(column) for column in zip(*found, strict=True))
        against = embedding if embedder else None
        bar, turn_bar = (_find_bar(bars, self.number) if embedder else None for bars in (RECALL_BARS, TURN_BARS))
        return [
            TimingRow("retriever and gate by embedding alone", decided, against, bar),
            TimingRow("whole turn without model by embedding alone", turn, against, turn_bar),
        ]

    def _measure_changes(self) -> list[TimingRow]:
        """Compare the first question after a change with one just before it."""
        memory, assistant = self.services.assistant.memory, self.services.assistant
        recall = cast("IndexRetriever", self.services.parts.recall)

        def save() -> object:
            one = next(self.made_up)
            return assistant.remember(one.question, one.feedback, ASKER)

        changes: Mapping[str, Callable[[], object]] = {
            "a save": save,
            "an edit": lambda: memory.edit(memory.entries(ASKER, limit=1)[0].id, f"no, {uuid4()}", ASKER),
            "an erasure": lambda: memory.forget(memory.entries(ASKER, limit=1)[0].id, ASKER),
        }
        rows = []
        for name, change in changes.items():
            steady, first = list[float](), list[float]()
            for _ in range(min(_CHANGES, self.asked)):
                recall.wait_until_current()
                self.decide()
                steady.append(measure_time(self.decide))
                change()
                recall.wait_until_current()
                first.append(measure_time(self.decide))
            title = f"first question after {name} by a steady one"
            rows.append(TimingRow(title, median(first), median(steady), AFTER_CHANGE_BAR))
        return rows

    def _measure_saves(self) -> list[TimingRow]:
        """Measure the time from sending a correction to the event on which the page says "Saved".

        Each starts after a random pause: some disks complete a sync at ticks of a clock.
        """
        chance = Random(self.seed)  # noqa: S311
        subject, found = SimulatedUser(self.services.assistant, ASKER), list[float]()
        for number in range(_WARM_UP + min(_SAVES, self.asked)):
            one = next(self.made_up)
            turn = subject.ask(one.question)
            events = cast("Generator[Event, None, None]", subject.assistant.clarify(turn.id, one.feedback, ASKER))
            sleep(chance.uniform(0, _LONGEST_PAUSE))
            with closing(events):
                saved = measure_time(lambda: next(event for event in events if isinstance(event, Saved)), thread_time)  # noqa: B023
            found += [saved] if number >= _WARM_UP else []
        return [TimingRow('"Saved"', median(found), bar=SAVED_BAR)]


def _find_bar(bars: Mapping[int, float], memories: int) -> float | None:
    """Return the bar of the smallest size at or above `memories`."""
    return next((bar for size, bar in sorted(bars.items()) if memories <= size), None)
