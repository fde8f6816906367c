"""Compute insights in the database, for one user or for all."""

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from functools import partial
from statistics import fmean, median
from typing import Any

import sqlalchemy as sa

from assistant.reports import insights
from assistant.sharing import Curator
from assistant.types import PRACTISED, Scope, TurnState
from memory_store.ledger.access import belongs_to, require_user
from memory_store.ledger.database.schema import EventKind, entries, events, spending, turns
from memory_store.ledger.entries import ACTIVE
from memory_store.ledger.ledger import Ledger

MOST_CORRECTED = 10
MOST_DAYS = 60
MOST_READ = 1_000  # answers whose times and usage are read, as both are in JSON
Whose = Callable[[sa.Table], sa.ColumnElement[bool]]
"""Return the condition for the counted rows of a table: those of one user, or all."""

_WAS_ANSWERED = sa.and_(
    turns.c.state.not_in(
        [TurnState.CORRECTION.value, TurnState.UNDONE.value, TurnState.RUNNING.value, TurnState.DELETED.value]
    ),
    sa.or_(turns.c.state == TurnState.ANSWERED.value, turns.c.corrected_by.is_not(None)),
)
_IS_QUESTION = sa.and_(turns.c.answers_again.is_(None), _WAS_ANSWERED)
_IS_ANSWER = turns.c.state == TurnState.ANSWERED.value
_HURT = events.c.kind == EventKind.HURT.value
_DAY = len("2026-01-01")  # of a time in ISO 8601
_RESTS_ON_MEMORY = sa.cast(turns.c.used, sa.Text) != "[]"


def overview(ledger: Ledger, of: Scope | Curator) -> insights.Overview:
    """Return the insights of one user, or, for a curator, of all. Implements `Insights`."""
    scope, is_whole = (of.scope, True) if isinstance(of, Curator) else (of, False)
    require_user(scope)  # raises without a scope
    whose = _asked((lambda _: sa.true()) if is_whole else partial(belongs_to, scope=scope))
    last = sa.select(spending.c.day, spending.c.dollars).order_by(spending.c.day.desc()).limit(MOST_DAYS)
    people = sa.select(sa.func.count(sa.distinct(turns.c.owner))).where(whose(turns), _IS_QUESTION)
    kinds = sa.select(entries.c.kind, sa.func.count()).where(whose(entries), ACTIVE).group_by(entries.c.kind)
    today = date.fromisoformat(ledger.now()[:_DAY])
    with ledger.read() as connection:
        return insights.Overview(
            people=connection.execute(people).scalar_one(),
            weeks=_weeks(connection, whose, today),
            taught=dict(connection.execute(kinds.order_by(entries.c.kind)).all()),
            corrected=() if is_whole else _corrected(connection, whose),
            times=_times(connection, whose(turns)),
            taken=_taken(connection, whose(turns)),
            spent=tuple(insights.Spent(*row) for row in connection.execute(last).all()[::-1]) if is_whole else (),
        )


def _asked(whose: Whose) -> Whose:
    """Return the same condition without practice turns."""
    practised = turns.c.conversation.startswith(PRACTISED)

    def asked(table: sa.Table) -> sa.ColumnElement[bool]:
        if table is turns:
            return sa.and_(whose(table), sa.not_(practised))
        if table is events:
            return sa.and_(whose(table), table.c.turn_id.not_in(sa.select(turns.c.id).where(whose(turns), practised)))
        return whose(table)

    return asked


