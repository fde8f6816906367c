"""What an experiment is made of: a task, which asks and judges, and a teacher, who says what the answer calls for."""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from random import Random
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from assistant.conversation import Assistant
from assistant.text.words import as_words
from assistant.types import Scope, Turn
from ui.server.services import Services


@dataclass(frozen=True, slots=True, order=True)
class Person:
    """Somebody who asks, and says so now and then where something was wrong."""

    clarifies: float = 1.0  # probability that they say anything then: Pr(f) of MemPrompt, section 4
    errs: float = 0.0  # probability that what they say is wrong


@dataclass(frozen=True, slots=True, order=True)
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
    def title(self) -> str:
        """What tells it from others but for memory and seed, in a few words."""
        title = f"{self.task}, {self.lang}, p = {self.person.clarifies:g}"
        if self.person.errs:
            title += f", {self.person.errs:.0%} wrong"
        if self.people > 1:
            title += f", {self.people} people{', one memory' if self.is_shared else ''}"
        return title

    @property
    def id(self) -> str:
        """A hash of all settings; two streams with the same one are the same."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Item:
    """One question, or something that the person states. A task may have items that say more."""

    question: str  # as the person asks it
    type: str  # what is meant, or has to be known; what was said about another type misleads
    lang: str
    way: str  # what was said about one question of a way serves all others of it
    answers: tuple[str, ...] = ()  # what counts as an answer, in any case; empty where the task looks in another way
    groups: tuple[str, ...] = ()  # in which it is counted, beside those of its type


I = TypeVar("I", bound=Item)  # noqa: E741  of an item


class Verdict(NamedTuple):
    """Of a turn: `understood` counts for Acc(u), `answered` for Acc(y).

    An answer may be right in part, from 0 to 1; None where that cannot be told.
    """

    understood: bool
    answered: float | None


class Task(Protocol[I]):
    """What is asked, in which order, and what counts as right."""

    def items(self, lang: str, seed: int) -> Iterator[I]:
        """Questions without an end, or as many as there are; the same seed gives the same ones."""

    def verdict(self, item: I, turn: Turn) -> Verdict:
        """Whether a turn shows that it was understood as it was meant, and is answered."""


@dataclass(frozen=True, slots=True)
class Asked(Generic[I]):
    """What a teacher has before them: a question that was asked, the turn as it ended, and the doors of a person."""

    item: I
    turn: Turn
    verdict: Verdict
    misleading: tuple[str, ...]  # ids of the entries that it rests on and that were said of something else
    assistant: Assistant
    scope: Scope
    chance: Random  # drawn anew for each question


class Taught(NamedTuple):
    """What a teacher did, and what became of it."""

    left_out: int = 0  # entries that they had left out
    said: str = ""  # in their words; empty where nothing
    erred: bool = False  # whether that was wrong
    again: bool | None = None  # whether it was understood in the end; None where nothing was done
    entry: str = ""  # id of what was noted; empty where nothing


Teacher: TypeAlias = Callable[[Asked[Any]], Taught]
"""What is said when: looks at each turn, and does what it calls for through the doors that a person has."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """What one stream is run with."""

    task: Task[Any]
    teacher: Teacher
    assistant: Assistant  # the app's, with other parts where that is what is measured


Prepare: TypeAlias = Callable[[StreamSettings, Assistant, Services], Experiment]
"""Makes the experiment of a stream on the app's assistant and its other parts."""


def has_answer(item: Item, answer: str) -> bool:
    """Whether one of the answers stands in the text as words."""
    return any(as_words(one).search(answer.casefold()) for one in item.answers)
