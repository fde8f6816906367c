"""The person of MemPrompt (section 4): where they were misunderstood they say now and then what they meant (`fb`)."""

from dataclasses import dataclass

from assistant.events import RunSoFar
from assistant.types import Reaction
from evaluation.memprompt.tasks.word_tasks import WordItem, WordTask
from evaluation.streams.experiment import Asked, Person, Taught


@dataclass(frozen=True, slots=True)
class Misunderstood:
    """Implements `Teacher`: has left out what misled the assistant, and if that does not help says what they meant."""

    task: WordTask
    person: Person
    confirms: bool  # whether they say that it is right now, so that it is kept as an example

    def __call__(self, asked: Asked[WordItem]) -> Taught:
        chance, turn = asked.chance, asked.turn
        if asked.verdict.understood or chance.random() >= self.person.clarifies:
            return Taught()
        for entry in asked.misleading:
            turn = RunSoFar().after(asked.assistant.react(turn.id, Reaction.EXCLUDE, asked.scope, entry)).turn
        left_out = len(asked.misleading)
        if left_out and self.task.verdict(asked.item, turn).understood:
            return Taught(left_out, again=True)
        erred = chance.random() < self.person.errs
        said = self.task.said(asked.item, chance, wrongly=erred)
        so_far = RunSoFar().after(asked.assistant.clarify(turn.id, said, asked.scope))
        turn, entry = so_far.turn, next(iter(so_far.noted))
        again = self.task.verdict(asked.item, turn).understood
        if again and self.confirms:
            list(asked.assistant.react(turn.id, Reaction.CONFIRM, asked.scope))
        return Taught(left_out, said, erred, again, entry)
