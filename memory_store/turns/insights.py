"""Compute the insights of a user in the database."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from statistics import fmean, median
from typing import Any

import sqlalchemy as sa

from assistant.reports import insights
from assistant.types import PRACTISED, Scope, TurnState
from memory_store.ledger.access import belongs_to
from memory_store.ledger.database.schema import Condition, EventKind, entries, events, turns
from memory_store.ledger.entries import ACTIVE
from memory_store.ledger.ledger import Ledger

MOST_CORRECTED = 10
MOST_READ = 1_000  # answers whose times and usage are read, as both are in JSON

_UNCOUNTED = (TurnState.CORRECTION, TurnState.UNDONE, TurnState.RUNNING, TurnState.DELETED)
_IS_ANSWER = turns.c.state == TurnState.ANSWERED.value
_IS_CORRECTED = turns.c.corrected_by.is_not(None)
_WAS_ANSWERED = sa.and_(turns.c.state.not_in(_UNCOUNTED), sa.or_(_IS_ANSWER, _IS_CORRECTED))
_USED, _HURT = (events.alias(kind.value) for kind in (EventKind.USED, EventKind.HURT))
_OF_TURN = sa.and_(_HURT.c.turn_id == turns.c.id, _HURT.c.owner == turns.c.owner, _HURT.c.kind == EventKind.HURT.value)


def overview(ledger: Ledger, scope: Scope) -> insights.Overview:
    """Return the insights of a user."""
    mine = sa.and_(belongs_to(turns, scope), ~turns.c.conversation.startswith(PRACTISED))
    kinds = sa.select(entries.c.kind, sa.func.count()).where(ACTIVE, belongs_to(entries, scope))
    last = sa.select(turns.c.ms, turns.c.usage).where(mine, _IS_ANSWER).order_by(turns.c.sequence.desc())
    with ledger.read() as connection:
        taught = connection.execute(kinds.group_by(entries.c.kind).order_by(entries.c.kind)).all()
        answers = connection.execute(last.limit(MOST_READ)).all()
        return insights.Overview(
            weeks=_weeks(connection, mine, datetime.fromisoformat(ledger.now()).date()),
            taught=dict(map(tuple, taught)),
            corrected=_corrected(connection, mine),
            times=_times([row.ms["total"] for row in answers if "total" in (row.ms or {})]),
            taken=_taken([row.usage for row in answers if row.usage]),
        )


def _weeks(connection: sa.Connection, mine: Condition, today: date) -> tuple[insights.Week, ...]:
    """Count questions that were answered with an entry and not corrected, by week."""
    this_week = today - timedelta(days=today.weekday())
    since = this_week - timedelta(weeks=insights.WEEKS - 1)
    is_hurt = sa.exists().where(_OF_TURN)
    helped = (_WAS_ANSWERED, turns.c.answers_again.is_(None), ~_IS_CORRECTED, ~is_hurt)
    rests_on_memory = sa.cast(turns.c.used, sa.Text) != "[]"
    asked = sa.select(turns.c.created).where(mine, *helped, rests_on_memory, turns.c.created >= since.isoformat())
    days = [datetime.fromisoformat(created).date() for created in connection.scalars(asked)]
    by_week = Counter(day - timedelta(days=day.weekday()) for day in days)
    first = min(by_week, default=this_week + timedelta(weeks=1))
    mondays = (first + timedelta(weeks=week) for week in range((this_week - first).days // 7 + 1))
    return tuple(insights.Week(monday, by_week[monday]) for monday in mondays)


def _corrected(connection: sa.Connection, mine: Condition) -> tuple[insights.Corrected, ...]:
    is_hurt = sa.exists().where(_OF_TURN, _HURT.c.entry_id == _USED.c.entry_id)
    used, corrected = sa.func.count(), sa.func.sum(sa.case((sa.or_(_IS_CORRECTED, is_hurt), 1), else_=0))
    counted = (
        sa.select(_USED.c.entry_id, used, corrected)
        .join(turns, turns.c.id == _USED.c.turn_id)
        .join(entries, entries.c.id == _USED.c.entry_id)
        .where(mine, _WAS_ANSWERED, _USED.c.kind == EventKind.USED.value, ACTIVE)
        .group_by(_USED.c.entry_id)
        .having(corrected > 0)
        .order_by(corrected.desc(), used, _USED.c.entry_id)
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
