"""What became of entries in turns, from the ledger's events: how often each was used, helped and hurt, and for what.

A reaction counts for and against an entry by number, whoever's it is. The question that it was about is read only for
the person who asked it: nobody learns from a shared entry what somebody else asked. And an entry that somebody
paused rests for that person only.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from sqlalchemy import BindParameter, Connection, Select, and_, bindparam, func, select

from assistant.types import Entry, ReactionTo, Scope
from memory_store.ledger.access import own
from memory_store.ledger.database.schema import EVIDENCE, LIMITING, REACTIONS, EventKind, events, turns
from memory_store.ledger.rows import batches, read_named

MOST_REACTIONS = 20  # reactions that are read of an entry, at most: the newest

# What every question and every save runs is built once: building a statement takes longer than running it.
_IDS: BindParameter[Sequence[str]] = bindparam("ids", expanding=True)
_COUNTS = (
    select(events.c.entry_id, events.c.kind, func.count().label("number"))
    .where(events.c.entry_id.in_(_IDS), events.c.kind.in_([kind.value for kind in EVIDENCE]))
    .group_by(events.c.entry_id, events.c.kind)
)


def counts_of(connection: Connection, ids: Sequence[str]) -> dict[str, dict[str, int]]:
    """Entry to kind of event to its number, of all persons."""
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for row in read_named(connection, _COUNTS, ids):
        found[row["entry_id"]][row["kind"]] = row["number"]
    return found


def with_reactions(connection: Connection, found: Sequence[Entry], scope: Scope) -> list[Entry]:
    """The entries, each with the newest reactions of this person and the questions that they were about."""
    found = with_limits(connection, found, scope)
    reactions: dict[str, list[ReactionTo]] = defaultdict(list)
    for some in batches(entry.id for entry in found if entry.helped or entry.hurt):
        newest = func.row_number().over(partition_by=events.c.entry_id, order_by=events.c.sequence.desc())
        kinds = events.c.kind.in_([kind.value for kind in REACTIONS])
        numbered = (
            select(events.c.entry_id, events.c.kind, turns.c.question, newest.label("place"))
            .join(turns, and_(turns.c.id == events.c.turn_id, own(turns, scope), turns.c.question != ""))
            .where(events.c.entry_id.in_(_IDS), kinds, own(events, scope))
            .subquery()
        )
        query = select(numbered).where(numbered.c.place <= MOST_REACTIONS).order_by(numbered.c.place)
        for row in connection.execute(query, {"ids": some}):
            reactions[row.entry_id].append(ReactionTo(row.question, row.kind == EventKind.HELPED))
    return [replace(entry, reactions=tuple(reactions[entry.id])) if entry.id in reactions else entry for entry in found]


@lru_cache(maxsize=1_024)
def _limits(scope: Scope) -> Select[Any]:
    kinds = events.c.kind.in_([kind.value for kind in LIMITING])
    return (
        select(events.c.entry_id, events.c.kind, events.c.turn_id, turns.c.question)
        .outerjoin(turns, and_(turns.c.id == events.c.turn_id, own(turns, scope)))
        .where(events.c.entry_id.in_(_IDS), kinds, own(events, scope))
        .order_by(events.c.sequence)
    )


def with_limits(connection: Connection, found: Sequence[Entry], scope: Scope) -> list[Entry]:
    """The entries, each with what this person keeps it from: all questions, or those asked like these."""
    resting: set[str] = set()
    excepted: dict[str, dict[str, None]] = defaultdict(dict)  # entry to questions, in their order
    for row in read_named(connection, _limits(scope), [entry.id for entry in found]):
        entry_id, question = row["entry_id"], row["question"]
        if row["kind"] == EventKind.PAUSED:
            resting.add(entry_id)
        elif row["kind"] == EventKind.EXCEPTED and question:
            excepted[entry_id][question] = None
        elif row["turn_id"] is None:
            resting.discard(entry_id)
            excepted.pop(entry_id, None)
        else:
            excepted[entry_id].pop(question, None)
    return [
        replace(entry, resting=entry.id in resting, not_for=tuple(excepted.get(entry.id, ())))
        if entry.id in resting or excepted.get(entry.id)
        else entry
        for entry in found
    ]
