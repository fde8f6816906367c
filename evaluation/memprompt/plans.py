"""Which streams an experiment is made of."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from evaluation.memprompt.memories import MEMORIES
from evaluation.memprompt.stream import Person, StreamSettings
from evaluation.memprompt.tasks.choice import task_named
from evaluation.memprompt.tasks.task import ENGLISH, Brackets
from evaluation.reading import BadInput

PAPER_MEMORIES = ("none", "grow", "memprompt", "noted")
LENGTH = 300
_PROBABILITIES = (0.5, 1.0)


def streams(
    task: str,
    variant: str,
    model: str,
    langs: Sequence[str] = (),
    memories: Sequence[str] = PAPER_MEMORIES,
    clarifies: Sequence[float] = (1.0,),
    errs: float = 0.0,
    *,
    seeds: int = 1,
    length: int = LENGTH,
    people: int = 1,
    is_shared: bool = False,
) -> list[StreamSettings]:
    """The streams, without those that would be the same: where nothing is kept, it is all one who says what.

    As in `StreamSettings`, but in several languages (all that the task has where none is given), with several memories
    and persons, and for so many seeds from 0 on.

    Raises:
        BadInput: there is no such task, language or memory.
    """
    spoken = task_named(task, variant).langs
    if unknown := set(langs) - set(spoken):
        raise BadInput(f"{task} is not asked in {', '.join(sorted(unknown))}; choose of {', '.join(spoken)}.")
    if unknown := set(memories) - set(MEMORIES):
        raise BadInput(f"There is no memory {', '.join(sorted(unknown))}; choose of {', '.join(MEMORIES)}.")
    found = []
    for lang, memory, clarified, seed in product(langs or spoken, memories, clarifies, range(seeds)):
        person = Person(clarified, errs) if MEMORIES[memory].is_told else Person(0.0)
        found.append(StreamSettings(task, variant, lang, memory, model, person, seed, length, people, is_shared))
    return list(dict.fromkeys(found))


def paper(model: str) -> list[StreamSettings]:
    """The experiments of the paper: lexical questions in every language and scrambled words, with both persons."""
    variant = Brackets.HALF.value
    return [
        stream
        for task in ("lexical", "scramble")
        for stream in streams(task, variant, model, clarifies=_PROBABILITIES, seeds=3)
    ]


def quick(model: str) -> list[StreamSettings]:
    """One seed of the English stream, where everything is clarified."""
    return streams("lexical", Brackets.HALF.value, model, (ENGLISH,))
