"""Read from the ledger's events how often each entry was used, helped and hurt, and where users limit it.

Reactions of all users count. A pause or an excluded question affects only its user.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Select, and_, func, select

from assistant.types import Entry, Scope
from memory_store.ledger.access import belongs_to
from memory_store.ledger.database.schema import EVIDENCE, LIMITING, EventKind, events, turns
from memory_store.ledger.rows import IDS, read_named

_COUNTS = (
    select(events.c.entry_id, events.c.kind, func.count().label("number"))
    .where(events.c.entry_id.in_(IDS), events.c.kind.in_([kind.value for kind in EVIDENCE]))
    .group_by(events.c.entry_id, events.c.kind)
)


def count_reactions(connection: Connection, ids: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return the number of events by kind for each entry, over all users."""
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for row in read_named(connection, _COUNTS, ids):
        found[row["entry_id"]][row["kind"]] = row["number"]
    return found


def add_limits(connection: Connection, found: Sequence[Entry], scope: Scope) -> list[Entry]:
    """Return the entries with the user's pauses, and the questions for which the user excluded them."""
    resting: set[str] = set()
    excepted: dict[str, dict[str, None]] = defaultdict(dict)  # entry to questions, in their order
    for row in read_named(connection, _select_user_events(scope, LIMITING), [entry.id for entry in found]):
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
def _select_user_events(scope: Scope, kinds: tuple[EventKind, ...]) -> Select[Any]:
    """Select the user's events of these kinds, with the questions of their turns, oldest first."""
    return (
        select(events.c.entry_id, events.c.kind, events.c.turn_id, turns.c.question)
        .outerjoin(turns, and_(turns.c.id == events.c.turn_id, belongs_to(turns, scope)))
        .where(events.c.entry_id.in_(IDS), events.c.kind.in_([kind.value for kind in kinds]), belongs_to(events, scope))
        .order_by(events.c.sequence)
    )
