"""Tasks whose questions stand in a file that is not part of this repository."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any, ClassVar, TypeAlias

from evaluation.memprompt.tasks.task import Item, Task
from evaluation.reading import BadInput, read_text

Record: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class DataTask(Task):
    """Asks everything in a file once, in an order that the seed decides."""

    what: ClassVar[str]
    """What should be in the file."""
    path: Path

    def items(self, lang: str, seed: int) -> Iterator[Item]:
        order = Random(seed).sample(self.records, len(self.records))  # noqa: S311  a repeatable choice is wanted
        return (self.item(record, lang) for record in order)

    @abstractmethod
    def item(self, record: Record, lang: str) -> Item:
        """The question of a record."""

    @cached_property
    def records(self) -> list[Record]:
        return read_records(self.path, self.what)

    def field(self, record: Record, *names: str) -> Any:
        """The first of these fields that is there.

        Raises:
            BadInput: none is.
        """
        for name in names:
            if name in record:
                return record[name]
        raise BadInput(f"{self.path}: a line has no field {' or '.join(map(repr, names))}.")


def read_records(path: Path, what: str) -> list[Record]:
    """The objects of a JSON Lines file, or of a file that is one JSON list; `what` says what it should be.

    Raises:
        BadInput: it is missing, or no such file.
    """
    try:
        text = read_text(path)
        found = json.loads(text) if text.lstrip().startswith("[") else [json.loads(x) for x in text.splitlines() if x]
    except BadInput as error:
        raise BadInput(f"{error.sentence} It should be {what}.") from None
    except ValueError as error:
        raise BadInput(f"{path} is no JSON ({error}); it should be {what}.") from None
    if not found or not all(isinstance(one, dict) for one in found):
        raise BadInput(f"{path} holds no JSON objects; it should be {what}.")
    return found
