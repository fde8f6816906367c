"""A model's reply, and the types of its stored fields, which also validate JSON from files and the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Annotated, Self, cast

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict, Unpack

from assistant.kinds import MOST_SCORERS, ScorerName


class ReplyStatus(StrEnum):
    OK = "ok"
    TRUNCATED = "truncated"
    NO_UNDERSTANDING = "no understanding"
    NO_ANSWER = "no answer"
    UNSTRUCTURED = "unstructured"
    EMPTY = "empty"


# Otherwise they inherit the setting of `ReplyFields`.
_without_others = with_config(ConfigDict(extra="ignore"))


@_without_others
class PremiseFields(TypedDict):
    """A premise of an answer, by its words; a fact with these words states it."""

    text: str
    believed: bool


class ReasonFields(TypedDict):  # from a separate call
    premises: tuple[PremiseFields, ...]
    claim: str
    follows: bool | None


@_without_others
class Thought(TypedDict):
    """Result of thinking a question through."""

    claim: str  # the proved statement; empty if none was


@_without_others
class LookupTriple(TypedDict):
    """A triple found by a lookup; `entry` is the id of its fact."""

    entry: str
    subject: str
    relation: str
    object: str


class LookupFields(TypedDict):
    """A lookup of the model on the fact sheet: `subject | relation | object`, with `?` for what it wanted to know."""

    asked: str
    outcome: Annotated[str, Field(pattern="^(found|nothing|too many|too wide)$")]
    found: tuple[LookupTriple, ...]


@_without_others
class DraftFields(TypedDict):
    """One of several answers to a question, with its scores by name of the scorer."""

    raw: str
    status: Annotated[str, AfterValidator(ReplyStatus)]
    fields: ReplyFields
    used: tuple[str, ...]
    scores: Annotated[
        dict[ScorerName, Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]], Field(max_length=MOST_SCORERS)
    ]


class DraftsFields(TypedDict):
    """All drafts of an answer, and the indices of the best and of the shown one."""

    all: tuple[DraftFields, ...]
    best: Annotated[int, Field(ge=0)]
    shown: Annotated[int, Field(ge=0)]


def _check_drafts(drafts: DraftsFields) -> DraftsFields:
    """Raise ValueError if an index is invalid, or drafts have different scorers."""
    is_scored_alike = len({frozenset(one["scores"]) for one in drafts["all"]}) == 1
    if not (is_scored_alike and max(drafts["best"], drafts["shown"]) < len(drafts["all"])):
        raise ValueError
    return drafts


@with_config(ConfigDict(extra="allow"))
class Trace(TypedDict, total=False):
    """Fields of a reply beyond understanding, answer, notes and correction. Unknown ones of old versions are kept."""

    readings: tuple[str, ...]  # other possible meanings of the question
    fact: tuple[str, ...]  # facts that the message tells
    keep: tuple[str, ...]  # triples that the message tells, a line each
    keep_said: dict[str, str]  # decisions of the user: number to the kept line, or to an empty one
    because: tuple[str, ...]  # premises that came with the answer, as sentences
    disputed: tuple[str, ...]  # facts that contradict each other, according to the answer
    why: ReasonFields
    thought: Thought
    looked: tuple[LookupFields, ...]
    drafts: Annotated[DraftsFields, AfterValidator(_check_drafts)]
    drafted_lesson: dict[str, object]  # a lesson from the user's feedback on the turn, with their decision
    learnt_from: bool  # learning from a practice turn is complete
    in_view: tuple[str, ...]  # ids of entries that these fields may quote: the turn is erased with them


@with_config(ConfigDict(extra="allow"))
class ReplyFields(Trace, total=False):
    """All fields of a reply, by their stored names."""

    understanding: str
    answer: str
    correction: str
    notes: tuple[Annotated[int, Field(ge=0)] | Annotated[str, Field(pattern=r"^\d{1,3}( |$)")], ...]
    # Tags of further calls, which are not stored.
    candidate: tuple[str, ...]
    statement: tuple[str, ...]
    premise: tuple[str, ...]
    step: str
    doubted: tuple[str, ...]
    claim: str
    follows: bool
    question: str


@dataclass(frozen=True, slots=True)
class Reply:
    """A parsed reply of a model."""

    raw: str  # the original text, without thinking and marks (`assistant.reply.filter`)
    status: ReplyStatus = ReplyStatus.EMPTY
    fields: ReplyFields = field(default_factory=ReplyFields)  # non-empty ones

    @classmethod
    def of(
        cls,
        raw: str,
        understanding: str = "",
        answer: str = "",
        status: ReplyStatus = ReplyStatus.EMPTY,
        **further: Unpack[Trace],
    ) -> Self:
        return cls(raw, status).with_fields(understanding=understanding, answer=answer, **further)

    def with_fields(self, /, **fields: Unpack[ReplyFields]) -> Self:
        """Return the reply with these fields updated; empty values remove a field."""
        merged = {**self.fields, **fields}
        kept = {name: value for name, value in merged.items() if value not in (None, "", (), {})}
        return replace(self, fields=cast("ReplyFields", kept))

    def without(self, *names: str) -> Self:
        return self.with_fields(**cast("ReplyFields", dict.fromkeys(names)))

    @property
    def understanding(self) -> str:
        return self.fields.get("understanding", "")

    @property
    def answer(self) -> str:
        return self.fields.get("answer", "")

    @property
    def correction(self) -> str | None:
        """Return the intended meaning if, according to the model, the message corrects the turn before; else None."""
        return self.fields.get("correction")

    @property
    def in_view(self) -> tuple[str, ...]:
        return self.fields.get("in_view", ())

    @property
    def notes(self) -> Mapping[int, str]:
        """Return the numbers of the offered notes that the model used, each with its reason (a word) or ""."""
        told = (str(note).partition(" ") for note in self.fields.get("notes", ()))
        return {int(number): why for number, _, why in told}

    @property
    def trace(self) -> Trace:
        """Return the fields beyond understanding, answer, notes and correction."""
        return cast("Trace", self.without("understanding", "answer", "notes", "correction").fields)

    def says_the_same(self, other: Reply) -> bool:
        return (self.understanding, self.answer) == (other.understanding, other.answer)

    def in_place_of(self, other: Reply) -> Self:
        """Return this reply as the replacement of another one of its turn, with the fields that belong to the turn."""
        return self.with_fields(
            drafted_lesson=other.fields.get("drafted_lesson", {}),
            in_view=tuple(dict.fromkeys((*other.in_view, *self.in_view))),
        )


TRACE = TypeAdapter(Trace)
"""The validation of a trace from JSON."""


def parse_trace(trace: Mapping[str, object]) -> Trace:
    """Return the valid fields of a trace from JSON, with tuples for lists."""
    try:
        fitting = TRACE.validate_python(trace)
    except ValidationError as error:
        faulty = {fault["loc"][0] for fault in error.errors()}
        fitting = TRACE.validate_python({name: value for name, value in trace.items() if name not in faulty})
    return cast("Trace", _with_tuples(fitting))


def _with_tuples(value: object) -> object:
    """Convert lists to tuples, for fields without a type (of extensions and earlier versions)."""
    if isinstance(value, dict):
        return {name: _with_tuples(part) for name, part in value.items()}
    return tuple(map(_with_tuples, value)) if isinstance(value, list | tuple) else value
