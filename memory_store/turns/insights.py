"""The port `Insights` over the ledger: every number is counted by the database, over one person's rows or all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from itertools import accumulate
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    Text,
    and_,
    case,
    cast,
    distinct,
    exists,
    func,
    not_,
    or_,
    select,
    true,
)

from assistant.errors import NotCurator
from assistant.insights import BINS, PER, Grown, Overview, Spent, Step, Stretch, Tally, Worked
from assistant.sharing import Curator
from assistant.types import Action, Kind, Scope, Status, TurnState
from memory_store.last_answers import taken, times
from memory_store.ledger import Ledger
from memory_store.schema import EventKind, decisions, entries, events, spending, turns
from memory_store.scoping import own, person_of

MOST_STRETCHES = 40
MOST_WORKED = 10
MOST_DAYS = 60
Whose = Callable[[Table], ColumnElement[bool]]
"""A table to the condition for the rows that count: those of one person, or all."""

_DAY, _MONTH = len("2026-01-31"), len("2026-01")

_IS_QUESTION = and_(
    turns.c.answers_again.is_(None),
    turns.c.state.not_in([TurnState.CORRECTION.value, TurnState.UNDONE.value, TurnState.RUNNING.value]),
    or_(turns.c.state == TurnState.ANSWERED.value, turns.c.corrected_by.is_not(None)),
)
_RESTS_ON_MEMORY = cast(turns.c.used, Text) != "[]"


class LedgerInsights:
    """Counts.

    Args:
        ledger: where everything is.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def own(self, scope: Scope) -> Overview:
        """Of the person's own turns and entries.

        Raises:
            StoreError: it cannot be counted.
        """
        person_of(scope)  # without one, nothing is counted
        mine = partial(own, scope=scope)
        with self._ledger.read() as connection:
            return Overview(worked=_worked(connection, mine), **_counted(connection, mine))

    def whole(self, curator: Curator) -> Overview:
        """Of everybody's together; names nobody, and no entry.

        Raises:
            NotCurator: this is no curator.
            StoreError: it cannot be counted.
        """
        if not isinstance(curator, Curator):
            raise NotCurator
        person_of(curator.scope)
        with self._ledger.read() as connection:
            return Overview(spent=_spent(connection), **_counted(connection, _everybodys))


def _everybodys(_table: Table) -> ColumnElement[bool]:
    return true()


def _counted(connection: Connection, whose: Whose) -> dict[str, Any]:
    asking = select(func.count(distinct(turns.c.owner))).where(whose(turns), _IS_QUESTION)
    active = and_(whose(entries), entries.c.status == Status.ACTIVE.value)
    was_used = exists().where(events.c.entry_id == entries.c.id, events.c.kind == EventKind.USED.value)
    kinds = select(events.c.kind, func.count()).where(whose(events)).group_by(events.c.kind)
    number: dict[str, int] = dict(connection.execute(kinds).all())
    return {
        "people": connection.execute(asking).scalar_one(),
        "stretches": tuple(_stretches(connection, whose)),
        "steps": tuple(_steps(connection, whose)),
        "used": number.get(EventKind.USED.value, 0),
        "helped": number.get(EventKind.HELPED.value, 0),
        "hurt": number.get(EventKind.HURT.value, 0),
        "remembered": connection.execute(select(func.count()).select_from(entries).where(active)).scalar_one(),
        "never_used": connection.execute(
            select(func.count()).select_from(entries).where(active, not_(was_used))
        ).scalar_one(),
        "growth": tuple(_growth(connection, active)),
        "times": times(connection, whose(turns)),
        "taken": taken(connection, whose(turns)),
    }


