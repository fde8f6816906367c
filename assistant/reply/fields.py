"""What else stands in a reply than the loop knows of: one table, from the name of a field to what it may hold.

Those of a tag have its name; the others are left of how the answer came about. What a file says is held to the table
before anything is written, and what is stored before anybody reads it, so that whoever does need not doubt its form.
"""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from assistant.kinds import MOST_SCORERS, ScorerName
from assistant.types import DECIDED_LESSON, OPEN_LESSON, ReplyStatus

READINGS = "readings"
FACT = "fact"
KEEP = "keep"
BECAUSE = "because"
"""The premises with which an answer came, as sentences."""
DISPUTED = "disputed"
"""Facts that, as an answer says, do not go together, as sentences."""
WHY = "why"
"""What is kept of a call that asked for the reasons."""
THOUGHT = "thought"
"""What is kept of an answer that was thought through."""
SAID = "keep_said"
"""What its person said of the proposed triples: number to the line kept, or to none."""
LOOKED = "looked"
"""What was looked up for it."""
DRAFTS = "drafts"
"""The ways in which it was answered."""
LEARNT, UNNOTED = "learnt_from", "not_noted"
"""That a practised turn is done with, and how often that failed."""

_closed = with_config(ConfigDict(extra="forbid"))


@_closed
class _Fact(TypedDict):
    """A premise that is a fact."""

    entry: str
    opposed: bool
    believed: bool


@_closed
class _Text(TypedDict):
    """A premise that nobody told."""

    text: str
    believed: bool


_Premises = tuple[_Fact | _Text, ...]


class _Why(TypedDict):
    premises: _Premises
    claim: str
    follows: bool | None


class _Proof(TypedDict):
    premises: _Premises
    outcome: str
    score: float


class _Hypothesis(TypedDict):
    answer: str
    statement: str
    proofs: tuple[_Proof, ...]


class _Thought(TypedDict):
    claim: str
    hypotheses: tuple[_Hypothesis, ...]


class _Found(TypedDict):
    entry: str
    subject: str
    relation: str
    object: str


class _Looked(TypedDict):
    asked: str
    outcome: Literal["found", "nothing", "too many", "too wide"]
    found: tuple[_Found, ...]


def _readable(fields: dict[str, Any]) -> dict[str, Any]:
    if readable(fields) != fields:
        raise ValueError
    return fields


@with_config(ConfigDict(extra="allow"))
class _DraftFields(TypedDict, total=False):
    """The fields of a reply that a turn has apart."""

    understanding: str
    answer: str
    correction: str
    notes: tuple[Annotated[int, Field(ge=0)] | Annotated[str, Field(pattern=r"^\d{1,3}( |$)")], ...]


_Score = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class _Draft(TypedDict):
    raw: str
    status: Annotated[str, AfterValidator(ReplyStatus)]
    fields: Annotated[_DraftFields, AfterValidator(_readable)]
    used: tuple[str, ...]
    scores: Annotated[dict[ScorerName, _Score], Field(max_length=MOST_SCORERS)]


class _Drafts(TypedDict):
    all: tuple[_Draft, ...]
    best: Annotated[int, Field(ge=0)]
    shown: Annotated[int, Field(ge=0)]


def _whole(drafts: _Drafts) -> _Drafts:
    """Raises ValueError where there is no draft at a place, or not every draft has the same scores."""
    is_scored_alike = len({frozenset(one["scores"]) for one in drafts["all"]}) == 1
    if not (is_scored_alike and max(drafts["best"], drafts["shown"]) < len(drafts["all"])):
        raise ValueError
    return drafts


_Texts = tuple[str, ...]
FIELDS: Mapping[str, Any] = MappingProxyType(
    {
        **dict.fromkeys((READINGS, FACT, KEEP, BECAUSE, DISPUTED, "in_view"), _Texts),
        WHY: _Why,
        THOUGHT: _Thought,
        SAID: dict[str, str],
        LOOKED: tuple[_Looked, ...],
        DRAFTS: Annotated[_Drafts, AfterValidator(_whole)],
        **dict.fromkeys((OPEN_LESSON, DECIDED_LESSON), dict[str, Any]),
        LEARNT: bool,
        UNNOTED: int,
    }
)
"""Lists are tuples there. Nobody reads a field of any other name, which may hold anything."""


def readable(trace: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a trace, as JSON has it, with tuples for lists; without those that hold what they cannot."""
    return {name: value for name, told in trace.items() if _is_fit(name, value := _frozen(told))}


def check(trace: Mapping[str, Any]) -> None:
    """Raises ValueError where a field holds what it cannot."""
    if readable(trace).keys() != trace.keys():
        raise ValueError


def _is_fit(name: str, value: object) -> bool:
    if name not in FIELDS:
        return True
    try:
        _adapter(name).validate_python(value, strict=True)
    except ValidationError:
        return False
    return True


@cache
def _adapter(name: str) -> TypeAdapter[Any]:
    return TypeAdapter(FIELDS[name])


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _frozen(part) for name, part in value.items()}
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value
