"""Makes what an older version stored fit into an export that every import takes in: it is cut, and marked. Pure."""

from __future__ import annotations

from math import isfinite
from typing import Any

from assistant.limits import DEFAULT_LIMITS, LONGEST_QUESTION
from assistant.text.cleaning import storable
from assistant.text.content_rules import LONGEST_TEXT
from assistant.types import ReplyStatus
from memory_store.transfer.export_format import (
    LONGEST_CONVERSATION,
    LONGEST_LINE,
    LONGEST_NAME,
    MOST_DOLLARS,
    MOST_ITEMS,
    MOST_KEYS,
    MOST_MS,
    MOST_TOKENS,
    Record,
    sealed,
)

_OF_REPLY = ("raw", "understanding", "answer", "correction")
_LONGEST = {
    **dict.fromkeys(("question", "key_text"), LONGEST_QUESTION),
    **dict.fromkeys((*_OF_REPLY, "wrong_understanding"), DEFAULT_LIMITS.reply),
    **dict.fromkeys(("model", "error", "reason", "title", "idempotency_key"), LONGEST_NAME),
    **dict.fromkeys(("conversation", "only_in"), LONGEST_CONVERSATION),
    "text": LONGEST_TEXT,
}
_MOST = {"keys": MOST_KEYS}
_NUMBERS = {
    "usage": {"prompt": MOST_TOKENS, "reply": MOST_TOKENS, "dollars": MOST_DOLLARS},
    "ms": dict.fromkeys(("recall", "gate", "prompt", "first_token", "model", "total"), MOST_MS),
}
_DEEPEST = 20  # of lists in lists in a trace
_CUT = "…"


def fitting_line(record: Record) -> str:
    """A record as a line of an export. A turn whose reply is cut says that it is; other texts end with an ellipsis."""
    fitting = _all_fitting(record)
    if any(len(record.get(name) or "") > DEFAULT_LIMITS.reply for name in _OF_REPLY) and "reply_status" in record:
        fitting["reply_status"] = ReplyStatus.TRUNCATED.value
    line = sealed(fitting)
    while len(line.encode()) > LONGEST_LINE and (fitting.pop("trace", None) or _halve_longest_list(fitting)):
        line = sealed(fitting)
    return line


def fitting_trace(value: Any, deepest: int = _DEEPEST) -> Any:
    """A turn's trace, or a part of it, as far as an import takes it in."""
    if isinstance(value, str):
        return _cut(value, DEFAULT_LIMITS.reply)
    if isinstance(value, dict | list) and not deepest:
        return None
    if isinstance(value, dict):
        parts = list(value.items())[:MOST_ITEMS]
        return {_cut(name, LONGEST_NAME): fitting_trace(part, deepest - 1) for name, part in parts}
    if isinstance(value, list):
        return [fitting_trace(part, deepest - 1) for part in value[:MOST_ITEMS]]
    return None if isinstance(value, float) and not isfinite(value) else value


def _fitting(name: str, value: Any) -> Any:
    if name == "trace":
        return fitting_trace(value)
    if isinstance(value, str) and name in _LONGEST:
        return _cut(value, _LONGEST[name])
    if isinstance(value, dict) and name in _NUMBERS:
        most = _NUMBERS[name]
        return {part: _within(number, most[part]) if part in most else number for part, number in value.items()}
    if not isinstance(value, list):
        return value
    some = value[: _MOST.get(name, MOST_ITEMS)]
    if name == "keys":
        return [{**key, "text": _cut(key["text"], LONGEST_QUESTION)} for key in some]
    return [_all_fitting(each) if isinstance(each, dict) else each for each in some]


def _all_fitting(record: Record) -> Record:
    return {name: _fitting(name, value) for name, value in record.items()}


def _cut(text: str, longest: int) -> str:
    kept = storable(text)
    return kept if len(kept) <= longest else kept[: longest - len(_CUT)] + _CUT


def _within(number: float | None, most: float) -> float | None:
    return None if number is None else type(number)(min(max(number, 0), most))


def _halve_longest_list(record: Record) -> bool:
    """Halve what makes the line long: the keys of an entry or the decisions of a turn, but never the last one."""
    for name in ("keys", "decisions"):
        if len(several := record.get(name) or ()) > 1:
            record[name] = several[: len(several) // 2]
            return True
    return False
