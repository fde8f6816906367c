"""Which streams an experiment is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from evaluation.memprompt.memories import MEMORIES
from evaluation.memprompt.person import Person
from evaluation.memprompt.stream import StreamSettings
from evaluation.memprompt.tasks.brackets import Brackets
from evaluation.memprompt.tasks.choice import task_named
from evaluation.memprompt.tasks.task import ENGLISH
from evaluation.reading import BadInput

PAPER_MEMORIES = ("none", "grow", "memprompt", "noted")
LENGTH = 300
_PROBABILITIES = (0.5, 1.0)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a run is to vary.

    Args:
        task: its name.
        variant: how many questions have brackets, or the path of the data.
        langs: in which languages; empty for all that the task has.
        memories: names.
        model: what answers, as in the setting.
        clarifies: probabilities that a person says anything.
        errs: probability that what they say is wrong.
        seeds: how many, from 0.
        length: questions of each stream.
        people: how many persons ask.
        is_shared: whether they are one to the memory.
    """

    task: str
    variant: str
    model: str
    langs: Sequence[str] = ()
    memories: Sequence[str] = PAPER_MEMORIES
    clarifies: Sequence[float] = (1.0,)
    errs: float = 0.0
    seeds: int = 1
    length: int = LENGTH
    people: int = 1
    is_shared: bool = False


def streams(asked: Asked) -> list[StreamSettings]:
    """The streams, without those that would be the same: where nothing is kept, it is all one who says what.

    Raises:
        BadInput: there is no such task, language or memory.
    """
    task = task_named(asked.task, asked.variant)
    if unknown := set(asked.langs) - set(task.langs):
        raise BadInput(f"{asked.task} is not asked in {', '.join(sorted(unknown))}; choose of {', '.join(task.langs)}.")
    if unknown := set(asked.memories) - set(MEMORIES):
        raise BadInput(f"There is no memory {', '.join(sorted(unknown))}; choose of {', '.join(MEMORIES)}.")
    found = [
        StreamSettings(
            asked.task,
            asked.variant,
            lang,
            memory,
            asked.model,
            Person(clarifies, asked.errs) if MEMORIES[memory].is_told else Person(0.0),
            seed,
            asked.length,
            asked.people,
            asked.is_shared,
        )
        for lang, memory, clarifies, seed in product(
            asked.langs or task.langs, asked.memories, asked.clarifies, range(asked.seeds)
        )
    ]
    return list(dict.fromkeys(found))


def paper(model: str, *, seeds: int = 3) -> list[StreamSettings]:
    """The experiments of the paper: lexical questions in every language and scrambled words, with both persons."""
    variant = Brackets.HALF.value
    return [
        stream
        for task in ("lexical", "scramble")
        for stream in streams(Asked(task, variant, model, clarifies=_PROBABILITIES, seeds=seeds))
    ]


def quick(model: str) -> list[StreamSettings]:
    """One seed of the English stream, where everything is clarified."""
    return streams(Asked("lexical", Brackets.HALF.value, model, langs=(ENGLISH,)))
