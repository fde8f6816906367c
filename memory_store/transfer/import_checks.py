"""What a line of an export may hold. Whatever a file says, only what passes here is ever written. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Annotated

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StringConstraints,
    ValidationError,
    ValidationInfo,
)
from pydantic_core import PydanticCustomError

from assistant.errors import InputError
from assistant.text.content_rules import check_private
from assistant.types import Action, KeyOrigin, Kind, ReplyStatus, Status, TurnState
from memory_store.ledger.database.schema import EventKind, KeyState
from memory_store.transfer.export_format import Record
from memory_store.transfer.exporting import EXPORTED_EVENTS

MOST_KEYS = 500
MOST_DECISIONS = 200
LONGEST_ANSWER = 200_000  # characters
LONGEST_NAME = 500
_LARGEST = 2**53  # of a number that every program reads alike

_TOO_MUCH = {"string_too_long": "characters", "too_long": "items"}


def _at_most(name: str) -> AfterValidator:
    """A limit in characters that the context of the check names."""

    def check(text: str, info: ValidationInfo) -> str:
        longest: int = info.context[name]  # type: ignore[index]  # every check has one
        if len(text) > longest:
            raise PydanticCustomError("string_too_long", "too long", {"max_length": longest})
        return text

    return AfterValidator(check)


def _writable(text: str) -> str:
    text.encode()  # half a surrogate pair is no text
    return text


def _utc(written: str) -> str:
    time = datetime.fromisoformat(written)
    if time.tzinfo is None:
        raise ValueError
    try:
        return time.astimezone(UTC).isoformat()
    except OverflowError as error:
        raise ValueError from error


def _exported(kind: EventKind) -> EventKind:
    if kind not in EXPORTED_EVENTS:
        raise ValueError
    return kind


def _ended(state: str) -> str:
    return TurnState.STOPPED.value if state == TurnState.RUNNING else state  # nobody goes on with it here


_Id = Annotated[str, StringConstraints(strict=True, pattern="^[0-9a-zA-Z:-]{1,64}$")]
_MaybeId = Annotated[str, StringConstraints(strict=True, pattern="^[0-9a-zA-Z:-]{0,64}$")]
_Question = Annotated[str, StringConstraints(strict=True), _at_most("question"), AfterValidator(_writable)]
_Text = Annotated[str, StringConstraints(strict=True), _at_most("text"), AfterValidator(_writable)]
_Answer = Annotated[str, StringConstraints(strict=True, max_length=LONGEST_ANSWER), AfterValidator(_writable)]
_Name = Annotated[str, StringConstraints(strict=True, max_length=LONGEST_NAME), AfterValidator(_writable)]
_Time = Annotated[str, StringConstraints(strict=True), AfterValidator(_utc)]
_Number = Annotated[float, Field(strict=True, ge=-_LARGEST, le=_LARGEST, allow_inf_nan=False)]
_Whole = Annotated[_Number, AfterValidator(int)]
_Numbers = Annotated[dict[_Name, _Number], Field(max_length=MOST_DECISIONS)]
_Ids = Annotated[list[_Id], Field(max_length=MOST_DECISIONS)]


class _Line(BaseModel):
    model_config = ConfigDict(use_enum_values=True, protected_namespaces=())


class _Key(_Line):
    text: Annotated[_Question, Field(min_length=1)]
    origin: KeyOrigin


class _Entry(_Line):
    id: _Id
    kind: Kind
    status: Status
    question: Annotated[_Question, Field(min_length=1)]
    text: _Text
    wrong_understanding: _Answer
    understanding: _Answer
    answer: _Answer
    turn_id: _MaybeId
    model: _Name
    supersedes: _Id | None
    idempotency_key: Annotated[_Name, Field(min_length=1)]
    created: _Time
    key_state: KeyState | None
    only_in: _Id | None = None  # exports from before something could count in one conversation do not name it
    keys: Annotated[list[_Key], Field(min_length=1, max_length=MOST_KEYS)]


class _Decision(_Line):
    entry_id: _Id
    rank: _Whole
    key_text: _Question
    key_origin: KeyOrigin
    scores: _Numbers
    action: Action
    probability: _Number
    reason: _Name


class _Usage(_Line):
    prompt: _Whole
    reply: _Whole
    told: StrictBool
    dollars: _Number | None


class _Turn(_Line):
    id: _Id
    conversation: _Id
    question: _Question
    created: _Time
    model: _Name
    state: Annotated[TurnState, AfterValidator(_ended)]
    raw: _Answer
    understanding: _Answer
    answer: _Answer
    reply_status: ReplyStatus
    notes: Annotated[list[_Whole], Field(max_length=MOST_DECISIONS)]
    correction: _Answer | None
    used: _Ids
    error: _Name
    answers_again: _Id | None
    clarified_with: _Id | None
    left_out: _Ids
    chosen: _Id | None = None  # nor do older exports name this, nor what a turn took of the model
    corrected_by: _Id | None
    confirmed: StrictBool
    ms: _Numbers
    usage: _Usage | None = None
    decisions: Annotated[list[_Decision], Field(max_length=MOST_DECISIONS)]


class _Event(_Line):
    kind: Annotated[EventKind, AfterValidator(_exported)]
    entry_id: _Id
    turn_id: _Id | None
    created: _Time


class _Title(_Line):
    conversation: _Id
    title: Annotated[_Name, Field(min_length=1)]


_LINES: Mapping[str, type[_Line]] = MappingProxyType({"entry": _Entry, "turn": _Turn, "title": _Title, "event": _Event})


def checked(record: Record, longest_question: int, longest_text: int) -> Record:
    """The columns of a row, with the `keys` of an entry and the `decisions` of a turn. Lengths are in characters.

    Raises ValueError, TypeError or KeyError: something in it cannot be; InputError: it holds what is not kept
    (`assistant.text.content_rules`).
    """
    limits = {"question": longest_question, "text": longest_text}
    line = _LINES[record["type"]].model_validate(record, context=limits)
    if isinstance(line, _Entry):
        for text in (line.text, *(key.text for key in line.keys if key.origin == KeyOrigin.PERSON)):
            check_private(text)
    return line.model_dump()


def refused(number: int, error: Exception) -> InputError:
    """The sentence for a line that cannot be imported, by its number from 1."""
    why = f": {said}" if (said := _reason(error)) else ""
    return InputError(f"Line {number:,} of this file cannot be imported{why}. Nothing was imported.")


def _reason(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_input=False)[0]
        if first["type"] in _TOO_MUCH:
            where = first["loc"][:-2] if first["loc"][-1] == "[key]" else first["loc"]
            names = " ".join(part for part in where if isinstance(part, str))
            return f"{names} may have {first['ctx']['max_length']:,} {_TOO_MUCH[first['type']]}"
    return str(error).rstrip(".") if isinstance(error, InputError) else ""
