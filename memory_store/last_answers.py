"""Where the time of the last answers went, and what they took of the model.

Both lie in JSON, so only the last answers are read; one that is damaged costs its own number and no more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from statistics import fmean, median
from typing import Any

from sqlalchemy import ColumnElement, Connection, null, select

from assistant.insights import PARTS, Taken, Times
from assistant.types import TurnState
from memory_store.schema import turns

MOST_READ = 1_000
MOST_POINTS = 40

_IS_ANSWER = turns.c.state == TurnState.ANSWERED.value


def times(connection: Connection, whose: ColumnElement[bool]) -> Times:
    """Of those that say how long they took.

    Args:
        connection: to the ledger.
        whose: the turns that count.
    """
    last = select(turns.c.ms).where(whose, _IS_ANSWER).order_by(turns.c.sequence.desc()).limit(MOST_READ)
    timed = [ms for ms in connection.execute(last).scalars() if isinstance(ms, dict) and _is_number(ms.get("total"))]
    if not timed:
        return Times()
    parts = [_parts(ms) for ms in timed]
    totals = sorted(ms["total"] for ms in timed)
    return Times(
        answers=len(timed),
        parts={name: fmean(part[name] for part in parts) for name in PARTS},
        median=median(totals),
        slowest=totals[max(0, -(-len(totals) * 95 // 100) - 1)],
    )


def taken(connection: Connection, whose: ColumnElement[bool]) -> tuple[Taken, ...]:
    """Of those that say what they took, one by one; where they are many, several together.

    Args:
        connection: to the ledger.
        whose: the turns that count.
    """
    known = (whose, _IS_ANSWER, turns.c.usage.is_not(null()))
    last = select(turns.c.created, turns.c.usage).where(*known).order_by(turns.c.sequence.desc()).limit(MOST_READ)
    rows = [(row.created, row.usage) for row in reversed(connection.execute(last).all()) if _is_usage(row.usage)]
    length = max(1, -(-len(rows) // MOST_POINTS))
    return tuple(_together(rows[start : start + length]) for start in range(0, len(rows), length))


def _together(rows: Sequence[tuple[str, Mapping[str, Any]]]) -> Taken:
    used = [usage for _, usage in rows]
    prices = [usage["dollars"] for usage in used if _is_number(usage.get("dollars"))]
    return Taken(
        began=datetime.fromisoformat(rows[0][0]),
        ended=datetime.fromisoformat(rows[-1][0]),
        answers=len(rows),
        told=sum(usage.get("told") is True for usage in used),
        prompt=fmean(usage["prompt"] for usage in used),
        reply=fmean(usage["reply"] for usage in used),
        priced=len(prices),
        dollars=float(sum(prices)),
    )


def _parts(ms: Mapping[str, Any]) -> dict[str, float]:
    """A turn's time, taken apart so that the parts are the whole together."""
    told = {name: float(value) for name, value in ms.items() if _is_number(value)}
    before = {name: told.get(name, 0.0) for name in ("recall", "gate", "prompt")}
    model = told.get("model", 0.0)
    first = min(told.get("first_token", model), model)
    rest = max(0.0, told["total"] - sum(before.values()) - model)
    return {**before, "first_token": first, "writing": model - first, "rest": rest}


def _is_usage(value: object) -> bool:
    return isinstance(value, dict) and _is_number(value.get("prompt")) and _is_number(value.get("reply"))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)
