"""What a question, a save and a restart cost with more and more memories.

Memories are saved as the app saves them, but with made-up vectors: only the time of searching counts. What is compared
is asked by turns, so that whatever else the machine does touches both alike.
"""

import json
import zlib
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from time import sleep, thread_time
from typing import cast
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from app import compose
from assistant.events import Event, Saved
from assistant.limits import DEFAULT_LIMITS
from assistant.model_usage import Count, not_counted
from assistant.ports import Embedder
from assistant.settings import Settings
from assistant.types import Message, Question, Scope
from evaluation.decide.benchmark import Stored
from evaluation.decide.run import draft_of
from evaluation.harness.runner import tracked
from evaluation.harness.subject import Subject, fresh_folder, settings_in
from evaluation.perf.texts import clarifications, questions
from evaluation.perf.timing import Row, Timed, both, middle, process, timed
from memory_store.embedding.embedder import SentenceEmbedder, choose_embedder
from memory_store.embedding.reading import MemoryEmbedder
from memory_store.language.word_translation import READINGS
from memory_store.memory.memory import LedgerMemory
from memory_store.retrieval.retriever import IndexRetriever
from memory_store.store import open_store
from ui.server.services import Services

ASKER = Scope("asker")
RECALL_BARS = {1_000: 1.5, 10_000: 2.0, 100_000: 3.0}
TURN_BARS = {1_000: 2.0, 10_000: 2.5}
MEMORY_BARS = {10_000: 450.0}  # MB
AFTER_CHANGE_BAR, RESTART_BAR = 1.3, 2.0
SAVED_BAR = 25.0  # ms
_CHANGES, _SAVES, _RESTARTS = 10, 50, 3
_WARM_UP = 5  # of each that are not counted: what is loaded once is not what it takes
_LONGEST_PAUSE = 0.02  # seconds; some ticks of a disk
_REPLY = "<understanding>You want to know this.</understanding>\n<answer>This is so.</answer>"
_PER_COMMIT = 4_000
_CENTRES, _NOISE = 200, 0.5  # vectors lie a little way off those of so many questions


@dataclass(frozen=True, slots=True)
class AtOnce:
    """A model that takes no time."""

    name: str = "at once"
    writes_keys: bool = False
    window: int = 1_000_000

    def stream(self, messages: Sequence[Message], count: Count = not_counted) -> Generator[str, None, None]:  # noqa: ARG002
        yield _REPLY


