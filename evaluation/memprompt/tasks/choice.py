"""Tasks by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from evaluation.memprompt.tasks.factual import Factual
from evaluation.memprompt.tasks.lexical import Lexical
from evaluation.memprompt.tasks.task import Brackets
from evaluation.memprompt.tasks.word_tasks import Scramble
from evaluation.memprompt.teacher import FeedbackTask
from evaluation.reading import BadInput

WITHOUT_DATA: Mapping[str, Callable[[Brackets], FeedbackTask[Any]]] = {"lexical": Lexical, "scramble": Scramble}
WITH_DATA: Mapping[str, Callable[[Path], FeedbackTask[Any]]] = {"factual": Factual}


def task_named(name: str, variant: str) -> FeedbackTask[Any]:
    """A task.

    Args:
        name: one of `WITHOUT_DATA` or `WITH_DATA`.
        variant: of the first how many questions have brackets; of the others the path of the data.

    Raises:
        BadInput: there is no such task or variant.
    """
    if name in WITH_DATA:
        if not variant:
            raise BadInput(f"The data of {name} is not part of this repository; name its file with --data.")
        return WITH_DATA[name](Path(variant))
    if name not in WITHOUT_DATA:
        raise BadInput(f'There is no task "{name}"; there are {", ".join((*WITHOUT_DATA, *WITH_DATA))}.')
    try:
        return WITHOUT_DATA[name](Brackets(variant))
    except ValueError:
        raise BadInput(f'Brackets are all, half or none, not "{variant}".') from None
