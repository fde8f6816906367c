"""What a task is: questions that can be taken in more than one way, and how to tell in which way they were taken."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import NamedTuple, TypeVar

from assistant.conversation import Assistant
from assistant.events import Event, Finished, Noted
from assistant.types import Reply, Scope, Turn

T = TypeVar("T")

ENGLISH, HINDI, PUNJABI = "en", "hi-latn", "pa-latn"
MIXED = "mixed"
"""Every question in a language by chance."""


@dataclass(frozen=True, slots=True)
class Item:
    """One question."""

    question: str  # as the person asks it
    type: str  # what is meant, one of the types of its task
    lang: str
    way: str  # name of its way of asking: what was said about one question of it tells what all others mean
    phrase: str = ""  # its way of asking in words, without the thing asked about
    about: str = ""  # the thing asked about; empty where there is none
    answers: tuple[str, ...] = ()  # what counts as an answer, in any case; empty where the task looks in another way


class Verdict(NamedTuple):
    """Of a reply: `understood` counts for Acc(u), `answered` for Acc(y); None where that cannot be told."""

    understood: bool
    answered: bool | None


class Taught(NamedTuple):
    """What became of something that was said: the turn as it was answered again, and the id of what is kept."""

    turn: Turn
    entry: str


class Task(ABC):
    """A kind of question. Most are asked in English, and put right as the page does it."""

    name: str
    """What it is called on the command line."""
    langs: Sequence[str] = (ENGLISH,)
    """The languages in which it asks; `MIXED` beside them where there are several."""

    @abstractmethod
    def items(self, lang: str, seed: int) -> Iterator[Item]:
        """Questions without an end, or as many as there are; the same seed gives the same ones."""

    @abstractmethod
    def verdict(self, item: Item, reply: Reply) -> Verdict:
        """Whether a reply says what the person meant, and answers it."""

    @abstractmethod
    def said(self, item: Item, random: Random, *, wrongly: bool = False) -> str:
        """What the person says who was misunderstood; `wrongly`: what somebody says who means something else."""

    def teach(self, item: Item, turn: Turn, said: str, assistant: Assistant, scope: Scope) -> Taught:  # noqa: ARG002
        """Hand to the assistant what the person said about a turn: it is kept, and the question is answered again."""
        events = list(assistant.clarify(turn.id, said, scope))
        kept = next(event.entry.id for event in events if isinstance(event, Noted))
        return Taught(last_turn(events), kept)


class Brackets(StrEnum):
    """How many of the questions have the word asked about in brackets, as all have in the paper: < word >."""

    ALL = "all"
    HALF = "half"
    NONE = "none"

    def around(self, word: str, random: Random) -> str:
        """The word as it stands in a question."""
        share = {Brackets.ALL: 1.0, Brackets.HALF: 0.5, Brackets.NONE: 0.0}[self]
        return f"< {word} >" if random.random() < share else word


@dataclass(frozen=True, slots=True)
class Judge:
    """Tells which type an understanding speaks of, by what it says (the paper compares in the same way, 4.1.2).

    `patterns` has a regular expression for each type; the first that matches counts.
    """

    patterns: Mapping[str, str]

    def __call__(self, understanding: str, about: str) -> str | None:
        """The type; None where it names none, or is not about this thing."""
        text = understanding.casefold()
        if about and not (named := _named(about)).search(text):
            return None
        # The thing asked about may be such a word itself: "You want a synonym of "sentence"".
        told = named.sub(" ", text) if about else text
        return next((kind for kind, pattern in self.patterns.items() if re.search(pattern, told)), None)


def last_turn(events: Iterable[Event]) -> Turn:
    """The turn that the last of the events finished."""
    return [event.turn for event in events if isinstance(event, Finished)][-1]


def in_rounds(found: Sequence[T], random: Random) -> Iterator[T]:
    """All of them in one order by chance, then in another, without an end: none has to wait long for its turn."""
    while True:
        yield from random.sample(found, len(found))


def has_answer(item: Item, answer: str) -> bool:
    """Whether one of the answers stands in the text as words."""
    return any(_named(one).search(answer.casefold()) for one in item.answers)


def _named(thing: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(thing.casefold())}(?!\w)")
