"""Cases and questions in everyday wordings: each case is learnt from alone, and the question asked after it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, StrictStr

from assistant.types import Scope
from evaluation.expnote.pupil import Answer, Pupil
from evaluation.expnote.running import nobody
from evaluation.expnote.tasks.task import Item
from evaluation.expnote.taught import taught
from evaluation.reading import read_all
from evaluation.store_filling import app_in, fresh_folder
from evaluation.streams.step_log import StepLog


class Line(BaseModel):
    """A line of such a file."""

    family: StrictStr
    case: StrictStr
    answer: StrictStr
    question: StrictStr
    right: StrictStr  # empty where the case does not tell


@dataclass(frozen=True, slots=True)
class Asked:
    """A line, what was learnt from its case, and what was answered to its question."""

    line: Line
    lesson: str
    said: str
    right: bool


def worded(path: Path) -> Iterator[Asked]:
    """Each line, by a person of its own. Raises BadInput."""
    lines = read_all(path, Line)
    with fresh_folder() as folder, app_in(folder) as services:
        model, log = taught(services, folder), StepLog(folder / "answers.jsonl", Answer, nobody)
        for number, line in enumerate(lines):
            pupil = Pupil(model, log, Scope(f"person {number}"))
            (case,) = pupil.practise([Item(line.case, line.answer)])
            (test,) = pupil.tested("test", [Item(line.question, line.right)])
            yield Asked(line, case.lesson, test.said, test.right)
