"""The data set of everyday misunderstandings: types of its lines, and a loader for its parts.

`data/misunderstandings/README.md` is its card.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from assistant.kinds import Reach
from evaluation.decisions.benchmark import Benchmark, DecisionCase, Id, QuestionText, StoredEntry
from evaluation.harness.dataset import DATA, BadInput, Dataset, Line, read_lines

FOLDER = DATA / "misunderstandings"
SETS = ("first", "second", "third", "fourth", "fifth", "scripts")
HELD_OUT = ("dev", "heldout")


class KeysLine(BaseModel):
    """Further keys of an entry, written by a language model."""

    id: Id
    keys: tuple[QuestionText, ...]


class ReplyLine(BaseModel):
    """Reply of a language model to a question with entries in its prompt."""

    question: QuestionText
    shown: tuple[Id, ...]  # likeliest first, among the entries of the third set
    used: tuple[Id, ...]
    understanding: str
    answer: str


class LaterQuestion(BaseModel):
    """A later question, and whether the correction should change its understanding."""

    q: str
    changes: bool


class ReachCase(BaseModel):
    """A correction with the reach that a person labelled, and later questions."""

    id: str
    lang: str
    question: str
    understood: str
    correction: str
    reach: Reach
    kind: str  # `word` or `everyday`
    later: tuple[LaterQuestion, ...]


class ConflictOutcome(StrEnum):
    """Effect of the second of two corrections on the first."""

    REPLACED = "replaced"
    BESIDE = "beside"
    UNRELATED = "unrelated"


class ConflictCorrection(BaseModel):
    """A user's correction of a question, and the topic of the conversation."""

    question: str
    said: str
    context: str


class ConflictCase(BaseModel):
    """Two corrections, labelled with the effect on the first."""

    id: str
    lang: str
    first: ConflictCorrection
    second: ConflictCorrection
    outcome: ConflictOutcome


class QuestionPair(BaseModel):
    """A question, a later one, and whether a person considers them the same."""

    known: str
    asked: str
    same: bool


class ToldMessage(BaseModel):
    """A message labelled `question`, `fact`, `correction` or `other`."""

    message: str
    kind: str = Field(alias="is")
    fact: str  # the fact in it, without an introduction
    lang: str


def _part(name: str, kind: type[Any], *splits: str, file: str = "{split}_{name}.jsonl") -> Dataset[Any]:
    return Dataset(name, kind, splits, f"misunderstandings/{file}")


PARTS: Mapping[str, Dataset[Any]] = {
    part.name: part
    for part in (
        _part("entries", StoredEntry, *SETS),
        _part("keys", KeysLine, *SETS[:5]),
        _part("questions", DecisionCase, *SETS),
        _part("lookalikes", dict, "second", "third"),  # of no measurement here
        _part("replies", ReplyLine, "fourth", "fifth"),
        _part("reach", ReachCase, *HELD_OUT, file="{name}_{split}.jsonl"),
        _part("conflicts", ConflictCase, *HELD_OUT, file="{name}_{split}.jsonl"),
        _part("conflict-replies", dict, "all", file="conflicts_replies.jsonl"),  # a language model's labels
        _part("same", QuestionPair, *HELD_OUT, file="{name}_{split}.jsonl"),
        _part("told", ToldMessage, *HELD_OUT, file="{name}_{split}.jsonl"),
    )
}
DECIDED = ("entries", "keys", "questions", "lookalikes", "replies")
"""The parts that decide which entry a question needs."""


def load(part: str, split: str) -> tuple[Any, ...]:
    """Return the lines of a part. Raises BadInput, KeyError.

    load("questions", "third")[0].applies  # "t-001"
    """
    return PARTS[part].lines(split)


def load_decision_set(name: str, *, keys: bool = True, among: str = "", folder: Path = FOLDER) -> Benchmark:
    """Return a memory and its questions from the files whose names begin with NAME_.

    Args:
        name: Name of the set.
        keys: Read the model-written keys of its entries.
        among: Name of another set whose entries are in the same memory.
        folder: Folder of the files.

    Raises:
        BadInput: a file cannot be read, is empty or has invalid lines.
    """
    stored: dict[str, StoredEntry] = {}
    for where, entry in (line for one in (name, among) if one for line in _read(folder, one, "entries", StoredEntry)):
        if str(entry.id) in stored:
            raise BadInput(f'{where}: the id "{entry.id}" is there twice.')
        stored[str(entry.id)] = entry

    def known(where: str, wanted: Id) -> StoredEntry:
        if str(wanted) not in stored:
            raise BadInput(f'{where}: no entry has the id "{wanted}".')
        return stored[str(wanted)]

    if keys and (folder / f"{name}_keys.jsonl").exists():
        for where, line in _read(folder, name, "keys", KeysLine):
            stored[str(line.id)] = replace(known(where, line.id), keys=line.keys)
    asked = [
        case if case.applies is None else replace(case, applies=known(where, case.applies).id)
        for where, case in _read(folder, name, "questions", DecisionCase)
    ]
    return Benchmark(tuple(stored.values()), tuple(asked), f"{name}{f' among {among}' if among else ''}")


def _read(folder: Path, name: str, part: str, kind: type[Line]) -> Iterator[tuple[str, Line]]:
    return read_lines(folder / f"{name}_{part}.jsonl", kind)
