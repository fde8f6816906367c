"""Cases of one's own: a question and its answer on each line."""

from __future__ import annotations

import csv
from functools import partial
from pathlib import Path

from pydantic import BaseModel, StrictStr

from evaluation.expnote.tasks.task import Item, MakeSplit, Split
from evaluation.reading import BadInput, read_all

_HELD_OUT = 3  # of so many lines one is held out


class Line(BaseModel):
    """A line of a file of JSON; a CSV file has the same two columns, with or without a line of names."""

    question: StrictStr
    answer: StrictStr


def from_file(path: Path) -> MakeSplit:
    """A task of the lines of a file, every third of which is held out. Raises BadInput."""
    return partial(_split, [Item(line.question, line.answer) for line in _lines(path)])


def _split(items: list[Item], seed: int, cases: int, tests: int) -> Split:  # noqa: ARG001 (the lines are what they are)
    held = items[_HELD_OUT - 1 :: _HELD_OUT]
    return Split([item for item in items if item not in held][:cases], held[:tests])


def _lines(path: Path) -> list[Line]:
    if path.suffix != ".csv":
        return [*read_all(path, Line)]
    try:
        rows = [*csv.reader(path.read_text(encoding="utf-8").splitlines())]
        return [Line(question=row[0], answer=row[1]) for row in rows if row and row[:2] != [*Line.model_fields]]
    except (OSError, ValueError, IndexError) as error:
        raise BadInput(f"{path} cannot be read as lines of a question and an answer: {error}.") from None
