"""Compute usage statistics in the database, for one user or for all."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import partial
from statistics import fmean, median
from typing import Any

import sqlalchemy as sa

from assistant.reports import insights
from assistant.sharing import Curator
from assistant.types import PRACTISED, Scope, TurnState
from memory_store.ledger.access import own, person_of
from memory_store.ledger.database.schema import COUNTED, entries, events, spending, turns
from memory_store.ledger.entries import ACTIVE
from memory_store.ledger.ledger import Ledger

MOST_STRETCHES = 40
MOST_WORKED = 10
MOST_DAYS = 60
MOST_READ = 1_000  # answers whose times and usage are read, as both are in JSON
Whose = Callable[[sa.Table], sa.ColumnElement[bool]]
"""Return the condition for the counted rows of a table: those of one user, or all."""

_IS_QUESTION = sa.and_(
    turns.c.answers_again.is_(None),
    turns.c.state.not_in(
        [TurnState.CORRECTION.value, TurnState.UNDONE.value, TurnState.RUNNING.value, TurnState.DELETED.value]
    ),
    sa.or_(turns.c.state == TurnState.ANSWERED.value, turns.c.corrected_by.is_not(None)),
)
_IS_ANSWER = turns.c.state == TurnState.ANSWERED.value
_RESTS_ON_MEMORY = sa.cast(turns.c.used, sa.Text) != "[]"


def overview(ledger: Ledger, of: Scope | Curator) -> insights.Overview:
    """Return the statistics of one user, or, for a curator, of all. Implements `Insights`."""
    scope, is_whole = (of.scope, True) if isinstance(of, Curator) else (of, False)
    person_of(scope)  # raises without a scope
    whose = _asked((lambda _: sa.true()) if is_whole else partial(own, scope=scope))
    since = (datetime.fromisoformat(ledger.now()) - insights.RECENT).isoformat()
    is_saved = (_IS_QUESTION, _RESTS_ON_MEMORY, turns.c.corrected_by.is_(None), turns.c.created >= since)
    last = sa.select(spending.c.day, spending.c.dollars).order_by(spending.c.day.desc()).limit(MOST_DAYS)
    people = sa.select(sa.func.count(sa.distinct(turns.c.owner))).where(whose(turns), _IS_QUESTION)
    saved = sa.select(sa.func.count()).select_from(turns).where(whose(turns), *is_saved)
    remembered = sa.select(sa.func.count()).select_from(entries).where(whose(entries), ACTIVE)
    kinds = sa.select(events.c.kind, sa.func.count()).where(whose(events)).group_by(events.c.kind)
    with ledger.read() as connection:
        number: dict[str, int] = dict(connection.execute(kinds).all())
        return insights.Overview(
            **{kind.value: number.get(kind.value, 0) for kind in COUNTED},
            people=connection.execute(people).scalar_one(),
            stretches=tuple(_stretches(connection, whose)),
            saved=connection.execute(saved).scalar_one(),
            remembered=connection.execute(remembered).scalar_one(),
            worked=() if is_whole else _worked(connection, whose),
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


def _stretches(connection: sa.Connection, whose: Whose) -> Iterator[insights.Stretch]:
    """Yield statistics of consecutive questions, in blocks of twenty or a multiple of it."""
    asked = sa.and_(whose(turns), _IS_QUESTION)
    number = connection.execute(sa.select(sa.func.count()).select_from(turns).where(asked)).scalar_one()
    length = insights.PER * max(1, -(-number // (insights.PER * MOST_STRETCHES)))
    place = (sa.func.row_number().over(order_by=turns.c.sequence) - 1).label("place")
    was_corrected = sa.case((turns.c.corrected_by.is_not(None), 1), else_=0).label("corrected")
    was_remembered = sa.case((_RESTS_ON_MEMORY, 1), else_=0).label("remembered")
    numbered = sa.select(place, turns.c.created, was_corrected, was_remembered).where(asked).subquery().c
    block = (numbered.place // length).label("block")
    times = sa.func.min(numbered.created), sa.func.max(numbered.created)
    counted_up = (numbered.corrected, numbered.remembered, numbered.remembered * numbered.corrected)
    sums = map(sa.func.sum, counted_up)
    counted = sa.select(*times, sa.func.count(), *sums).group_by(block).order_by(block)
    for began, ended, questions, corrected, remembered, misremembered in connection.execute(counted):
        yield insights.Stretch(
            datetime.fromisoformat(began),
            datetime.fromisoformat(ended),
            with_memory=insights.Tally(remembered, misremembered),
            without=insights.Tally(questions - remembered, corrected - misremembered),
        )


def _worked(connection: sa.Connection, whose: Whose) -> tuple[insights.Worked, ...]:
    """Return the most used entries."""
    used, helped, hurt = (
        sa.func.sum(sa.case((events.c.kind == kind.value, 1), else_=0)).label(kind.value) for kind in COUNTED
    )
    counted = (
        sa.select(events.c.entry_id, used, helped, hurt)
        .where(whose(events))
        .group_by(events.c.entry_id)
        .having(used > 0)
        .order_by(used.desc(), hurt, events.c.entry_id)
        .limit(MOST_WORKED)
    )
    return tuple(insights.Worked(*row) for row in connection.execute(counted))


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
