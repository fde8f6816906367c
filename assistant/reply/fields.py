"""A model's reply, and the types of all that is stored of it.

The types check who writes and reads a field, and what a file or the store says (`check`, `readable`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Annotated, Self, cast, final

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict, Unpack

from assistant.kinds import MOST_SCORERS, ScorerName

_OF_THE_LOOP = {"understanding", "answer", "notes", "correction"}


class ReplyStatus(StrEnum):
    """What became of a reply while it was parsed (see `assistant.reply.parser`)."""

    OK = "ok"
    TRUNCATED = "truncated"
    NO_UNDERSTANDING = "no understanding"
    NO_ANSWER = "no answer"
    UNSTRUCTURED = "unstructured"
    EMPTY = "empty"


# Else they would take the setting of `ReplyFields`.
_without_others = with_config(ConfigDict(extra="ignore"))


@final
@_without_others
class FactPremise(TypedDict):
    """A premise of an answer that is a remembered fact."""

    entry: str
    opposed: bool
    believed: bool


@final
@_without_others
class TextPremise(TypedDict):
    """A premise of an answer that only the model states."""

    text: str
    believed: bool


class Why(TypedDict):
    """The reasons for an answer, as a call returned them."""

    premises: tuple[FactPremise | TextPremise, ...]
    claim: str
    follows: bool | None


class ProofFields(TypedDict):
    """A proof of a hypothesis."""

    premises: tuple[FactPremise | TextPremise, ...]
    outcome: str
    score: float


class HypothesisFields(TypedDict):
    """A possible answer, with its proofs."""

    answer: str
    statement: str
    proofs: tuple[ProofFields, ...]


class Thought(TypedDict):
    """All hypotheses of an answer, and the one that was proved."""

    claim: str
    hypotheses: tuple[HypothesisFields, ...]


@_without_others
class FoundTriple(TypedDict):
    """A triple that a lookup found."""

    entry: str
    subject: str
    relation: str
    object: str


class Looked(TypedDict):
    """A lookup in the middle of an answer."""

    asked: str
    outcome: Annotated[str, Field(pattern="^(found|nothing|too many|too wide)$")]
    found: tuple[FoundTriple, ...]


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
    """All drafts of an answer, and the places of the best and of the shown one."""

    all: tuple[DraftFields, ...]
    best: Annotated[int, Field(ge=0)]
    shown: Annotated[int, Field(ge=0)]


def _check_drafts(drafts: DraftsFields) -> DraftsFields:
    """Raise ValueError if there is no draft at a place, or not every draft has the same scores."""
    is_scored_alike = len({frozenset(one["scores"]) for one in drafts["all"]}) == 1
    if not (is_scored_alike and max(drafts["best"], drafts["shown"]) < len(drafts["all"])):
        raise ValueError
    return drafts


@with_config(ConfigDict(extra="allow"))
class Trace(TypedDict, total=False):
    """The fields of a reply beside those of the loop. Others, of earlier versions, may stand there; nobody reads them.

    `assistant.reply.fields` holds to these types what a file or the store says.
    """

    readings: tuple[str, ...]  # what else the question may mean
    fact: tuple[str, ...]  # facts that the message tells
    keep: tuple[str, ...]  # triples that the message tells, a line each
    keep_said: dict[str, str]  # what the user decided about them: number to the line kept, or to an empty one
    because: tuple[str, ...]  # premises that came with the answer, as sentences
    disputed: tuple[str, ...]  # facts that contradict each other, as the answer says
    why: Why
    thought: Thought
    looked: tuple[Looked, ...]
    drafts: Annotated[DraftsFields, AfterValidator(_check_drafts)]
    drafted_lesson: dict[str, object]  # a lesson drawn from what the user said of the turn
    decided_lesson: dict[str, object]  # the same, when the user has decided about it
    learnt_from: bool  # a practised turn is done with
    not_noted: int  # how often that failed
    in_view: tuple[str, ...]  # ids of entries whose words may stand here: the turn is erased with them


@with_config(ConfigDict(extra="allow"))
class ReplyFields(Trace, total=False):
    """All fields of a reply, by their stored names: the text of tags, and how the answer came about."""

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
    """A model's reply, taken apart."""

    raw: str  # the text as it came, without thinking and marks (`assistant.reply.filter`)
    status: ReplyStatus = ReplyStatus.EMPTY  # how the parse went
    fields: ReplyFields = field(default_factory=ReplyFields)  # none is empty

    @classmethod
    def of(
        cls,
        raw: str,
        understanding: str = "",
        answer: str = "",
        status: ReplyStatus = ReplyStatus.EMPTY,
        **further: Unpack[Trace],
    ) -> Self:
        """Return a reply with these fields."""
        return cls(raw, status).with_fields(understanding=understanding, answer=answer, **further)

    def with_fields(self, /, **fields: Unpack[ReplyFields]) -> Self:
        """Return the reply with these fields in place of its own; an empty one is left out."""
        merged = {**self.fields, **fields}
        kept = {name: value for name, value in merged.items() if value not in (None, "", (), {})}
        return replace(self, fields=cast("ReplyFields", kept))

    def without(self, *names: str) -> Self:
        """Return the reply without these fields."""
        kept = {name: value for name, value in self.fields.items() if name not in names}
        return replace(self, fields=cast("ReplyFields", kept))

    @property
    def understanding(self) -> str:
        """What the model took the question to mean; empty where it did not say."""
        return self.fields.get("understanding", "")

    @property
    def answer(self) -> str:
        """The answer; empty where there is none."""
        return self.fields.get("answer", "")

    def says_the_same(self, other: Reply) -> bool:
        """Whether a reply to the same question has the same understanding and answer."""
        return (self.understanding, self.answer) == (other.understanding, other.answer)

    @property
    def notes(self) -> Mapping[int, str]:
        """The numbers of the offered notes that it says it used, each with the word that says why, or with none."""
        told = (str(note).partition(" ") for note in self.fields.get("notes", ()))
        return {int(number): why for number, _, why in told}

    @property
    def in_view(self) -> tuple[str, ...]:
        """Ids of entries whose words may stand in what was written beside the answer later; the turn goes with them."""
        return self.fields.get("in_view", ())

    def in_place_of(self, other: Reply) -> Self:
        """The reply, with what is not of the answer but of its turn, where another answer stood."""
        return self.with_fields(
            drafted_lesson=other.fields.get("drafted_lesson", {}),
            decided_lesson=other.fields.get("decided_lesson", {}),
            in_view=tuple(dict.fromkeys((*other.in_view, *self.in_view))),
        )

    @property
    def correction(self) -> str | None:
        """What the person meant, where the model says that the message corrects the turn before; else None."""
        return self.fields.get("correction")

    @property
    def trace(self) -> Trace:
        """The fields of which the loop knows nothing."""
        return cast("Trace", {name: value for name, value in self.fields.items() if name not in _OF_THE_LOOP})


_TRACE = TypeAdapter(Trace)


def check(trace: Mapping[str, object]) -> None:
    """Raise ValueError if a field of a trace, as JSON has it, has another form."""
    _TRACE.validate_python(trace)


def readable(trace: Mapping[str, object]) -> Trace:
    """Return the fields of a trace, as JSON has it, with tuples for lists, without those that have another form."""
    try:
        fitting = _TRACE.validate_python(trace)
    except ValidationError as error:
        faulty = {fault["loc"][0] for fault in error.errors()}
        fitting = _TRACE.validate_python({name: value for name, value in trace.items() if name not in faulty})
    return cast("Trace", _with_tuples(fitting))


def _with_tuples(value: object) -> object:
    """Return a value with tuples for lists: those of fields that only an extension or an earlier version knows."""
    if isinstance(value, dict):
        return {name: _with_tuples(part) for name, part in value.items()}
    return tuple(map(_with_tuples, value)) if isinstance(value, list | tuple) else value