def _weeks(connection: sa.Connection, whose: Whose, today: date) -> tuple[insights.Week, ...]:
    """Count questions that were answered with an entry and not corrected, by week."""
    this_week = _monday(today)
    since = this_week - timedelta(weeks=insights.WEEKS - 1)
    left_out = sa.select(events.c.turn_id).where(whose(events), _HURT, events.c.turn_id.is_not(None))
    helped = (_IS_QUESTION, _RESTS_ON_MEMORY, turns.c.corrected_by.is_(None), turns.c.id.not_in(left_out))
    day = sa.func.substr(turns.c.created, 1, _DAY).label("day")
    counted = sa.select(day, sa.func.count()).where(whose(turns), *helped, turns.c.created >= since.isoformat())
    by_week = Counter[date]()
    for asked, number in connection.execute(counted.group_by(day)):
        by_week[_monday(date.fromisoformat(asked))] += number
    if not by_week:
        return ()
    number_of_weeks = (this_week - min(by_week)).days // 7 + 1
    mondays = [min(by_week) + timedelta(weeks=week) for week in range(number_of_weeks)]
    return tuple(insights.Week(monday, by_week[monday]) for monday in mondays)


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _corrected(connection: sa.Connection, whose: Whose) -> tuple[insights.Corrected, ...]:
    """Return the entries whose answers were corrected most often."""
    left = events.alias()
    is_left = sa.exists().where(
        left.c.entry_id == events.c.entry_id, left.c.turn_id == events.c.turn_id, left.c.kind == EventKind.HURT.value
    )
    is_corrected = sa.case((sa.or_(turns.c.corrected_by.is_not(None), is_left), 1), else_=0)
    used, corrected = sa.func.count(), sa.func.sum(is_corrected)
    counted = (
        sa.select(events.c.entry_id, used, corrected)
        .join(turns, turns.c.id == events.c.turn_id)
        .join(entries, entries.c.id == events.c.entry_id)
        .where(whose(events), whose(turns), _WAS_ANSWERED, events.c.kind == EventKind.USED.value, ACTIVE)
        .group_by(events.c.entry_id)
        .having(corrected > 0)
        .order_by(corrected.desc(), used, events.c.entry_id)
        .limit(MOST_CORRECTED)
    )
    return tuple(insights.Corrected(*row) for row in connection.execute(counted))


def _times(connection: sa.Connection, whose: sa.ColumnElement[bool]) -> insights.Times:
    """Return the time statistics of the last answers."""
    last = sa.select(turns.c.ms).where(whose, _IS_ANSWER).order_by(turns.c.sequence.desc()).limit(MOST_READ)
    timed = [ms for ms in connection.execute(last).scalars() if isinstance(ms, dict) and _is_number(ms.get("total"))]
    if not timed:
        return insights.Times()
    parts = [_parts(ms) for ms in timed]
    totals = sorted(ms["total"] for ms in timed)
    return insights.Times(
        answers=len(timed),
        parts={name: fmean(part[name] for part in parts) for name in insights.PARTS},
        median=median(totals),
        slowest=totals[max(0, -(-len(totals) * 95 // 100) - 1)],
    )


def _taken(connection: sa.Connection, whose: sa.ColumnElement[bool]) -> insights.Taken:
    """Return the token usage and cost of the last answers."""
    known = (whose, _IS_ANSWER, turns.c.usage.is_not(sa.null()))
    last = sa.select(turns.c.usage).where(*known).order_by(turns.c.sequence.desc()).limit(MOST_READ)
    read = [usage for usage in connection.execute(last).scalars() if isinstance(usage, dict)]
    used = [usage for usage in read if all(_is_number(usage.get(part)) for part in ("prompt", "reply"))]
    if not used:
        return insights.Taken()
    prices = [usage["dollars"] for usage in used if _is_number(usage.get("dollars"))]
    return insights.Taken(
        answers=len(used),
        told=sum(usage.get("told") is True for usage in used),
        prompt=fmean(usage["prompt"] for usage in used),
        reply=fmean(usage["reply"] for usage in used),
        priced=len(prices),
        dollars=float(sum(prices)),
    )


def _parts(ms: Mapping[str, Any]) -> dict[str, float]:
    """Split the time of a turn into parts that add up to the total."""
    told = {name: float(value) for name, value in ms.items() if _is_number(value)}
    before = {name: told.get(name, 0.0) for name in ("recall", "gate", "prompt")}
    model = told.get("model", 0.0)
    first = min(told.get("first_token", model), model)
    rest = max(0.0, told["total"] - sum(before.values()) - model)
    return {**before, "first_token": first, "writing": model - first, "rest": rest}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)
