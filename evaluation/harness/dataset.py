"""Data sets in files of JSON lines, validated while reading. Errors name the file and line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from assistant.errors import InputError

DATA = Path(__file__).parents[1] / "data"
"""Data written for this project."""

Line = TypeVar("Line")


class BadInput(InputError):
    """A file or option cannot be used. The message names it, and the line if there is one."""


@dataclass(frozen=True, slots=True)
class Dataset(Generic[Line]):
    """A named set of JSON lines, in one file per split.

        REACH = Dataset("reach", ReachCase, ("dev", "heldout"))
        REACH.lines("dev")  # of evaluation/data/reach_dev.jsonl

    Attributes:
        name: Name on the command line.
        kind: Type of a line.
        splits: Names of the splits, for the file names.
        licence: Licence of the lines.
        source: Origin of the files if they are not part of this repository.
    """

    name: str
    kind: type[Line]
    splits: tuple[str, ...]
    file: str = "{name}_{split}.jsonl"
    licence: str = "Apache-2.0"
    source: str = ""

    def lines(self, split: str, folder: Path = DATA) -> tuple[Line, ...]:
        """Return the lines of a split. Raises BadInput."""
        path = folder / self.file.format(name=self.name, split=split)
        if self.source and not path.is_file():
            raise BadInput(f"{folder} has no file {path.name}. It is from {self.source}.")
        return tuple(line for _, line in read_lines(path, self.kind))


def read_lines(path: Path, kind: type[Line]) -> Iterator[tuple[str, Line]]:
    """Yield the non-blank lines of a file with their places.

    Raises:
        BadInput: the file cannot be read or has no line, or a line is invalid.
    """
    written = {number: text for number, text in enumerate(read_text(path).split("\n"), 1) if text.strip()}
    if not written:
        raise BadInput(f"{path} is empty.")
    adapter = TypeAdapter(kind)
    for number, text in written.items():
        try:
            yield f"{path}, line {number}", adapter.validate_json(text)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            field = ".".join(str(part) for part in first["loc"])
            raise BadInput(f"{path}, line {number}: {field + ': ' if field else ''}{first['msg']}.") from None


def read_text(path: Path) -> str:
    """Return the text of a UTF-8 file. Raises BadInput if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read: {error}.") from None
