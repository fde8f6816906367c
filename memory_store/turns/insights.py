"""Compute the insights of a user in the database."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from statistics import fmean, median
from typing import Any

import sqlalchemy as sa

from assistant.reports import insights
from assistant.types import PRACTISED, Scope, TurnState
from memory_store.ledger.access import belongs_to, require_user
from memory_store.ledger.database.schema import EventKind, entries, events, turns
from memory_store.ledger.entries import ACTIVE
from memory_store.ledger.ledger import Ledger

MOST_CORRECTED = 10
MOST_READ = 1_000  # answers whose times and usage are read, as both are in JSON

_UNCOUNTED = (TurnState.CORRECTION, TurnState.UNDONE, TurnState.RUNNING, TurnState.DELETED)
_IS_ANSWER = turns.c.state == TurnState.ANSWERED.value
_IS_CORRECTED = turns.c.corrected_by.is_not(None)
_WAS_ANSWERED = sa.and_(turns.c.state.not_in(_UNCOUNTED), sa.or_(_IS_ANSWER, _IS_CORRECTED))
_IS_QUESTION = sa.and_(turns.c.answers_again.is_(None), _WAS_ANSWERED)
_HURT = sa.select(events.c.turn_id).where(events.c.kind == EventKind.HURT.value, events.c.turn_id.is_not(None))
_DAY = len("2026-01-01")  # of a time in ISO 8601


def overview(ledger: Ledger, scope: Scope) -> insights.Overview:
    """Return the insights of a user."""
    require_user(scope)  # raises without a scope
    asked = ~turns.c.conversation.startswith(PRACTISED) & belongs_to(turns, scope)
    kinds = sa.select(entries.c.kind, sa.func.count()).where(ACTIVE, belongs_to(entries, scope))
    kinds = kinds.group_by(entries.c.kind).order_by(entries.c.kind)
    last = sa.select(turns.c.ms, turns.c.usage).where(asked, _IS_ANSWER).order_by(turns.c.sequence.desc())
    with ledger.read() as connection:
        answers = connection.execute(last.limit(MOST_READ)).all()
        return insights.Overview(
            weeks=_weeks(connection, asked, date.fromisoformat(ledger.now()[:_DAY])),
            taught=dict(connection.execute(kinds).all()),
            corrected=_corrected(connection, asked),
            times=_times([row.ms["total"] for row in answers if "total" in (row.ms or {})]),
            taken=_taken([row.usage for row in answers if row.usage]),
        )


def _weeks(connection: sa.Connection, asked: sa.ColumnElement[bool], today: date) -> tuple[insights.Week, ...]:
    """Count questions that were answered with an entry and not corrected, by week."""
    this_week = today - timedelta(days=today.weekday())
    since = this_week - timedelta(weeks=insights.WEEKS - 1)
    rests_on_memory = sa.cast(turns.c.used, sa.Text) != "[]"
    helped = (_IS_QUESTION, rests_on_memory, ~_IS_CORRECTED, turns.c.id.not_in(_HURT))
    day = sa.func.substr(turns.c.created, 1, _DAY).label("day")
    counted = sa.select(day, sa.func.count()).where(asked, *helped, turns.c.created >= since.isoformat())
    by_week = Counter[date]()
    for written, number in connection.execute(counted.group_by(day)):
        asked_on = date.fromisoformat(written)
        by_week[asked_on - timedelta(days=asked_on.weekday())] += number
    first = min(by_week, default=this_week + timedelta(weeks=1))
    mondays = (first + timedelta(weeks=week) for week in range((this_week - first).days // 7 + 1))
    return tuple(insights.Week(monday, by_week[monday]) for monday in mondays)


def _corrected(connection: sa.Connection, asked: sa.ColumnElement[bool]) -> tuple[insights.Corrected, ...]:
    hurt = events.alias()
    is_hurt = (hurt.c.entry_id == events.c.entry_id, hurt.c.turn_id == turns.c.id, hurt.c.kind == EventKind.HURT.value)
    used = sa.func.count()
    corrected = sa.func.sum(sa.case((sa.or_(_IS_CORRECTED, sa.exists().where(*is_hurt)), 1), else_=0))
    counted = (
        sa.select(events.c.entry_id, used, corrected)
        .join(turns, turns.c.id == events.c.turn_id)
        .join(entries, entries.c.id == events.c.entry_id)
        .where(asked, _WAS_ANSWERED, events.c.kind == EventKind.USED.value, ACTIVE)
        .group_by(events.c.entry_id)
        .having(corrected > 0)
        .order_by(corrected.desc(), used, events.c.entry_id)
        .limit(MOST_CORRECTED)
    )
    return tuple(insights.Corrected(*row) for row in connection.execute(counted))


def _times(totals: Sequence[float]) -> insights.Times:
    if not totals:
        return insights.Times()
    slowest = sorted(totals)[max(0, -(-len(totals) * 95 // 100) - 1)]
    return insights.Times(len(totals), median(totals), slowest=slowest)


def _taken(used: Sequence[Mapping[str, Any]]) -> insights.Taken:
    if not used:
        return insights.Taken()
    prices = [usage["dollars"] for usage in used if usage["dollars"] is not None]
    return insights.Taken(
        answers=len(used),
        told=sum(usage["told"] for usage in used),
        prompt=fmean(usage["prompt"] for usage in used),
        reply=fmean(usage["reply"] for usage in used),
        priced=len(prices),
        dollars=float(sum(prices)),
    )
