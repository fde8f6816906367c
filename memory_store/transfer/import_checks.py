"""What a line of an export may hold. Whatever a file says, only what passes here is ever written. Pure."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Annotated, Any

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

from assistant.errors import InputError
from assistant.kinds import MOST_TRIPLES, STORABLE, Content, Kinds, texts_in
from assistant.limits import DEFAULT_LIMITS, LONGEST_QUESTION
from assistant.reply.fields import check as check_fields
from assistant.sentences import Sentence, known
from assistant.text.content_rules import LONGEST_TEXT, check_private
from assistant.types import Action, KeyOrigin, ReplyStatus, Status, TurnState
from memory_store.ledger.database.schema import EventKind, KeyState
from memory_store.ledger.named_things import unnamed, with_named_only
from memory_store.ledger.rows import kept
from memory_store.transfer.export_format import (
    EXPORTED_EVENTS,
    LONGEST_CONVERSATION,
    LONGEST_NAME,
    MOST_DOLLARS,
    MOST_ITEMS,
    MOST_KEYS,
    MOST_MS,
    MOST_TOKENS,
    Record,
    fitting_trace,
)

_LARGEST = 2**53  # of a number that every program reads alike

_TOO_MUCH = {"string_too_long": "import.characters", "too_long": "import.items"}


def _in_the_past(written: str, info: ValidationInfo) -> str:
    """A time in UTC; one that is still to come, by which something would be kept for ever, becomes now."""
    time = datetime.fromisoformat(written)
    if time.tzinfo is None:
        raise ValueError
    now: datetime = info.context["now"]  # type: ignore[index]  # every check has one
    try:
        return min(time, now).astimezone(UTC).isoformat()
    except OverflowError as error:
        raise ValueError from error


def _up_to(longest: int, shortest: int = 0) -> StringConstraints:
    return StringConstraints(strict=True, min_length=shortest, max_length=longest)


def _not_below_zero(most: float) -> Any:
    return Field(strict=True, ge=0, le=most, allow_inf_nan=False)


def _exported(kind: EventKind) -> EventKind:
    if kind not in EXPORTED_EVENTS:
        raise ValueError
    return kind


def _fits(trace: Record) -> Record:
    try:
        stored: Record = kept(trace)
    except RecursionError as error:
        raise ValueError from error
    if fitting_trace(stored) != stored:
        raise ValueError
    check_fields(stored)
    return stored


def _ended(state: str) -> str:
    return TurnState.STOPPED.value if state == TurnState.RUNNING else state  # nobody goes on with it here


_Id = Annotated[str, StringConstraints(strict=True, pattern="^[0-9a-zA-Z:-]{1,64}$")]
_MaybeId = Annotated[str, StringConstraints(strict=True, pattern="^[0-9a-zA-Z:-]{0,64}$")]
_Conversation = Annotated[str, _up_to(LONGEST_CONVERSATION, 1), STORABLE]
_Asked = Annotated[str, _up_to(LONGEST_QUESTION, 1), STORABLE]
_Question = Annotated[str, _up_to(LONGEST_QUESTION), STORABLE]
_Answer = Annotated[str, _up_to(DEFAULT_LIMITS.reply), STORABLE]
_Name = Annotated[str, _up_to(LONGEST_NAME), STORABLE]
_Sentence = Annotated[_Name, AfterValidator(lambda english: known(english).as_json() if english else "")]
_Time = Annotated[str, StringConstraints(strict=True), AfterValidator(_in_the_past)]
_Score = Annotated[float, Field(strict=True, ge=-_LARGEST, le=_LARGEST, allow_inf_nan=False)]
_Whole = Annotated[int, _not_below_zero(_LARGEST)]
_NoteWithWhy = Annotated[str, Field(pattern=r"^\d{1,3} \w{1,40}$")]
_Tokens = Annotated[int, _not_below_zero(MOST_TOKENS)]
_Ids = Annotated[list[_Id], Field(max_length=MOST_ITEMS)]


class _Line(BaseModel):
    # Built when the first file is read: who serves a page may never need it.
    model_config = ConfigDict(use_enum_values=True, protected_namespaces=(), defer_build=True)


class _Key(_Line):
    text: _Question
    origin: KeyOrigin


def _said(found_under: list[_Key]) -> list[_Key]:
    """Keys without those of which nothing is left as they are stored."""
    return [key for key in found_under if key.text]


class _Entry(_Line):
    id: _Id
    kind: str
    status: Status
    question: _Asked
    turn_id: _MaybeId
    model: _Name
    supersedes: _Id | None
    created: _Time
    key_state: KeyState | None
    keys: Annotated[list[_Key], Field(max_length=MOST_KEYS), AfterValidator(_said), Field(min_length=1)]


class _Decision(_Line):
    entry_id: _Id
    rank: _Whole
    key_text: _Question
    key_origin: KeyOrigin
    scores: Annotated[dict[_Name, _Score], Field(max_length=MOST_ITEMS)]
    action: Action
    probability: _Score
    reason: _Sentence


class _Usage(_Line):
    prompt: _Tokens
    reply: _Tokens
    told: StrictBool
    dollars: Annotated[float, _not_below_zero(MOST_DOLLARS)] | None


class _Turn(_Line):
    id: _Id
    conversation: _Conversation
    question: _Question
    created: _Time
    model: _Name
    state: Annotated[TurnState, AfterValidator(_ended)]
    raw: _Answer
    understanding: _Answer
    answer: _Answer
    reply_status: ReplyStatus
    notes: Annotated[list[_Whole | _NoteWithWhy], Field(max_length=MOST_ITEMS)]
    correction: _Answer | None
    used: _Ids
    error: _Sentence
    answers_again: _Id | None
    clarified_with: _Id | None
    left_out: _Ids
    chosen: _Id | None = None  # nor do older exports name this, nor what a turn took of the model
    corrected_by: _Id | None
    confirmed: StrictBool
    ms: Annotated[dict[_Name, Annotated[float, _not_below_zero(MOST_MS)]], Field(max_length=MOST_ITEMS)]
    usage: _Usage | None = None
    trace: Annotated[dict[str, Any], AfterValidator(_fits)] | None = None
    decisions: Annotated[list[_Decision], Field(max_length=MOST_ITEMS)]


class _Event(_Line):
    kind: Annotated[EventKind, AfterValidator(_exported)]
    entry_id: _Id
    turn_id: _Id | None
    created: _Time


class _Title(_Line):
    conversation: _Conversation
    title: Annotated[str, _up_to(LONGEST_NAME, 1), STORABLE]


_LINES: Mapping[str, type[_Line]] = MappingProxyType({"entry": _Entry, "turn": _Turn, "title": _Title, "event": _Event})


def checked(record: Record, now: datetime, kinds: Kinds) -> Record:
    """The columns of a row, with the `keys` of an entry and the `decisions` of a turn. Nothing in it is later than now.

    What an entry says has the fields of its kind, which must be one of `kinds`.

    Triples whose names do not stand in the sentence of their fact are left out; `dropped` says how many.

    The idempotency key of an entry is none of them: it is made anew. Raises ValueError, TypeError or KeyError:
    something in it cannot be; InputError: it holds what is not kept (`assistant.text.content_rules`).
    """
    line = _LINES[record["type"]].model_validate(record, context={"now": now})
    if not isinstance(line, _Entry):
        return line.model_dump()
    content = _content(record, kinds)
    dropped = len(unnamed(content.body))
    content = replace(content, body=with_named_only(content.body))
    for text in (*content.texts, *(key.text for key in line.keys if key.origin == KeyOrigin.PERSON)):
        check_private(text)
    return {**line.model_dump(), "body": content.body.stored(), "dropped": dropped}


def _content(record: Record, kinds: Kinds) -> Content:
    """What an entry says. Older exports do not name all its fields, and what does not apply is null."""
    kind = kinds[record["kind"]]
    said = {name: record[name] for name in kind.body.model_fields if record.get(name) is not None}
    limits = {"only_in": LONGEST_CONVERSATION} | ({} if kind.confirms else {kind.shown: LONGEST_TEXT})
    for name, value in said.items():
        longest = limits.get(name, DEFAULT_LIMITS.reply)
        most = MOST_TRIPLES if name in kind.drawn else MOST_ITEMS
        if isinstance(value, list) and len(value) > most:
            raise InputError("import.items", field=name, count=most)
        if any(len(text) > longest for text in texts_in(value)):
            raise InputError("import.characters", field=name, count=longest)
    return Content(kind, record["question"], kind.body.model_validate(said))


def refused(number: int, error: Exception) -> InputError:
    """The sentence for a line that cannot be imported, by its number from 1."""
    if why := _reason(error):
        return InputError("import.line_because", line=number, why=why)
    return InputError("import.line", line=number)


def _reason(error: Exception) -> Sentence | None:
    if isinstance(error, ValidationError):
        first = error.errors(include_input=False)[0]
        if first["type"] in _TOO_MUCH:
            where = first["loc"][:-2] if first["loc"][-1] == "[key]" else first["loc"]
            names = " ".join(part for part in where if isinstance(part, str))
            return Sentence(_TOO_MUCH[first["type"]], {"field": names, "count": first["ctx"]["max_length"]})
    return error.sentence if isinstance(error, InputError) else None