class CheapVectors:
    """Implements `Embedder` with repeatable vectors like real ones, for which the real one is asked only rarely."""

    def __init__(self, embedder: Embedder, seed: int) -> None:
        self.name, self.fingerprint, self.dimension = embedder.name, embedder.fingerprint, embedder.dimension
        self._centres = embedder.encode(list(islice(questions(seed - 1), _CENTRES)))

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return vectors, shape (len(texts), dimension)."""
        hashes = [zlib.crc32(text.encode("utf-8", "replace")) for text in texts]
        noise = np.random.default_rng(hashes).standard_normal((len(texts), self.dimension), dtype=np.float32)
        noise *= _NOISE / np.sqrt(self.dimension)
        vectors = self._centres[[number % len(self._centres) for number in hashes]] + noise
        unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


def fill(settings: Settings, memories: Sequence[Stored], embedder: Embedder | None, seed: int) -> None:
    """Save memories of one user as the app saves them."""
    cheap = CheapVectors(MemoryEmbedder(embedder), seed) if embedder else None
    with closing(open_store(settings.ledger, settings.index, cheap, READINGS)) as store:
        for start in range(0, len(memories), _PER_COMMIT):
            some = memories[start : start + _PER_COMMIT]
            drafts = [draft_of(one, start + place, DEFAULT_LIMITS) for place, one in enumerate(some)]
            store.memory.remember_all(drafts, ASKER)
        store.indexer.rebuild()


def measure_memory(number: int, asked: int, seed: int) -> list[Row]:
    """Measure a store with so many memories, by so many questions."""
    with fresh_folder() as folder:
        return _Measuring(folder, number, asked, seed).rows()


class _Measuring:
    """One store, while it is measured."""

    def __init__(self, folder: Path, number: int, asked: int, seed: int) -> None:
        self.folder, self.home, self.number, self.asked, self.seed = folder, folder / "home", number, asked, seed
        self.questions, self._made_up = questions(seed + 1), clarifications(seed, ASKER.person)
        self.memories = self.more(number)

    def more(self, number: int) -> list[Stored]:
        """Return so many memories, none of which came before."""
        return list(islice(self._made_up, number))

    def rows(self) -> list[Row]:
        self.home.mkdir(mode=0o700)
        settings = settings_in(self.home)
        choice = choose_embedder(settings.embedder)
        fill(settings, self.memories, SentenceEmbedder(choice) if choice.path else None, self.seed)
        disk = sum(path.stat().st_size for path in self.home.rglob("*") if path.is_file()) / 2**20
        started = self._restarts()
        with closing(compose(settings)) as services:
            # No user may have more than some ten thousand; what another would cost is asked all the same.
            cast("LedgerMemory", services.assistant.memory)._most = None
            rows = [*self._steady(services), *self._after_changes(services), *self._saved(services), *started]
        return [*rows, Row("disk, settled", disk, unit="MB")]

    def _restarts(self) -> list[Row]:
        """Compare the first answer of a process that begins with these memories with one that begins with none."""
        ours, empty, resident = list[Timed](), list[Timed](), 0.0
        known, others = self.memories[-1].questions[0], list(islice(self.questions, 20))
        for number in range(min(_RESTARTS, self.asked)):
            empty.append(_first_answer(self.folder / f"empty-{number}", [known])[0])
            time, resident = _first_answer(self.home, [known, *others])
            ours.append(time)
        name = "first answer after a restart by one of an empty home"
        bar = _bar(MEMORY_BARS, self.number)
        return [
            *both(name, middle(ours), middle(empty), RESTART_BAR, RESTART_BAR),
            Row("resident memory after 20 turns", resident, bar=bar, unit="MB"),
        ]

    def _steady(self, services: Services) -> list[Row]:
        """Compare retriever and gate, and a whole turn, with embedding a question alone."""
        embedder = services.parts.embedder
        assistant = services.assistant.with_parts(services.models.connected, model=AtOnce())
        found = []
        for number in tracked(range(_WARM_UP + self.asked), f"{self.number:,} memories"):
            question, other = next(self.questions), next(self.questions)
            row = (
                timed(lambda: embedder and embedder.encode([question])),  # noqa: B023  it is called at once
                timed(lambda: _decide(services, question)),  # noqa: B023
                timed(lambda: list(assistant.ask(other, ASKER))),  # noqa: B023
            )
            found += [row] if number >= _WARM_UP else []
        embedding, decided, turn = (middle(column) for column in zip(*found, strict=True))
        against = embedding if embedder else None
        bar, turn_bar = (_bar(bars, self.number) if embedder else None for bars in (RECALL_BARS, TURN_BARS))
        return [
            *both("retriever and gate by embedding alone", decided, against, bar, bar),
            *both("whole turn without model by embedding alone", turn, against, turn_bar),
        ]

    def _after_changes(self, services: Services) -> list[Row]:
        """Compare the first question after a change with one just before it."""
        memory, assistant = services.assistant.memory, services.assistant

        def newest() -> str:
            return memory.entries(ASKER, limit=1)[0].id

        def save() -> object:
            (one,) = self.more(1)
            return assistant.remember(one.questions[0], one.feedback, ASKER)

        changes: Mapping[str, Callable[[], object]] = {
            "a save": save,
            "an edit": lambda: memory.edit(newest(), f"no, {uuid4()}", ASKER),
            "an erasure": lambda: memory.forget(newest(), ASKER),
        }
        rows = []
        for name, change in changes.items():
            steady, first = [], []
            for _ in range(min(_CHANGES, self.asked)):
                _wait_until_current(services)
                _decide(services, next(self.questions))
                steady.append(timed(lambda: _decide(services, next(self.questions))))
                change()
                _wait_until_current(services)
                first.append(timed(lambda: _decide(services, next(self.questions))))
            what = f"first question after {name} by a steady one"
            rows += both(what, middle(first), middle(steady), AFTER_CHANGE_BAR)
        return rows

    def _saved(self, services: Services) -> list[Row]:
        """Time from the words of a user to the event after which a page says "Saved".

        Each begins at a moment of its own: some disks end what they are told to sync at the ticks of a clock.
        """
        chance = Random(self.seed)  # noqa: S311  a repeatable choice is wanted
        subject, found = Subject(services.assistant, ASKER), list[Timed]()
        for number in range(_WARM_UP + min(_SAVES, self.asked)):
            (one,) = self.more(1)
            turn = subject.ask(one.questions[0])
            events = cast("Generator[Event, None, None]", services.assistant.clarify(turn.id, one.feedback, ASKER))
            sleep(chance.uniform(0, _LONGEST_PAUSE))
            with closing(events):
                saved = timed(lambda: next(event for event in events if isinstance(event, Saved)), thread_time)  # noqa: B023
            found += [saved] if number >= _WARM_UP else []
        return both('"Saved"', middle(found), bar=SAVED_BAR)


def _decide(services: Services, question: str) -> object:
    return services.parts.gate(services.parts.recall(Question(question), ASKER), ASKER)


def _wait_until_current(services: Services) -> None:
    cast("IndexRetriever", services.parts.recall).wait_until_current()


def _first_answer(home: Path, asked: Sequence[str]) -> tuple[Timed, float]:
    """Return what a process takes to its first answer, and its MB after the others (`evaluation.perf.first_answer`)."""
    with process(["-m", "evaluation.perf.first_answer", str(home), ASKER.person, *asked], {}) as started:
        told = json.loads(started.stdout.readline())
        wall = started.seconds * 1000
        started.stdout.readline()
        return Timed(wall, told["processor"] * 1000), started.megabytes()


def _bar(bars: Mapping[int, float], memories: int) -> float | None:
    """Return the bar of the smallest size that is no smaller."""
    return next((bar for size, bar in sorted(bars.items()) if memories <= size), None)
