"""Cases of one's own: a question and its answer on each line."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from assistant.expnote.exercises import Exercises
from evaluation.expnote.tasks.task import Item, MakeSplit, Split
from evaluation.reading import BadInput, read_text

_HELD_OUT = 3  # of so many lines one is held out


def from_file(path: Path) -> MakeSplit:
    """A task of the lines of a file, every third of which is held out. Raises BadInput."""
    exercises = Exercises.of(read_text(path))
    if exercises.bad or not exercises.told:
        raise BadInput(f"{path}: {next(iter(exercises.bad), 'there is no question in it.')}")
    return partial(_split, [Item(one.question, one.answer) for one in exercises.told])


def _split(items: list[Item], seed: int, cases: int, tests: int) -> Split:  # noqa: ARG001 (the lines are what they are)
    held = items[_HELD_OUT - 1 :: _HELD_OUT]
    return Split([item for item in items if item not in held][:cases], held[:tests])
