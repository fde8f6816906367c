"""Validate the lines of an export: only columns returned here are ever written. Pure.

Model texts that are too long are truncated with an ellipsis; texts of users are not.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationInfo

from assistant.errors import InputError
from assistant.kinds import MOST_TRIPLES, STORABLE, Content, Kinds
from assistant.limits import DEFAULT_LIMITS
from assistant.settings import LONGEST_QUESTION
from assistant.text.content_rules import check_private
from assistant.types import KeyOrigin, Status, utc_now
from memory_store.ledger.database.schema import KeyState
from memory_store.ledger.entries import drop_unnamed, find_unnamed
from memory_store.transfer.export_format import EXPORTED_EVENTS, Record

_LONGEST_NAME = 500  # characters of a model's name
_MOST_KEYS = 500  # per entry
_MOST_ITEMS = 200  # ids in a list
_LONGEST_BODY = 4_000_000  # characters of its JSON
_INVALID = (ValueError, TypeError, KeyError, OverflowError, RecursionError)


def _cut(text: str, longest: int = DEFAULT_LIMITS.reply) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _read_time(written: str, info: ValidationInfo) -> str:
    """Return a time in UTC; replace a future one, which would never expire, by now.

    Raises ValueError if it is not a time, TypeError without a time zone, or OverflowError.
    """
    now: datetime = info.context["now"]  # type: ignore[index]  # every check has one
    return min(datetime.fromisoformat(written), now).astimezone(UTC).isoformat()


_Id = Annotated[str, StringConstraints(strict=True, pattern="^[0-9a-zA-Z:-]{1,64}$")]
_Text = Annotated[str, StringConstraints(strict=True, max_length=LONGEST_QUESTION), STORABLE]
_Time = Annotated[str, StringConstraints(strict=True), AfterValidator(_read_time)]


class _Line(BaseModel):
    # Build validators for the first import only; most processes never need them.
    model_config = ConfigDict(use_enum_values=True, protected_namespaces=(), defer_build=True)


class _Key(_Line):
    text: _Text
    origin: KeyOrigin


# Keys without a storable text are skipped.
_WithText = AfterValidator(lambda found_under: [key for key in found_under if key.text])


class _Entry(_Line):
    id: _Id
    kind: str
    status: Status
    question: Annotated[_Text, Field(min_length=1)]
    turn_id: Literal[""] | _Id
    model: Annotated[_Text, AfterValidator(lambda name: _cut(name, _LONGEST_NAME))]
    supersedes: _Id | None
    created: _Time
    key_state: KeyState | None
    found_under: Annotated[
        list[_Key], Field(max_length=_MOST_KEYS, validation_alias="keys"), _WithText, Field(min_length=1)
    ]


class _Event(_Line):
    kind: Annotated[str, StringConstraints(strict=True, pattern=f"^({'|'.join(EXPORTED_EVENTS)})$")]
    entry_id: _Id
    turn_id: _Id | None
    created: _Time


def check_lines(records: Mapping[int, Record], kinds: Kinds) -> Iterator[tuple[str, Record]]:
    """Yield the type and the columns (see `check_record`) of each entry and each event; skip turns and titles.

    Raises InputError with the line number and, if known, the reason.
    """
    earlier: set[str] = set()
    now = utc_now()
    for number, record in records.items():
        try:
            if record["type"] in {"turn", "title"}:
                continue
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
    """Return the columns of an event, or of an entry.

    Times are at most `now`, and bodies match their entry type in `kinds`. Triples with names that are not in the
    fact's sentence are removed; `dropped` counts them. The idempotency key is not included.

    Raises one of `_INVALID` for invalid values, InputError for content that must not be stored
    (`assistant.text.content_rules`).
    """
    models: dict[str, type[_Line]] = {"entry": _Entry, "event": _Event}
    line = models[record["type"]].model_validate(record, context={"now": now})
    columns = line.model_dump()
    if isinstance(line, _Entry):
        content = _parse_body(record, kinds)
        columns["dropped"] = len(find_unnamed(content.body))
        content = replace(content, body=drop_unnamed(content.body))
        for text in (*content.texts, *(key.text for key in line.found_under if key.origin == KeyOrigin.PERSON)):
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
    if len(json.dumps(said, ensure_ascii=False, allow_nan=False)) > _LONGEST_BODY:
        raise ValueError
    said = {name: _cut(value) if isinstance(value, str) else value for name, value in said.items()}
    return Content(kind, record["question"], kind.body.model_validate(said))
