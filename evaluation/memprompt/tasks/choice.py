"""Tasks by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from evaluation.memprompt.tasks.ethical import Ethical, Feedback
from evaluation.memprompt.tasks.factual import Factual
from evaluation.memprompt.tasks.from_file import FromFile
from evaluation.memprompt.tasks.lexical import Lexical
from evaluation.memprompt.tasks.task import Brackets, Task
from evaluation.memprompt.tasks.word_tasks import Letters, Scramble
from evaluation.reading import BadInput

WITHOUT_DATA = ("lexical", "scramble", "letters")
WITH_DATA = ("factual", "ethical-category", "ethical-words", "file")
_ASKING: Mapping[str, Callable[[Brackets], Task]] = {"lexical": Lexical, "scramble": Scramble, "letters": Letters}


def task_named(name: str, variant: str) -> Task:
    """A task.

    Args:
        name: one of `WITHOUT_DATA` or `WITH_DATA`.
        variant: of the first how many questions have brackets; of the others the path of the data, for `file` with the
            path of its templates behind a `|`, where it has any.

    Raises:
        BadInput: there is no such task or variant.
    """
    if name not in (*WITHOUT_DATA, *WITH_DATA):
        raise BadInput(f'There is no task "{name}"; there are {", ".join((*WITHOUT_DATA, *WITH_DATA))}.')
    if name in WITH_DATA:
        return _from_data(name, variant)
    try:
        brackets = Brackets(variant)
    except ValueError:
        raise BadInput(f'Brackets are all, half or none, not "{variant}".') from None
    return _ASKING[name](brackets)


def _from_data(name: str, variant: str) -> Task:
    path, _, templates = variant.partition("|")
    if not path:
        raise BadInput(f"The data of {name} is not part of this repository; name its file with --data.")
    if name == "factual":
        return Factual(Path(path))
    if name == "file":
        return FromFile(Path(path), Path(templates) if templates else None)
    return Ethical(Path(path), Feedback(name.removeprefix("ethical-")))
