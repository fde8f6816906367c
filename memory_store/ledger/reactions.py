"""What became of entries in turns, from the ledger's events: how often each was used, helped and hurt, and for what.

A reaction counts for and against an entry by number, whoever's it is. The question that it was about is read only for
the person who asked it: nobody learns from a shared entry what somebody else asked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import BindParameter, Connection, and_, bindparam, func, or_, select

from assistant.types import Entry, ReactionTo, Scope
from memory_store.ledger.access import own
from memory_store.ledger.database.schema import COUNTED, REACTIONS, EventKind, events, turns
from memory_store.ledger.rows import batches, read_named

MOST_REACTIONS = 20  # reactions that are read of an entry, at most: the newest

# What every question and every save runs is built once: building a statement takes longer than running it.
_IDS: BindParameter[Sequence[str]] = bindparam("ids", expanding=True)
# When entries were last used again, as places in the order of all changes; entries that never were are missing.
_AGAIN = (
    select(events.c.entry_id, func.max(events.c.sequence).label("at"))
    .where(events.c.entry_id.in_(_IDS), events.c.kind == EventKind.USED_AGAIN.value)
    .group_by(events.c.entry_id)
    .subquery()
)
_SINCE = or_(_AGAIN.c.at.is_(None), events.c.sequence > _AGAIN.c.at)
_COUNTS = (
    select(events.c.entry_id, events.c.kind, func.count().label("number"))
    .outerjoin(_AGAIN, _AGAIN.c.entry_id == events.c.entry_id)
    .where(
        events.c.entry_id.in_(_IDS),
        events.c.kind.in_([kind.value for kind in COUNTED]),
        or_(events.c.kind == EventKind.USED.value, _SINCE),
    )
    .group_by(events.c.entry_id, events.c.kind)
)


def counts_of(connection: Connection, ids: Sequence[str]) -> dict[str, dict[str, int]]:
    """Entry to kind of event to its number, of all persons. Reactions count from when it was last used again."""
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for row in read_named(connection, _COUNTS, events.c.entry_id, ids):
        found[row["entry_id"]][row["kind"]] = row["number"]
    return found


def with_reactions(connection: Connection, found: Sequence[Entry], scope: Scope) -> list[Entry]:
    """The entries, each with the newest reactions of this person and the questions that they were about."""
    reactions: dict[str, list[ReactionTo]] = defaultdict(list)
    for some in batches(entry.id for entry in found if entry.helped or entry.hurt):
        newest = func.row_number().over(partition_by=events.c.entry_id, order_by=events.c.sequence.desc())
        kinds = events.c.kind.in_([kind.value for kind in REACTIONS])
        numbered = (
            select(events.c.entry_id, events.c.kind, turns.c.question, newest.label("place"))
            .join(turns, and_(turns.c.id == events.c.turn_id, own(turns, scope)))
            .outerjoin(_AGAIN, _AGAIN.c.entry_id == events.c.entry_id)
            .where(events.c.entry_id.in_(_IDS), kinds, own(events, scope), _SINCE)
            .subquery()
        )
        query = select(numbered).where(numbered.c.place <= MOST_REACTIONS).order_by(numbered.c.place)
        for row in connection.execute(query, {"ids": some}):
            reactions[row.entry_id].append(ReactionTo(row.question, row.kind == EventKind.HELPED))
    return [replace(entry, reactions=tuple(reactions[entry.id])) if entry.id in reactions else entry for entry in found]
