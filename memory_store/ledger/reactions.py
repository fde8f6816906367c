"""What became of entries in turns, from the ledger's events: how often each was used, helped and hurt, and for what.

A reaction counts for and against an entry by number, whoever's it is. The question that it was about is read only for
the person who asked it: nobody learns from a shared entry what somebody else asked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlalchemy import BindParameter, ColumnElement, Connection, and_, bindparam, func, or_, select

from assistant.reactions import ReactionTo
from assistant.types import Entry, Scope
from memory_store.salvage import each, read_rows
from memory_store.schema import COUNTED, REACTIONS, EventKind, events, turns
from memory_store.scoping import own

MOST_REACTIONS = 20
"""Reactions that are read of an entry, at most: the newest."""

_PER_QUERY = 500  # databases limit how many values one statement binds
# What every question and every save runs is built once: building a statement takes longer than running it.
_IDS: BindParameter[Sequence[str]] = bindparam("ids", expanding=True)
# When entries were last used again, as places in the order of all changes; entries that never were are missing.
_AGAIN = (
    select(events.c.entry_id, func.max(events.c.sequence).label("at"))
    .where(events.c.entry_id.in_(_IDS), events.c.kind == EventKind.USED_AGAIN.value)
    .group_by(events.c.entry_id)
    .subquery()
)
_COUNTS = (
    select(events.c.entry_id, events.c.kind, func.count().label("number"))
    .outerjoin(_AGAIN, _AGAIN.c.entry_id == events.c.entry_id)
    .where(
        events.c.entry_id.in_(_IDS),
        events.c.kind.in_([kind.value for kind in COUNTED]),
        or_(events.c.kind == EventKind.USED.value, _AGAIN.c.at.is_(None), events.c.sequence > _AGAIN.c.at),
    )
    .group_by(events.c.entry_id, events.c.kind)
)


def counts_of(connection: Connection, ids: Sequence[str]) -> dict[str, dict[str, int]]:
    """Entry to kind of event to its number, of all persons. Reactions count from when it was last used again."""
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for some in batches(ids):
        for row in read_rows(connection, _COUNTS, each(events.c.entry_id, some), {"ids": some}):
            found[row["entry_id"]][row["kind"]] = row["number"]
    return found


def with_reactions(connection: Connection, found: Sequence[Entry], scope: Scope) -> list[Entry]:
    """The entries, each with the newest reactions of this person and the questions that they were about."""
    reactions: dict[str, list[ReactionTo]] = defaultdict(list)
    for some in batches([entry.id for entry in found if entry.helped or entry.hurt]):
        newest = func.row_number().over(partition_by=events.c.entry_id, order_by=events.c.sequence.desc())
        numbered = (
            select(events.c.entry_id, events.c.kind, turns.c.question, newest.label("place"))
            .join(turns, and_(turns.c.id == events.c.turn_id, own(turns, scope)))
            .outerjoin(_AGAIN, _AGAIN.c.entry_id == events.c.entry_id)
            .where(
                events.c.entry_id.in_(_IDS),
                events.c.kind.in_([kind.value for kind in REACTIONS]),
                own(events, scope),
                or_(_AGAIN.c.at.is_(None), events.c.sequence > _AGAIN.c.at),
            )
            .subquery()
        )
        query = select(numbered).where(numbered.c.place <= MOST_REACTIONS).order_by(numbered.c.place)
        for row in connection.execute(query, {"ids": some}):
            reactions[row.entry_id].append(ReactionTo(row.question, row.kind == EventKind.HELPED))
    return [replace(entry, reactions=tuple(reactions[entry.id])) if entry.id in reactions else entry for entry in found]


def is_turn_erased(connection: Connection, turn_id: str) -> bool:
    """Whether a turn was erased, so that nothing more may be kept of it."""
    return connection.execute(_ERASURE, {"named": turn_id}).first() is not None


def erasure_of_turn(turn_id: str | BindParameter[str]) -> ColumnElement[bool]:
    """The event that a turn was erased."""
    kind = events.c.kind == EventKind.TURN_ERASED.value
    return and_(events.c.entry_id == "", events.c.turn_id == turn_id, kind)


_ERASURE = select(events.c.sequence).where(erasure_of_turn(bindparam("named")))


def batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    """The ids, as many at a time as one statement may bind."""
    return (ids[start : start + _PER_QUERY] for start in range(0, len(ids), _PER_QUERY))
