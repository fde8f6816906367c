"""Validate the lines of an export: only columns returned here are ever written. Pure.

Model texts that are too long are truncated with an ellipsis; texts of users are not.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StringConstraints,
    ValidationInfo,
)

from assistant.errors import InputError
from assistant.kinds import MOST_TRIPLES, STORABLE, Content, Kinds
from assistant.limits import DEFAULT_LIMITS
from assistant.reply.fields import TRACE
from assistant.sentences import find_sentence
from assistant.settings import LONGEST_QUESTION
from assistant.text.content_rules import check_private
from assistant.types import Action, KeyOrigin, ReplyStatus, Status, TurnState, utc_now
from memory_store.ledger.database.schema import EventKind, KeyState
from memory_store.ledger.named_triples import drop_unnamed, find_unnamed
from memory_store.ledger.rows import make_storable
from memory_store.transfer.export_format import EXPORTED_EVENTS, Record

_LONGEST_NAME = 500  # characters of names, reasons and sentences
_LONGEST_CONVERSATION = 1_000  # characters of a conversation's id, which commands may choose
_MOST_KEYS = 500  # per entry
_MOST_ITEMS = 200  # decisions of a turn, and ids in a list
_LONGEST_OBJECT = 4_000_000  # characters of the JSON of a body or trace
_DEEPEST = 20  # nested lists in a body or trace
_LARGEST = 2**53  # largest integer that JSON readers agree on
_CUT = "…"
_INVALID = (ValueError, TypeError, KeyError, OverflowError, RecursionError)


def _cut(text: str, longest: int = DEFAULT_LIMITS.reply) -> str:
    return text if len(text) <= longest else text[: longest - 1] + _CUT


def _read_time(written: str, info: ValidationInfo) -> str:
    """Return a time in UTC; replace a future one, which would never expire, by now.

    Raises ValueError if it is not a time, TypeError without a time zone, or OverflowError.
    """
    now: datetime = info.context["now"]  # type: ignore[index]  # every check has one
    return min(datetime.fromisoformat(written), now).astimezone(UTC).isoformat()


def _check_object(value: Record) -> Record:
    """Return a JSON object with storable texts. Raises ValueError if it is too large or deep, or has NaN."""
    stored: Record = make_storable(value)
    if len(json.dumps(stored, ensure_ascii=False, allow_nan=False)) > _LONGEST_OBJECT or _depth(stored) > _DEEPEST:
        raise ValueError
    return stored


def _depth(value: Any) -> int:
    parts = list(value.values()) if isinstance(value, dict) else value
    return 1 + max(map(_depth, parts), default=0) if isinstance(parts, list) else 0


def _check_trace(trace: Record) -> Record:
    stored = _check_object(trace)
    TRACE.validate_python(stored)
    return stored


def _check_exported(kind: EventKind) -> EventKind:
    if kind not in EXPORTED_EVENTS:
        raise ValueError
    return kind


def _up_to(longest: int, shortest: int = 0) -> StringConstraints:
    return StringConstraints(strict=True, min_length=shortest, max_length=longest)


def _from_zero(most: float) -> Any:
    return Field(strict=True, ge=0, le=most, allow_inf_nan=False)


_Id = Annotated[str, StringConstraints(strict=True, pattern="^[0-9a-zA-Z:-]{1,64}$")]
_Ids = Annotated[list[_Id], Field(max_length=_MOST_ITEMS)]
_Conversation = Annotated[str, _up_to(_LONGEST_CONVERSATION, 1), STORABLE]
_Question = Annotated[str, _up_to(LONGEST_QUESTION), STORABLE]
_Text = Annotated[str, StringConstraints(strict=True), STORABLE]
_Answer = Annotated[_Text, AfterValidator(_cut)]
_Name = Annotated[_Text, AfterValidator(lambda name: _cut(name, _LONGEST_NAME))]
_Sentence = Annotated[_Name, AfterValidator(lambda english: find_sentence(english).as_json() if english else "")]
_Time = Annotated[str, StringConstraints(strict=True), AfterValidator(_read_time)]
_Number = Annotated[float, Field(strict=True, ge=-_LARGEST, le=_LARGEST, allow_inf_nan=False)]
_Whole = Annotated[int, _from_zero(_LARGEST)]
_NoteWithWhy = Annotated[str, Field(pattern=r"^\d{1,3} \w{1,40}$")]
_Tokens = Annotated[int, _from_zero(10**9)]


class _Line(BaseModel):
    # Build validators for the first import only; most processes never need them.
    model_config = ConfigDict(use_enum_values=True, protected_namespaces=(), defer_build=True)


class _Key(_Line):
    text: _Question
    origin: KeyOrigin


# Keys without a storable text are skipped.
_WithText = AfterValidator(lambda found_under: [key for key in found_under if key.text])


class _Entry(_Line):
    id: _Id
    kind: str
    status: Status
    question: Annotated[_Question, Field(min_length=1)]
    turn_id: Literal[""] | _Id
    model: _Name
    supersedes: _Id | None
    created: _Time
    key_state: KeyState | None
    keys: Annotated[list[_Key], Field(max_length=_MOST_KEYS), _WithText, Field(min_length=1)]


class _Decision(_Line):
    entry_id: _Id
    rank: _Whole
    key_text: _Question
    key_origin: KeyOrigin
    scores: Annotated[dict[_Name, _Number], Field(max_length=_MOST_ITEMS)]
    action: Annotated[Action, BeforeValidator(lambda name: Action.SKIP if name == "leave" else name)]  # its old name
    probability: _Number
    reason: _Sentence


class _Usage(_Line):
    prompt: _Tokens
    reply: _Tokens
    told: StrictBool
    dollars: Annotated[float, _from_zero(10_000.0)] | None


class _Turn(_Line):
    id: _Id
    conversation: _Conversation
    question: _Question
    created: _Time
    model: _Name
    state: TurnState
    raw: _Answer
    understanding: _Answer
    answer: _Answer
    reply_status: ReplyStatus
    notes: Annotated[list[_Whole | _NoteWithWhy], Field(max_length=_MOST_ITEMS)]
    correction: _Answer | None
    used: _Ids
    error: _Sentence
    answers_again: _Id | None
    clarified_with: _Id | None
    left_out: _Ids
    chosen: _Id | None = None  # missing in older exports, as is `usage`
    corrected_by: _Id | None
    confirmed: StrictBool
    ms: Annotated[dict[_Name, Annotated[float, _from_zero(10.0**10)]], Field(max_length=_MOST_ITEMS)]
    usage: _Usage | None = None
    trace: Annotated[dict[str, Any], AfterValidator(_check_trace)] | None = None
    decisions: Annotated[list[_Decision], Field(max_length=_MOST_ITEMS)]


class _Event(_Line):
    kind: Annotated[EventKind, AfterValidator(_check_exported)]
    entry_id: _Id
    turn_id: _Id | None
    created: _Time


class _Title(_Line):
    conversation: _Conversation
    title: Annotated[str, _up_to(_LONGEST_NAME, 1), STORABLE]


_LINES: Mapping[str, type[_Line]] = MappingProxyType({"entry": _Entry, "turn": _Turn, "title": _Title, "event": _Event})


def check_lines(records: Mapping[int, Record], kinds: Kinds) -> Iterator[tuple[str, Record]]:
    """Yield the type and the columns (see `check_record`) of each record.

    Raises InputError with the line number and, if known, the reason.
    """
    earlier: set[str] = set()
    now = utc_now()
    for number, record in records.items():
        try:
            columns = check_record(record, now, kinds)
            older = columns.get("supersedes")  # must be an earlier line
            if (older and older not in earlier) or columns.get("id") in earlier:
                raise ValueError
        except InputError as error:
            raise InputError("import.line_because", line=number, why=error.sentence) from None
        except _INVALID:
            raise InputError("import.line", line=number) from None
        if "id" in columns:
            earlier.add(columns["id"])
        yield record["type"], columns


def check_record(record: Record, now: datetime, kinds: Kinds) -> Record:
    """Return the columns of a row, with the `keys` of an entry and the `decisions` of a turn.

    Times are at most `now`, and bodies match their entry type in `kinds`. Triples with names that are not in the
    fact's sentence are removed; `dropped` counts them. The idempotency key is not included.

    Raises one of `_INVALID` for invalid values, InputError for content that must not be stored
    (`assistant.text.content_rules`).
    """
    line = _LINES[record["type"]].model_validate(record, context={"now": now})
    columns = line.model_dump()
    if isinstance(line, _Turn):
        texts = (line.raw, line.understanding, line.answer, line.correction or "")
        if any(text[DEFAULT_LIMITS.reply - 1 :] == _CUT for text in texts):
            columns["reply_status"] = ReplyStatus.TRUNCATED.value
        if line.state == TurnState.RUNNING:
            columns["state"] = TurnState.STOPPED.value  # no process here continues it
    if isinstance(line, _Entry):
        content = _parse_body(record, kinds)
        columns["dropped"] = len(find_unnamed(content.body))
        content = replace(content, body=drop_unnamed(content.body))
        for text in (*content.texts, *(key.text for key in line.keys if key.origin == KeyOrigin.PERSON)):
            check_private(text)
        columns["body"] = content.body.stored()
    return columns


def _parse_body(record: Record, kinds: Kinds) -> Content:
    """Return the content of an entry. Older exports lack some fields, and fields that do not apply are null."""
    kind = kinds[record["kind"]]
    said = {name: record[name] for name in kind.body.model_fields if record.get(name) is not None}
    for name, value in said.items():
        most = MOST_TRIPLES if name in kind.drawn else _MOST_ITEMS
        if isinstance(value, list) and len(value) > most:
            raise InputError("import.items", field=name, count=most)
    said = {name: _cut(value) if isinstance(value, str) else value for name, value in _check_object(said).items()}
    return Content(kind, record["question"], kind.body.model_validate(said))
