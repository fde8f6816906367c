"""A stream: somebody asks one question after the other, and says so where they were misunderstood.

Everything goes through the assistant as it does behind the page: `ask`, then perhaps `react` and `clarify`. What is
counted is how a question was understood the first time. Chance is drawn anew for each step from the seed and the number
of the step, so that a stream that was stopped goes on as if it had not been.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from random import Random
from time import perf_counter

from assistant.conversation import Assistant
from assistant.types import Reaction, Scope, Turn
from evaluation.memprompt.memories import MemoryKind
from evaluation.memprompt.replies import Cost, CountedModel
from evaluation.memprompt.tasks.task import Item, Task, last_turn


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who asks, and says so now and then where they were misunderstood."""

    clarifies: float = 1.0  # probability that they say anything where they were misunderstood: Pr(f), section 4
    errs: float = 0.0  # probability that what they say then is wrong


@dataclass(frozen=True, slots=True)
class StreamSettings:
    """Which stream it is."""

    task: str  # its name
    variant: str  # what else the task is told, such as how many questions have brackets
    lang: str
    memory: str  # its name
    model: str  # as in the setting
    person: Person
    seed: int  # of questions and chance
    length: int  # number of questions
    people: int = 1  # who ask, by chance
    is_shared: bool = False  # whether they are one to the memory

    @property
    def id(self) -> str:
        """A hash of all settings; two streams with the same one are the same."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Step:
    """One question and what became of it; one line of the log. Understanding and answer are of the first reply."""

    number: int  # from 0
    person: int  # number of who asked
    type: str
    lang: str
    way: str
    question: str
    in_brackets: bool
    understanding: str
    answer: str
    understood: bool  # Acc(u)
    answered: bool | None  # Acc(y); None where it cannot be told
    used: tuple[str, ...]  # the types that the entries in the prompt were said for; a wrong one is marked with "!"
    # `right`, `wrong` (said for another type, or wrongly), `missed` (there was one for this way of asking, and it would
    # have been needed), or `none`.
    splice: str
    prompt_tokens: int  # of the first prompt
    ms: Mapping[str, float]  # of the parts of the first turn
    left_out: int = 0  # entries that the person had left out
    said: str = ""  # by the person; empty where nothing
    erred: bool = False  # whether that was wrong
    again: bool | None = None  # whether it was understood in the end; None where nothing was done
    entry: str = ""  # id of what was noted; empty where nothing
    cost: Mapping[str, int] = field(default_factory=dict)  # of all calls for this question
    seconds: float = 0.0  # with all that followed


@dataclass
class Stream:
    """Runs one stream, with `memory` in the assistant, and `model` as its model; `settle` waits for its background."""

    settings: StreamSettings
    task: Task
    memory: MemoryKind
    assistant: Assistant
    model: CountedModel
    settle: Callable[[], None]
    _told: dict[str, Step] = field(default_factory=dict, init=False)  # by the entry that came of it

    def run(self, done: Iterable[Step] = ()) -> Iterator[Step]:
        """The steps that are not `done` yet on this store, each as soon as it is over.

        Raises:
            NotedError: the model or the store cannot be used.
        """
        first = 0
        for step in done:
            first = step.number + 1
            if step.entry:
                self._told[step.entry] = step
        items = self.task.items(self.settings.lang, self.settings.seed)
        for number, item in zip(range(self.settings.length), items, strict=False):
            if number >= first:
                yield self._step(number, item)

    def _step(self, number: int, item: Item) -> Step:
        random = Random(f"{self.settings.id} {number}")  # noqa: S311  a repeatable choice is wanted
        person = random.randrange(self.settings.people)
        scope = Scope(self.settings.id if self.settings.is_shared else f"{self.settings.id}-{person}")
        self.settle()
        self.model.take_cost()
        began = perf_counter()
        turn = last_turn(self.assistant.ask(item.question, scope))
        first = self.model.take_cost()
        step = self._asked(number, person, item, turn, first)
        if not step.understood and self.memory.is_told and random.random() < self.settings.person.clarifies:
            step = self._put_right(step, item, turn, scope, random)
        total = self.model.take_cost()
        cost = {name: value + asdict(first)[name] for name, value in asdict(total).items()}
        step = replace(step, cost=cost, seconds=round(perf_counter() - began, 4))
        if step.entry:
            self._told[step.entry] = step
        return step

    def _asked(self, number: int, person: int, item: Item, turn: Turn, cost: Cost) -> Step:
        understood, answered = self.task.verdict(item, turn.reply)
        used = [self._told[entry] for entry in turn.used if entry in self._told]
        return Step(
            number=number,
            person=person,
            type=item.type,
            lang=item.lang,
            way=item.way,
            question=item.question,
            in_brackets="<" in item.question,
            understanding=turn.reply.understanding,
            answer=turn.reply.answer,
            understood=understood,
            answered=answered,
            used=tuple(f"{told.type}{'!' * told.erred}" for told in used),
            splice=self._splice(item, used, person, understood=understood),
            prompt_tokens=cost.prompt,
            ms=dict(turn.ms),
        )

    def _splice(self, item: Item, used: Sequence[Step], person: int, *, understood: bool) -> str:
        if used:
            return "wrong" if any(_misleads(told, item) for told in used) else "right"
        known = any(
            told.way == item.way and not told.erred and (self.settings.is_shared or told.person == person)
            for told in self._told.values()
        )
        return "missed" if known and not understood else "none"

    def _put_right(self, step: Step, item: Item, turn: Turn, scope: Scope, random: Random) -> Step:
        """What somebody does who sees which notes misled the assistant: leave them out, and if need be say it."""
        left_out = 0
        for entry in turn.used:
            if entry in self._told and _misleads(self._told[entry], item):
                turn = last_turn(self.assistant.react(turn.id, Reaction.LEAVE_OUT, scope, entry))
                left_out += 1
        if left_out and self.task.verdict(item, turn.reply).understood:
            return replace(step, left_out=left_out, again=True)
        erred = random.random() < self.settings.person.errs
        said = self.task.said(item, random, wrongly=erred)
        turn, entry = self.task.teach(item, turn, said, self.assistant, scope)
        again = self.task.verdict(item, turn.reply).understood
        if again and self.memory.is_confirmed:
            list(self.assistant.react(turn.id, Reaction.CONFIRM, scope))
        return replace(step, left_out=left_out, said=said, erred=erred, again=again, entry=entry)


def _misleads(told: Step, item: Item) -> bool:
    """Whether what was said in a step is wrong for this question."""
    return told.erred or told.type != item.type
