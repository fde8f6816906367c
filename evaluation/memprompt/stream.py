"""A stream of MemPrompt (sections 3.3 and 4): a user asks questions and sometimes corrects.

Everything goes through the assistant, as on the page. Only the first answer to a question counts. Each step has its own
random generator, seeded by the stream and the number of the step, so that a stopped stream continues identically.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any, Protocol, cast

from assistant.types import Reaction, Scope, Turn
from evaluation.harness.model import MeasuredModel
from evaluation.harness.runner import ResultLog, Runner
from evaluation.harness.simulated_user import SimulatedUser
from evaluation.memprompt.everyday import EVERYDAY, EverydayItem, EverydayTask
from evaluation.memprompt.memories import MEMORIES
from evaluation.memprompt.word_tasks import Brackets, LexicalTask, TurnVerdict, WordItem

Item = WordItem | EverydayItem


class Task(Protocol):
    """Asks, judges and corrects."""

    def items(self, lang: str, seed: int, length: int) -> Iterator[Any]:
        """Yield at most `length` questions; deterministic by seed."""

    def verdict(self, item: Any, turn: Turn) -> TurnVerdict:
        """Judge whether a turn shows the right understanding, and a right answer."""

    def said(self, item: Any, random: Random, *, wrongly: bool = False) -> str:
        """Return a correction; empty where nothing can be said."""


@dataclass(frozen=True, slots=True)
class StreamSettings:
    """Settings of one stream."""

    task: str
    brackets: str  # share of questions with the word in brackets
    lang: str
    memory: str
    model: str
    clarifies: float  # probability that a misunderstood user corrects: Pr(f) of section 4
    errs: float  # probability that a correction is wrong
    seed: int
    length: int  # questions

    @property
    def id(self) -> str:
        """Return a hash of all settings."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:16]

    @property
    def store(self) -> str:
        """Return the name of its store, shared with other streams, each a user of its own."""
        model = "".join(character if character.isalnum() else "-" for character in self.model)
        return f"{self.task}-{self.lang}-{self.memory}-{model}"

    @property
    def title(self) -> str:
        """Return a title without memory and seed."""
        wrong = f", {self.errs:.0%} wrong" if self.errs else ""
        return f"{self.task}, {self.lang}, p = {self.clarifies:g}{wrong}"


@dataclass(frozen=True, slots=True)
class StreamStep:
    """Outcome of a question. Understanding and answer are of the first reply."""

    type: str
    way: str
    groups: tuple[str, ...]
    question: str
    understanding: str
    answer: str
    understood: bool  # Acc(u)
    answered: bool  # Acc(y)
    # `right`, `wrong` (an entry of another type, or a wrong one), `missed` (no entry, though one for this way of asking
    # exists and the question was misunderstood), or `none`.
    splice: str
    prompt_tokens: int  # of the first prompt
    calls: int  # of the model, including corrections
    seconds: float  # including corrections
    left_out: int = 0  # entries that the user excluded
    said: str = ""  # correction by the user, if any
    erred: bool = False  # the correction was wrong
    again: bool | None = None  # understood after the correction; None without one
    entry: str = ""  # id of the stored entry, if any


def run_streams(runner: Runner, streams: Sequence[StreamSettings], told: Callable[[], object]) -> None:
    """Run or continue the streams of one store, one after the other; `told` is called after each step."""
    home = f"stores/{streams[0].store}"
    if not (runner.folder / home).exists():
        for stream in streams:  # without its store, a stream must start again
            log_path(runner, stream).unlink(missing_ok=True)
    logs = [(stream, ResultLog(log_path(runner, stream), StreamStep, told)) for stream in streams]
    waiting = [(stream, log) for stream, log in logs if len(log) < stream.length]
    if not waiting:
        return
    with runner.app(home) as services:
        if services.assistant.runner.model.writes_keys:
            services.start()
        for stream, log in waiting:
            assistant = MEMORIES[stream.memory].change(services.assistant, services.parts.embedder, stream.lang)
            subject = SimulatedUser(assistant, Scope(stream.id))
            _StreamRun(stream, subject, services.settle).run(log)


def log_path(runner: Runner, stream: StreamSettings) -> Path:
    """Return the path of the log of a stream."""
    return runner.folder / "streams" / f"{stream.id}.jsonl"


class _StreamRun:
    """One stream; `settle` waits for background work."""

    def __init__(self, settings: StreamSettings, subject: SimulatedUser, settle: Callable[[], object]) -> None:
        self.settings, self.subject, self.settle = settings, subject, settle
        self.task: Task = LexicalTask(Brackets(settings.brackets), settings.task)
        if settings.task in EVERYDAY:
            self.task = EverydayTask(settings.task)
        self.model = cast("MeasuredModel", subject.assistant.runner.model)
        self.told: dict[str, StreamStep] = {}  # step by the entry that it stored

    def run(self, log: ResultLog[StreamStep]) -> None:
        items = self.task.items(self.settings.lang, self.settings.seed, self.settings.length)
        for number, item in enumerate(items):
            step = log.of(str(number), partial(self._step, number, item))
            if step.entry:
                self.told[step.entry] = step

    def _step(self, number: int, item: Item) -> StreamStep:
        chance = Random(f"{self.settings.id} {number}")  # noqa: S311  a repeatable choice is wanted
        self.settle()
        self.model.take_cost()
        began = perf_counter()
        turn = self.subject.ask(item.question)
        first = self.model.take_cost()
        verdict = self.task.verdict(item, turn)
        is_chosen = not MEMORIES[self.settings.memory].is_confirmed  # a growing prompt has the same notes for all
        used = {entry: self.told[entry] for entry in turn.used if entry in self.told and is_chosen}
        misleading = [entry for entry, told in used.items() if told.erred or told.type != item.type]
        is_known = any(told.way == item.way and not told.erred for told in self.told.values())
        if used:
            splice = "wrong" if misleading else "right"
        else:
            splice = "missed" if is_known and not verdict.understood else "none"
        step = StreamStep(
            item.type, item.way, item.groups, item.question, turn.reply.understanding, turn.reply.answer,
            verdict.understood, verdict.answered, splice, first.prompt, 0, 0.0,
        )  # fmt: skip
        if not verdict.understood and chance.random() < self.settings.clarifies:
            step = self._teach(step, item, turn, misleading, chance)
        calls = first.calls + self.model.take_cost().calls
        return replace(step, calls=calls, seconds=round(perf_counter() - began, 4))

    def _teach(self, step: StreamStep, item: Item, turn: Turn, misleading: Sequence[str], chance: Random) -> StreamStep:
        """Exclude misleading entries; if that does not help, correct the answer."""
        for entry in misleading:
            turn = self.subject.react(turn, Reaction.EXCLUDE, entry)
        left_out = len(misleading)
        if left_out and self.task.verdict(item, turn).understood:
            return replace(step, left_out=left_out, again=True)
        erred = chance.random() < self.settings.errs
        said = self.task.said(item, chance, wrongly=erred)
        if not said:
            return replace(step, left_out=left_out)
        turn, stored = self.subject.correct(turn, said)
        again = self.task.verdict(item, turn).understood
        if again and MEMORIES[self.settings.memory].is_confirmed:
            self.subject.react(turn, Reaction.CONFIRM)
        return replace(step, left_out=left_out, said=said, erred=erred, again=again, entry=stored.id)
