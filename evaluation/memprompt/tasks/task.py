"""What a task is: questions that can be taken in more than one way, and how to tell in which way they were taken."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple, Protocol, TypeVar

from assistant.conversation import Assistant
from assistant.events import Event, Finished, Noted
from assistant.types import Reply, Scope, Turn

T = TypeVar("T")

ENGLISH, HINDI, PUNJABI = "en", "hi-latn", "pa-latn"
MIXED = "mixed"
"""Every question in a language by chance."""


@dataclass(frozen=True, slots=True)
class Item:
    """One question.

    Args:
        question: as the person asks it.
        type: what is meant, one of the types of its task.
        lang: its language.
        way: name of its way of asking. What was said about one question of it tells what all the others mean.
        phrase: its way of asking in words, without the thing asked about.
        about: the thing asked about; empty where there is none.
        answers: what counts as an answer, in any case; empty where the task looks at the answer in another way.
        said: what the person says to put it right, where the data has it; else the task has ways to say it.
    """

    question: str
    type: str
    lang: str
    way: str
    phrase: str = ""
    about: str = ""
    answers: tuple[str, ...] = ()
    said: str = ""


class Verdict(NamedTuple):
    """Of a reply: `understood` counts for Acc(u), `answered` for Acc(y); None where that cannot be told."""

    understood: bool
    answered: bool | None


class Lesson(NamedTuple):
    """What became of something that was said: the turn as it was answered again, and the id of what is kept."""

    turn: Turn
    entry: str


class Task(Protocol):
    """A kind of question."""

    @property
    def name(self) -> str:
        """What it is called on the command line."""

    @property
    def langs(self) -> Sequence[str]:
        """The languages in which it asks; `MIXED` beside them where there are several."""

    def items(self, lang: str, seed: int) -> Iterator[Item]:
        """Questions without an end, or as many as there are; the same seed gives the same ones."""

    def verdict(self, item: Item, reply: Reply) -> Verdict:
        """Whether a reply says what the person meant, and answers it."""

    def teach(self, item: Item, turn: Turn, said: str, assistant: Assistant, scope: Scope) -> Lesson:
        """Hand to the assistant what the person said about a turn."""

    def said(self, item: Item, random: Random, *, wrongly: bool = False) -> str:
        """What the person says who was misunderstood; `wrongly`: what somebody says who means something else."""


@dataclass(frozen=True, slots=True)
class Judge:
    """Tells which type an understanding speaks of, by what it says (the paper compares in the same way, 4.1.2).

    Args:
        patterns: type to a regular expression; the first that matches counts.
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


def clarify(item: Item, turn: Turn, said: str, assistant: Assistant, scope: Scope) -> Lesson:  # noqa: ARG001
    """Say what was meant, as the page does: it is kept, and the question is answered again."""
    events = list(assistant.clarify(turn.id, said, scope))
    kept = next(event.entry.id for event in events if isinstance(event, Noted))
    return Lesson(last_turn(events), kept)


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
