"""The data set of everyday misunderstandings: what its lines hold, and the loader of its parts.

`data/misunderstandings/README.md` is its card; `python -m evaluation card` counts the lines for it.
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
from evaluation.decisions.benchmark import LOOK_ALIKE, Benchmark, Case, Stored
from evaluation.harness.dataset import DATA, BadInput, Dataset, read_lines, read_text

FOLDER = DATA / "misunderstandings"
CARD = FOLDER / "README.md"
SETS = ("first", "second", "third", "fourth", "fifth", "scripts")
HELD_OUT = ("dev", "heldout")

_Name = Annotated[StrictStr, Field(pattern=r"\S", max_length=1_000)]
_Id: TypeAlias = StrictInt | _Name
_Question = Annotated[StrictStr, Field(pattern=r"\S", max_length=DEFAULT_LIMITS.question)]
_Feedback = Annotated[StrictStr, Field(pattern=r"\S", max_length=DEFAULT_LIMITS.clarification)]


class _Named(BaseModel):
    id: _Id


class EntryLine(_Named):
    """A question that was misunderstood, and what the user said then."""

    question: _Question
    feedback: _Feedback
    wrong_understanding: StrictStr
    lang: _Name


class KeysLine(_Named):
    """Further texts by which an entry can be found, as a language model wrote them."""

    keys: tuple[_Question, ...]


class QuestionLine(BaseModel):
    """A later question, and the entry that it needs, if any; those in `also` may be used and need not."""

    question: _Question
    applies: _Id | None
    kind: _Name
    lang: _Name
    also: frozenset[_Id] = frozenset()


class LookAlikesLine(_Named):
    """Further questions that look as if they needed an entry, and need none."""

    lookalikes: tuple[_Question, ...]


class ReplyLine(BaseModel):
    """What a language model made of the entries that it was shown beside a question."""

    question: _Question
    shown: tuple[_Id, ...]  # the likeliest first, among the entries of the third set
    used: tuple[_Id, ...]
    understanding: str
    answer: str


class Later(BaseModel):
    """A later question, and whether the correction should change how it is understood."""

    q: str
    changes: bool


class ReachCase(BaseModel):
    """A correction, with the reach that a person marked, and later questions."""

    id: str
    lang: str
    question: str
    understood: str
    correction: str
    reach: Reach
    kind: str  # `word` or `everyday`
    later: tuple[Later, ...]


class Outcome(StrEnum):
    """What becomes of the first of two corrections."""

    REPLACED = "replaced"
    BESIDE = "beside"
    UNRELATED = "unrelated"


class Correction(BaseModel):
    """What a user said about a question, and what the conversation was about."""

    question: str
    said: str
    context: str


class ConflictCase(BaseModel):
    """Two corrections, and what a person says should become of the first."""

    id: str
    lang: str
    first: Correction
    second: Correction
    outcome: Outcome


class ConflictReply(BaseModel):
    """What became of the first where a language model said it, and the keys that it wrote for the second."""

    id: str
    outcome: Outcome
    keys: tuple[str, ...]


class Pair(BaseModel):
    """A question, a later one, and whether a person would say that it is the same."""

    known: str
    asked: str
    same: bool


class ToldMessage(BaseModel):
    """A message, and what it is: a `question`, a `fact`, a `correction`, or `other`."""

    message: str
    kind: str = Field(alias="is")
    fact: str  # what it tells, without what is written before it
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
        _part("same", Pair, *HELD_OUT, file="{name}_{split}.jsonl"),
        _part("told", ToldMessage, *HELD_OUT, file="{name}_{split}.jsonl"),
    )
}
DECIDED = ("entries", "keys", "questions", "lookalikes", "replies")
"""The parts that `decision_set` puts together."""


def load(part: str, split: str) -> tuple[Any, ...]:
    """Return the lines of a part. Raises BadInput, KeyError.

    load("questions", "third")[0].applies  # "t-001"
    """
    return PARTS[part].lines(split)


_N = TypeVar("_N", bound=_Named)


def decision_set(
    name: str, *, keys: bool = True, among: str = "", lookalikes: bool = False, folder: Path = FOLDER
) -> Benchmark:
    """Return a memory and its questions, of the files that begin with NAME_.

    Args:
        name: Name of the set.
        keys: Read the further keys of its entries, as a model would have written them.
        among: Name of another set whose entries are in the same memory.
        lookalikes: Ask the questions of NAME_lookalikes.jsonl too.
        folder: Folder of the files.

    Raises:
        BadInput: a file cannot be read, is empty, or holds what it must not.
    """
    known = _by_id(EntryLine, *(folder / f"{one}_entries.jsonl" for one in (name, among) if one))
    path = folder / f"{name}_keys.jsonl"
    further = _by_id(KeysLine, path) if keys and path.exists() else {}
    for one in further.keys() - known.keys():
        raise BadInput(f'{path}: no entry has the id "{one}".')
    stored = {
        one: Stored(
            line.id,
            (line.question,),
            line.feedback,
            line.wrong_understanding,
            further[one].keys if one in further else (),
        )
        for one, line in known.items()
    }
    asked = [*_asked(folder / f"{name}_questions.jsonl", stored)]
    if lookalikes:
        more = _by_id(LookAlikesLine, folder / f"{name}_lookalikes.jsonl").values()
        asked += [Case(text, None, LOOK_ALIKE, "unmarked") for line in more for text in line.lookalikes]
    return Benchmark(f"{name}{f' among {among}' if among else ''}", tuple(stored.values()), tuple(asked))


def _asked(path: Path, stored: Mapping[str, Stored]) -> Iterator[Case]:
    for where, line in read_lines(path, QuestionLine):
        if line.applies is not None and str(line.applies) not in stored:
            raise BadInput(f'{where}: no entry has the id "{line.applies}".')
        needed = None if line.applies is None else stored[str(line.applies)]
        yield Case(line.question, needed.id if needed else None, line.kind, line.lang, also=line.also)


def _by_id(kind: type[_N], *paths: Path) -> dict[str, _N]:
    """Return the lines of files by id, none of which is there twice."""
    found: dict[str, _N] = {}
    for where, line in (numbered for path in paths for numbered in read_lines(path, kind)):
        if str(line.id) in found:
            raise BadInput(f'{where}: the id "{line.id}" is there twice.')
        found[str(line.id)] = line
    return found


def counts() -> str:
    """Return a table of the lines of each part and split: how many, of which languages, and of which kinds."""
    rows = ["| part | split | lines | languages | kinds |", "|---|---|---|---|---|"]
    for part in PARTS.values():
        for split in part.splits:
            lines = part.lines(split)
            shown = (_counted(lines, "lang"), _counted(lines, "kind", "outcome", "same"))
            rows.append(f"| {part.name} | {split} | {len(lines):,} | {' | '.join(shown)} |")
    return "\n".join(rows)


def _counted(lines: tuple[Any, ...], *names: str) -> str:
    """Return how many lines have which value, of the first of these fields that they have."""
    name = next((name for name in names if hasattr(lines[0], name)), "")
    found = Counter(str(getattr(line, name)) for line in lines) if name else Counter[str]()
    return ", ".join(f"{value} {number:,}" for value, number in found.most_common())


def card() -> None:
    """Count the lines of the data set of misunderstandings, and write the table into its card."""
    before, _, _ = read_text(CARD).partition("| part |")
    CARD.write_text(f"{before}{counts()}\n", encoding="utf-8")
