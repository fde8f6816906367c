"""What a line of an export may hold. Whatever a file says, only what passes here is ever written. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from assistant.content_rules import check_private
from assistant.errors import InputError
from assistant.types import Action, KeyOrigin, Kind, ReplyStatus, Status, TurnState
from memory_store.export_format import Record
from memory_store.exporting import EXPORTED_EVENTS
from memory_store.schema import KeyState

Check = Callable[[Any], Any]
"""A value to what is kept of it. Raises ValueError or TypeError where it cannot be."""

MOST_KEYS = 500
MOST_DECISIONS = 200
LONGEST_ANSWER = 200_000  # characters
LONGEST_NAME = 500

_ID = re.compile(r"[0-9a-zA-Z:-]{1,64}")


def checked_entry(record: Record, longest_question: int, longest_text: int) -> Record:
    """The columns of an entry, and its `keys`.

    Raises:
        ValueError, TypeError, KeyError: something in it cannot be.
        InputError: it holds what is not kept (`assistant.content_rules`).
    """
    key = {"text": _text(longest_question, least=1), "origin": _one_of(KeyOrigin)}
    entry = _fields(
        {"only_in": None, **record},  # which exports from before something could count in one conversation do not name
        {
            "id": _id,
            "kind": _one_of(Kind),
            "status": _one_of(Status),
            "question": _text(longest_question, least=1),
            "text": _text(longest_text),
            "wrong_understanding": _text(LONGEST_ANSWER),
            "understanding": _text(LONGEST_ANSWER),
            "answer": _text(LONGEST_ANSWER),
            "turn_id": _maybe_empty(_id),
            "model": _text(LONGEST_NAME),
            "supersedes": _or_none(_id),
            "idempotency_key": _text(LONGEST_NAME, least=1),
            "created": _time,
            "key_state": _or_none(_one_of(KeyState)),
            "only_in": _or_none(_id),
            "keys": _list_of(lambda item: _fields(item, key), MOST_KEYS, least=1),
        },
    )
    said = (key["text"] for key in entry["keys"] if key["origin"] == KeyOrigin.PERSON)
    for text in (entry["text"], *said):
        check_private(text)
    return entry


def checked_turn(record: Record, longest_question: int) -> Record:
    """The columns of a turn, and its `decisions`. Raises as `checked_entry`."""
    decision = {
        "entry_id": _id,
        "rank": _number(int),
        "key_text": _text(longest_question),
        "key_origin": _one_of(KeyOrigin),
        "scores": _numbers,
        "action": _one_of(Action),
        "probability": _number(float),
        "reason": _text(LONGEST_NAME),
    }
    turn = _fields(
        {"chosen": None, "usage": None, **record},  # which exports from before there were such things do not name
        {
            "id": _id,
            "conversation": _id,
            "question": _text(longest_question),
            "created": _time,
            "model": _text(LONGEST_NAME),
            "state": _one_of(TurnState),
            "raw": _text(LONGEST_ANSWER),
            "understanding": _text(LONGEST_ANSWER),
            "answer": _text(LONGEST_ANSWER),
            "reply_status": _one_of(ReplyStatus),
            "notes": _list_of(_number(int), MOST_DECISIONS),
            "correction": _or_none(_text(LONGEST_ANSWER)),
            "used": _list_of(_id, MOST_DECISIONS),
            "error": _text(LONGEST_NAME),
            "answers_again": _or_none(_id),
            "clarified_with": _or_none(_id),
            "left_out": _list_of(_id, MOST_DECISIONS),
            "chosen": _or_none(_id),
            "corrected_by": _or_none(_id),
            "confirmed": _boolean,
            "ms": _numbers,
            "usage": _or_none(_usage),
            "decisions": _list_of(lambda item: _fields(item, decision), MOST_DECISIONS),
        },
    )
    if turn["state"] == TurnState.RUNNING:
        turn["state"] = TurnState.STOPPED.value  # nobody goes on with it here
    return turn


def checked_event(record: Record) -> Record:
    """The columns of an event. Raises as `checked_entry`."""
    kind = _fields(record, {"kind": str, "entry_id": _id, "turn_id": _or_none(_id), "created": _time})
    if kind["kind"] not in {each.value for each in EXPORTED_EVENTS}:
        raise ValueError(kind["kind"])
    return kind


def checked_title(record: Record) -> Record:
    """The columns of the name of a conversation. Raises as `checked_entry`."""
    return _fields(record, {"conversation": _id, "title": _text(LONGEST_NAME, least=1)})


def refused(number: int, error: Exception) -> InputError:
    """The sentence for a line that cannot be imported, by its number from 1."""
    why = f": {str(error).rstrip('.')}" if isinstance(error, TooMuch | InputError) else ""
    return InputError(f"Line {number:,} of this file cannot be imported{why}. Nothing was imported.")


class TooMuch(ValueError):
    """A text or list is longer than anything here may be; the message says so in plain words."""


def _fields(record: Any, checks: Mapping[str, Check]) -> Record:
    if not isinstance(record, dict):
        raise TypeError
    checked = {}
    for name, check in checks.items():
        try:
            checked[name] = check(record[name])
        except TooMuch as error:
            raise TooMuch(f"{name} {error.args[0]}" if " " not in name else error.args[0]) from None
    return checked


def _text(most: int, least: int = 0) -> Check:
    def check(value: Any) -> str:
        if not isinstance(value, str) or len(value) < least:
            raise TypeError
        if len(value) > most:
            raise TooMuch(f"may have {most:,} characters")
        value.encode()  # half a surrogate pair is no text
        return value

    return check


def _id(value: Any) -> str:
    if not isinstance(value, str) or not _ID.fullmatch(value):
        raise ValueError
    return value


def _time(value: Any) -> str:
    time = datetime.fromisoformat(value)
    if time.tzinfo is None:
        raise ValueError
    try:
        return time.astimezone(UTC).isoformat()
    except OverflowError as error:
        raise ValueError from error


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _one_of(kind: type[StrEnum]) -> Check:
    return lambda value: kind(value).value


def _or_none(check: Check) -> Check:
    return lambda value: None if value is None else check(value)


def _maybe_empty(check: Check) -> Check:
    return lambda value: value if value == "" else check(value)


def _number(kind: type[int] | type[float]) -> Check:
    def check(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= 2**53:  # nor NaN
            raise TypeError
        return kind(value)

    return check


def _numbers(value: Any) -> Record:
    if not isinstance(value, dict) or len(value) > MOST_DECISIONS:
        raise TypeError
    check, name = _number(float), _text(LONGEST_NAME)
    return {name(key): check(number) for key, number in value.items()}


def _usage(value: Any) -> Record:
    number = _number(int)
    dollars = _or_none(_number(float))
    return _fields(value, {"prompt": number, "reply": number, "told": _boolean, "dollars": dollars})


def _list_of(check: Check, most: int, least: int = 0) -> Check:
    def checked(value: Any) -> list[Any]:
        if not isinstance(value, list) or len(value) < least:
            raise TypeError
        if len(value) > most:
            raise TooMuch(f"may have {most:,} items")
        return [check(item) for item in value]

    return checked
