"""The data set of everyday misunderstandings: types of its lines, and a loader for its parts.

`data/misunderstandings/README.md` is its card.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import BaseModel, Field, StrictInt, StrictStr

from assistant.kinds import Reach
from assistant.limits import DEFAULT_LIMITS
from evaluation.decisions.benchmark import Benchmark, DecisionCase, StoredEntry
from evaluation.harness.dataset import DATA, BadInput, Dataset, read_lines

FOLDER = DATA / "misunderstandings"
SETS = ("first", "second", "third", "fourth", "fifth", "scripts")
HELD_OUT = ("dev", "heldout")

_Name = Annotated[StrictStr, Field(pattern=r"\S", max_length=1_000)]
_Id: TypeAlias = StrictInt | _Name
_Question = Annotated[StrictStr, Field(pattern=r"\S", max_length=DEFAULT_LIMITS.question)]
_Feedback = Annotated[StrictStr, Field(pattern=r"\S", max_length=DEFAULT_LIMITS.clarification)]


class _LineWithId(BaseModel):
    id: _Id


class EntryLine(_LineWithId):
    """A misunderstood question, and the user's feedback."""

    question: _Question
    feedback: _Feedback
    wrong_understanding: StrictStr
    lang: _Name


class KeysLine(_LineWithId):
    """Further keys of an entry, written by a language model."""

    keys: tuple[_Question, ...]


class QuestionLine(BaseModel):
    """A later question, and the entry that it needs, if any; those in `also` may be used but need not."""

    question: _Question
    applies: _Id | None
    kind: _Name
    lang: _Name
    also: frozenset[_Id] = frozenset()


class LookAlikesLine(_LineWithId):
    """Further questions that seem to need an entry but do not."""

    lookalikes: tuple[_Question, ...]


class ReplyLine(BaseModel):
    """Reply of a language model to a question with entries in its prompt."""

    question: _Question
    shown: tuple[_Id, ...]  # likeliest first, among the entries of the third set
    used: tuple[_Id, ...]
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


class ConflictReply(BaseModel):
    """A language model's label for a conflict, and its keys for the second correction."""

    id: str
    outcome: ConflictOutcome
    keys: tuple[str, ...]


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


def _part(name: str, kind: type[BaseModel], *splits: str, file: str = "{split}_{name}.jsonl") -> Dataset[Any]:
    return Dataset(name, kind, splits, f"misunderstandings/{file}")


PARTS: Mapping[str, Dataset[Any]] = {
    part.name: part
    for part in (
        _part("entries", EntryLine, *SETS),
        _part("keys", KeysLine, *SETS[:5]),
        _part("questions", QuestionLine, *SETS),
        _part("lookalikes", LookAlikesLine, "second", "third"),
        _part("replies", ReplyLine, "fourth", "fifth"),
        _part("reach", ReachCase, *HELD_OUT, file="{name}_{split}.jsonl"),
        _part("conflicts", ConflictCase, *HELD_OUT, file="{name}_{split}.jsonl"),
        _part("conflict-replies", ConflictReply, "all", file="conflicts_replies.jsonl"),
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


_N = TypeVar("_N", bound=_LineWithId)


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
    known = _read_by_id(EntryLine, *(folder / f"{one}_entries.jsonl" for one in (name, among) if one))
    path = folder / f"{name}_keys.jsonl"
    further = _read_by_id(KeysLine, path) if keys and path.exists() else {}
    for one in further.keys() - known.keys():
        raise BadInput(f'{path}: no entry has the id "{one}".')
    written = {one: line.keys for one, line in further.items()}
    stored = {
        one: StoredEntry(line.id, line.question, line.feedback, line.wrong_understanding, written.get(one, ()))
        for one, line in known.items()
    }
    asked = tuple(_read_questions(folder / f"{name}_questions.jsonl", stored))
    return Benchmark(tuple(stored.values()), asked, f"{name}{f' among {among}' if among else ''}")


def _read_questions(path: Path, stored: Mapping[str, StoredEntry]) -> Iterator[DecisionCase]:
    for where, line in read_lines(path, QuestionLine):
        if line.applies is not None and str(line.applies) not in stored:
            raise BadInput(f'{where}: no entry has the id "{line.applies}".')
        needed = None if line.applies is None else stored[str(line.applies)]
        yield DecisionCase(line.question, needed.id if needed else None, line.kind, line.lang, also=line.also)


def _read_by_id(kind: type[_N], *paths: Path) -> dict[str, _N]:
    """Return the lines of files by id. Raises BadInput for a repeated id."""
    found: dict[str, _N] = {}
    for where, line in (numbered for path in paths for numbered in read_lines(path, kind)):
        if str(line.id) in found:
            raise BadInput(f'{where}: the id "{line.id}" is there twice.')
        found[str(line.id)] = line
    return found
