"""The data set of everyday misunderstandings: types of its lines, and a loader for its parts.

`data/misunderstandings/README.md` is its card; `python -m evaluation card` updates the counts there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import BaseModel, Field, StrictInt, StrictStr

from assistant.kinds import Reach
from assistant.limits import DEFAULT_LIMITS
from evaluation.decisions.benchmark import LOOK_ALIKE, Benchmark, DecisionCase, StoredEntry
from evaluation.harness.dataset import DATA, BadInput, Dataset, read_lines, read_text

FOLDER = DATA / "misunderstandings"
CARD = FOLDER / "README.md"
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
"""The parts that `load_decision_set` combines."""


def load(part: str, split: str) -> tuple[Any, ...]:
    """Return the lines of a part. Raises BadInput, KeyError.

    load("questions", "third")[0].applies  # "t-001"
    """
    return PARTS[part].lines(split)


_N = TypeVar("_N", bound=_LineWithId)


def load_decision_set(
    name: str, *, keys: bool = True, among: str = "", lookalikes: bool = False, folder: Path = FOLDER
) -> Benchmark:
    """Return a memory and its questions from the files whose names begin with NAME_.

    Args:
        name: Name of the set.
        keys: Read the model-written keys of its entries.
        among: Name of another set whose entries are in the same memory.
        lookalikes: Ask the questions of NAME_lookalikes.jsonl too.
        folder: Folder of the files.

    Raises:
        BadInput: a file cannot be read, is empty or has invalid lines.
    """
    known = _read_by_id(EntryLine, *(folder / f"{one}_entries.jsonl" for one in (name, among) if one))
    path = folder / f"{name}_keys.jsonl"
    further = _read_by_id(KeysLine, path) if keys and path.exists() else {}
    for one in further.keys() - known.keys():
        raise BadInput(f'{path}: no entry has the id "{one}".')
    stored = {
        one: StoredEntry(
            line.id,
            (line.question,),
            line.feedback,
            line.wrong_understanding,
            further[one].keys if one in further else (),
        )
        for one, line in known.items()
    }
    asked = [*_read_questions(folder / f"{name}_questions.jsonl", stored)]
    if lookalikes:
        more = _read_by_id(LookAlikesLine, folder / f"{name}_lookalikes.jsonl").values()
        asked += [DecisionCase(text, None, LOOK_ALIKE, "unmarked") for line in more for text in line.lookalikes]
    return Benchmark(f"{name}{f' among {among}' if among else ''}", tuple(stored.values()), tuple(asked))


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


def count_lines() -> str:
    """Return a Markdown table with the number of lines per part and split, by language and kind."""
    rows = ["| part | split | lines | languages | kinds |", "|---|---|---|---|---|"]
    for part in PARTS.values():
        for split in part.splits:
            lines = part.lines(split)
            shown = (_count_values(lines, "lang"), _count_values(lines, "kind", "outcome", "same"))
            rows.append(f"| {part.name} | {split} | {len(lines):,} | {' | '.join(shown)} |")
    return "\n".join(rows)


def _count_values(lines: tuple[Any, ...], *names: str) -> str:
    """Return the counts of each value of the first of these fields that the lines have."""
    name = next((name for name in names if hasattr(lines[0], name)), "")
    found = Counter(str(getattr(line, name)) for line in lines) if name else Counter[str]()
    return ", ".join(f"{value} {number:,}" for value, number in found.most_common())


def card() -> None:
    """Update the counts in the card of the misunderstandings data set."""
    before, _, _ = read_text(CARD).partition("| part |")
    CARD.write_text(f"{before}{count_lines()}\n", encoding="utf-8")
