"""What became of entries in turns, from the ledger's events: how often each was used, helped and hurt, and for what.

A reaction counts for and against an entry by number, whoever's it is. The question that it was about is read only for
the user who asked it: nobody learns from a shared entry what somebody else asked. And an entry that somebody
paused rests for that user only.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Select, and_, func, select

from assistant.types import Entry, ReactionTo, Scope
from memory_store.ledger.access import own
from memory_store.ledger.database.schema import EVIDENCE, LIMITING, REACTIONS, EventKind, events, turns
from memory_store.ledger.rows import IDS, read_named

MOST_REACTIONS = 20  # reactions that are read of an entry, at most: the newest

_COUNTS = (
    select(events.c.entry_id, events.c.kind, func.count().label("number"))
    .where(events.c.entry_id.in_(IDS), events.c.kind.in_([kind.value for kind in EVIDENCE]))
    .group_by(events.c.entry_id, events.c.kind)
)


def counts_of(connection: Connection, ids: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return how often each kind of event came of each entry, over all users."""
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for row in read_named(connection, _COUNTS, ids):
        found[row["entry_id"]][row["kind"]] = row["number"]
    return found


def with_reactions(connection: Connection, found: Sequence[Entry], scope: Scope) -> list[Entry]:
    """Return the entries, each with the user's limits, newest reactions and the questions that they were about."""
    found = with_limits(connection, found, scope)
    reactions: dict[str, list[ReactionTo]] = defaultdict(list)
    wanted = [entry.id for entry in found if entry.helped or entry.hurt]
    for row in read_named(connection, _of_user(scope, REACTIONS), wanted):
        if row["question"]:  # a deleted turn has none
            reactions[row["entry_id"]].append(ReactionTo(row["question"], row["kind"] == EventKind.HELPED))
    newest = {entry_id: tuple(told[: -MOST_REACTIONS - 1 : -1]) for entry_id, told in reactions.items()}
    return [replace(entry, reactions=newest[entry.id]) if entry.id in newest else entry for entry in found]


def with_limits(connection: Connection, found: Sequence[Entry], scope: Scope) -> list[Entry]:
    """Return the entries, each with what this user keeps it from: all questions, or those asked like these."""
    resting: set[str] = set()
    excepted: dict[str, dict[str, None]] = defaultdict(dict)  # entry to questions, in their order
    for row in read_named(connection, _of_user(scope, LIMITING), [entry.id for entry in found]):
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


@lru_cache(maxsize=1_024)
def _of_user(scope: Scope, kinds: tuple[EventKind, ...]) -> Select[Any]:
    """Select events of these kinds that are the user's, with the questions of their turns, oldest first."""
    return (
        select(events.c.entry_id, events.c.kind, events.c.turn_id, turns.c.question)
        .outerjoin(turns, and_(turns.c.id == events.c.turn_id, own(turns, scope)))
        .where(events.c.entry_id.in_(IDS), events.c.kind.in_([kind.value for kind in kinds]), own(events, scope))
        .order_by(events.c.sequence)
    )
