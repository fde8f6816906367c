"""Exercises of one's own: a table of questions with their right answers, or a JSON object on each line. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assistant.errors import InputError, NotedError
from assistant.limits import DEFAULT_LIMITS, Limits
from assistant.text.cleaning import checked
from assistant.text.tables import Row, read_table

HELD_OUT = 0.2
"""The share of the exercises that nothing is learnt from."""
_NAMES = ["question", "answer"]


@dataclass(frozen=True, slots=True)
class Exercise:
    """A question with its right answer."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Exercises:
    """What a text says."""

    told: Sequence[Exercise]

    @property
    def cases(self) -> Sequence[Exercise]:
        """What is learnt from."""
        return self.told[: len(self.told) - self._held]

    @property
    def held_out(self) -> Sequence[Exercise]:
        """The last ones, which show what that was worth."""
        return self.told[len(self.told) - self._held :]

    @property
    def _held(self) -> int:
        return round(HELD_OUT * len(self.told))

    @classmethod
    def of(cls, text: str, limits: Limits = DEFAULT_LIMITS, header: bool | None = None) -> Exercises:
        """Return the exercises of a text, all of them; `header` says whether the first row of a table is its header.

        Raises HeaderUnclear if it is None and cannot be told, and InputError: a line is none, with its number.
        """
        is_json = text.removeprefix("\ufeff").lstrip().startswith("{")
        rows = _json_rows(text) if is_json else read_table(text, _NAMES, header=header)
        told = list[Exercise]()
        for row in rows:
            try:
                told.append(_exercise(row.cells, limits))
            except NotedError as error:
                raise InputError("practice.bad_line", number=row.number, why=error.sentence) from None
        return cls(told)


def _json_rows(text: str) -> Iterator[Row]:
    """The question and the answer of each line that is not blank; no cells where it has no such two."""
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if not line.strip():
            continue
        try:
            said = json.loads(line)
            cells = [said[name] for name in _NAMES]
            yield Row(number, cells if all(isinstance(cell, str) for cell in cells) else (), len(cells))
        except (ValueError, LookupError, TypeError, RecursionError):
            yield Row(number, (), 0)


def _exercise(cells: Sequence[str], limits: Limits) -> Exercise:
    """Raises InputError: it is not one question with one answer, or too long."""
    if len(cells) != len(_NAMES) or not all(cells):
        raise InputError("practice.no_pair")
    question, answer = cells
    return Exercise(checked(question, limits.question), checked(answer, limits.clarification))
