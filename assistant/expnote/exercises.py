"""Exercises of one's own: a question with its right answer on each line of a text. Pure.

A line is JSON (`{"question": "…", "answer": "…"}`), or has a tab between the two, or is a line of a CSV file.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assistant.errors import InputError, NotedError
from assistant.limits import DEFAULT_LIMITS, Limits
from assistant.sentences import Sentence
from assistant.text.cleaning import checked

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
    bad: Sequence[Sentence]  # why a line is none, each with its number, from 1

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
    def of(cls, text: str, limits: Limits = DEFAULT_LIMITS) -> Exercises:
        """The exercises of a text; blank lines, and a first one that names the columns, say nothing."""
        told, bad = list[Exercise](), list[Sentence]()
        for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
            try:
                cells = [cell.strip() for cell in _cells(line)]
                if any(cells) and (number > 1 or [cell.casefold() for cell in cells] != _NAMES):
                    told.append(_exercise(cells, limits))
            except NotedError as error:
                bad.append(Sentence("practice.bad_line", {"number": number, "why": error.sentence}))
        return cls(told, bad)


def _cells(line: str) -> Iterable[str]:
    """The cells of a line. Raises InputError: it is malformed."""
    try:
        if line.lstrip().startswith("{"):
            said = json.loads(line)
            cells = [said[name] for name in _NAMES]
            if not all(isinstance(cell, str) for cell in cells):
                raise InputError("practice.no_pair")
            return cells
        if "\t" in line and not line.startswith('"'):
            return line.split("\t")
        return next(csv.reader([line], skipinitialspace=True, strict=True), ())
    except (ValueError, KeyError, RecursionError, csv.Error):
        raise InputError("practice.no_pair") from None


def _exercise(cells: Sequence[str], limits: Limits) -> Exercise:
    """Raises InputError: it is not one question with one answer, or too long."""
    if len(cells) != len(_NAMES) or not all(cells):
        raise InputError("practice.no_pair")
    question, answer = cells
    return Exercise(checked(question, limits.question), checked(answer, limits.clarification))
