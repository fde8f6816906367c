"""Which turns rest on an entry: those whose prompt held it, so that its words may stand in what the model wrote.

A copy of an entry that everyone gets is erased when sharing ends, with what turns say of it. `shared_uses` then keeps
which turns had used it, by the entry of which it was one, until that entry or the turn is erased.
"""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, insert, select

from assistant.types import Action, TurnState
from memory_store.reactions import batches
from memory_store.schema import decisions, shared_uses, turns

_IN_THE_PROMPT = {Action.USE.value, Action.SHOW.value}
# Of an answer that was stopped or cut nobody knows which offered notes it named.
_MAY_HAVE_BEEN_SEEN = _IN_THE_PROMPT | {Action.OFFER.value}


def using(connection: Connection, entry_ids: Collection[str], person: str) -> tuple[set[str], set[str]]:
    """Turns whose answer rests on one of the entries: the person's own, and those of others."""
    own: set[str] = set()
    foreign: set[str] = set()
    for turn_id, owner in [*_deciding(connection, entry_ids), *_kept(connection, entry_ids)]:
        (own if owner == person else foreign).add(turn_id)
    return own, foreign


def keep_uses(connection: Connection, entry_id: str, copy_ids: Collection[str]) -> None:
    """Before copies of an entry are erased: which turns used them."""
    known = {turn_id for turn_id, _ in _kept(connection, [entry_id])}
    used = {turn_id for turn_id, _ in _deciding(connection, copy_ids)} - known
    if used:
        connection.execute(
            insert(shared_uses), [{"entry_id": entry_id, "turn_id": turn_id} for turn_id in sorted(used)]
        )


def _deciding(connection: Connection, entry_ids: Collection[str]) -> list[tuple[str, str]]:
    """Id and owner of the turns that say of themselves that they used one."""
    found: list[tuple[str, str]] = []
    columns = (
        decisions.c.turn_id,
        decisions.c.entry_id,
        decisions.c.action,
        turns.c.owner,
        turns.c.state,
        turns.c.used,
    )
    for some in batches(sorted(entry_ids)):
        query = select(*columns).join(turns, turns.c.id == decisions.c.turn_id).where(decisions.c.entry_id.in_(some))
        for row in connection.execute(query):
            seen = _MAY_HAVE_BEEN_SEEN if row.state != TurnState.ANSWERED.value else _IN_THE_PROMPT
            if row.action in seen or row.entry_id in (row.used or ()):
                found.append((row.turn_id, row.owner))
    return found


def _kept(connection: Connection, entry_ids: Collection[str]) -> list[tuple[str, str]]:
    """Id and owner of the turns that used a copy of one, which is no more."""
    found: list[tuple[str, str]] = []
    for some in batches(sorted(entry_ids)):
        query = select(turns.c.id, turns.c.owner).join(shared_uses, shared_uses.c.turn_id == turns.c.id)
        found += [(row.id, row.owner) for row in connection.execute(query.where(shared_uses.c.entry_id.in_(some)))]
    return found
