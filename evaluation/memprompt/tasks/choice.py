"""Tasks by name."""

from __future__ import annotations

from evaluation.memprompt.tasks.lexical import Brackets, Lexical
from evaluation.memprompt.tasks.task import Task
from evaluation.reading import BadInput


def task_named(name: str, variant: str) -> Task:
    """A task.

    Args:
        name: `lexical`, …
        variant: of `lexical`: how many questions have brackets.

    Raises:
        BadInput: there is no such task.
    """
    if name == "lexical":
        return Lexical(Brackets(variant or Brackets.HALF))
    raise BadInput(f'There is no task "{name}".')
