"""The person of MemPrompt (section 4): where they were misunderstood they say now and then what they meant (`fb`)."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Generic, Protocol

from assistant.events import RunSoFar
from assistant.kinds import EXAMPLE, Example
from assistant.types import Draft, Reaction, Turn
from evaluation.streams.experiment import Asked, I, Person, Task, Taught


class FeedbackTask(Task[I], Protocol[I]):
    """A task with what people say about its questions."""

    @property
    def langs(self) -> Sequence[str]:
        """The languages in which it asks."""

    def said(self, item: I, random: Random, *, wrongly: bool = False) -> str:
        """What the person says who was misunderstood; `wrongly`: what somebody says who means something else."""


Tell = Callable[[Asked[Any], Turn, str], tuple[Turn, str]]
"""Hands over what the person said about a turn: the turn as it was answered again, and the id of what is kept."""


def clarified(asked: Asked[Any], turn: Turn, said: str) -> tuple[Turn, str]:
    """It is kept, and the question is answered again."""
    so_far = RunSoFar().after(asked.assistant.clarify(turn.id, said, asked.scope))
    return so_far.turn, next(iter(so_far.noted))


def labelled(asked: Asked[Any], turn: Turn, said: str) -> tuple[Turn, str]:
    """Question and answer become an example. Nothing is answered again."""
    question = asked.item.question
    understanding = turn.reply.understanding or question
    key = hashlib.sha256(f"label {turn.id}".encode()).hexdigest()
    draft = Draft(EXAMPLE, question, Example(understanding=understanding, answer=said), key, turn=turn.id)
    return turn, asked.assistant.memory.remember(draft, asked.scope).id


TELL: Mapping[str, Tell] = {
    "lexical": clarified, "described": clarified, "scramble": clarified, "factual": labelled
}  # fmt: skip
"""How people tell it, by task."""


@dataclass(frozen=True, slots=True)
class Misunderstood(Generic[I]):
    """Implements `Teacher`: has left out what misled the assistant, and if that does not help says what they meant."""

    task: FeedbackTask[I]
    person: Person
    tell: Tell
    confirms: bool  # whether they say that it is right now, so that it is kept as an example

    def __call__(self, asked: Asked[I]) -> Taught:
        chance, turn = asked.chance, asked.turn
        if asked.verdict.understood or chance.random() >= self.person.clarifies:
            return Taught()
        for entry in asked.misleading:
            turn = RunSoFar().after(asked.assistant.react(turn.id, Reaction.LEAVE_OUT, asked.scope, entry)).turn
        left_out = len(asked.misleading)
        if left_out and self.task.verdict(asked.item, turn).understood:
            return Taught(left_out, again=True)
        erred = chance.random() < self.person.errs
        said = self.task.said(asked.item, chance, wrongly=erred)
        turn, entry = self.tell(asked, turn, said)
        again = self.task.verdict(asked.item, turn).understood
        if again and self.confirms:
            list(asked.assistant.react(turn.id, Reaction.CONFIRM, asked.scope))
        return Taught(left_out, said, erred, again, entry)