def _stretches(connection: Connection, whose: Whose) -> Iterator[Stretch]:
    """Questions in their order, by twenty; where that were too many, by a multiple."""
    asked = and_(whose(turns), _IS_QUESTION)
    number = connection.execute(select(func.count()).select_from(turns).where(asked)).scalar_one()
    length = PER * max(1, -(-number // (PER * MOST_STRETCHES)))
    place = (func.row_number().over(order_by=turns.c.sequence) - 1).label("place")
    corrected = case((turns.c.corrected_by.is_not(None), 1), else_=0).label("corrected")
    remembered = case((_RESTS_ON_MEMORY, 1), else_=0).label("remembered")
    numbered = select(place, turns.c.created, corrected, remembered).where(asked).subquery()
    block = (numbered.c.place // length).label("block")
    counted = (
        select(
            func.min(numbered.c.created).label("began"),
            func.max(numbered.c.created).label("ended"),
            func.count().label("questions"),
            func.sum(numbered.c.corrected).label("corrected"),
            func.sum(numbered.c.remembered).label("remembered"),
            func.sum(numbered.c.remembered * numbered.c.corrected).label("misremembered"),
        )
        .group_by(block)
        .order_by(block)
    )
    for row in connection.execute(counted):
        yield Stretch(
            datetime.fromisoformat(row.began),
            datetime.fromisoformat(row.ended),
            with_memory=Tally(row.remembered, row.misremembered),
            without=Tally(row.questions - row.remembered, row.corrected - row.misremembered),
        )


def _steps(connection: Connection, whose: Whose) -> Iterator[Step]:
    """How sure the gate was of what an answer rested on, and what the person did with it.

    An answer with a clarification that was just given tells nothing of the gate, and neither do examples.
    """
    just_told = and_(turns.c.clarified_with.is_not(None), turns.c.clarified_with == decisions.c.entry_id)
    step = case(
        *((decisions.c.probability < (number + 1) / BINS, number) for number in range(BINS - 1)), else_=BINS - 1
    ).label("step")
    decided = (
        select(step, *(_came(kind).label(kind.value) for kind in (EventKind.USED, EventKind.HELPED, EventKind.HURT)))
        .join(turns, turns.c.id == decisions.c.turn_id)
        .where(whose(turns), decisions.c.action.in_([Action.USE.value, Action.OFFER.value]), not_(just_told))
        .subquery()
    )
    columns = decided.c
    counted = (
        select(columns.step, func.count(), func.sum(columns.helped), func.sum(columns.hurt))
        .where(columns.used == 1)
        .group_by(columns.step)
        .order_by(columns.step)
    )
    for number, used, helped, hurt in connection.execute(counted):
        yield Step(number, used, helped, hurt)


def _came(kind: EventKind) -> ColumnElement[int]:
    """1 where this came of a decision's entry in its turn, else 0."""
    same = (events.c.entry_id == decisions.c.entry_id, events.c.turn_id == decisions.c.turn_id)
    return case((exists().where(*same, events.c.kind == kind.value), 1), else_=0)


def _worked(connection: Connection, whose: Whose) -> tuple[Worked, ...]:
    """The entries that were used most."""
    used, helped, hurt = (
        func.sum(case((events.c.kind == kind.value, 1), else_=0)).label(kind.value)
        for kind in (EventKind.USED, EventKind.HELPED, EventKind.HURT)
    )
    counted = (
        select(events.c.entry_id, used, helped, hurt)
        .where(whose(events))
        .group_by(events.c.entry_id)
        .having(used > 0)
        .order_by(used.desc(), hurt, events.c.entry_id)
        .limit(MOST_WORKED)
    )
    return tuple(Worked(*row) for row in connection.execute(counted))


def _growth(connection: Connection, active: ColumnElement[bool]) -> Iterator[Grown]:
    """How much there was by the end of each day on which something came; by months where there are many days."""
    by_day = _saved(connection, active, _DAY)
    saved = by_day if len(by_day) <= MOST_DAYS else _saved(connection, active, _MONTH)
    clarifications = accumulate(counts.get(Kind.CLARIFICATION.value, 0) for counts in saved.values())
    examples = accumulate(counts.get(Kind.EXAMPLE.value, 0) for counts in saved.values())
    for until, said, shown in zip(saved, clarifications, examples, strict=True):
        yield Grown(until, said, shown)


def _saved(connection: Connection, active: ColumnElement[bool], length: int) -> dict[str, dict[str, int]]:
    when = func.substr(entries.c.created, 1, length).label("period")
    counted = select(when, entries.c.kind, func.count()).where(active).group_by(when, entries.c.kind).order_by(when)
    saved: dict[str, dict[str, int]] = {}
    for period, kind, number in connection.execute(counted):
        saved.setdefault(period, {})[kind] = number
    return saved


def _spent(connection: Connection) -> tuple[Spent, ...]:
    last = select(spending.c.day, spending.c.dollars).order_by(spending.c.day.desc()).limit(MOST_DAYS)
    return tuple(Spent(*row) for row in reversed(connection.execute(last).all()))
