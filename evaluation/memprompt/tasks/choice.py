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


def task_named(name: str, variant: str) -> FeedbackTask[Any]:
    """One of `WITHOUT_DATA`, whose variant is how many questions have brackets; or `factual`, by the path of its data.

    Raises:
        BadInput: there is no such variant.
    """
    if name not in WITHOUT_DATA:
        if not variant:
            raise BadInput(f"The data of {name} is not part of this repository; name its file with --data.")
        return Factual(Path(variant))
    try:
        return WITHOUT_DATA[name](Brackets(variant))
    except ValueError:
        raise BadInput(f'Brackets are all, half or none, not "{variant}".') from None
