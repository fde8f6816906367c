"""Earlier turns in prompts: which turns were answered with which in view, and what is noted of one before it goes.

A turn says which ones stood in its prompt (`history`). Where it does not, since it is from before turns said so, or
came in by an import, all earlier ones of its conversation may have.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, Row, insert, select

from assistant.types import Action, TurnState
from memory_store.ledger.database.schema import decisions, entries, past_uses, turns
from memory_store.ledger.rows import rows_with

_IN_THE_PROMPT = {Action.USE.value, Action.SHOW.value}
# Of an answer that was stopped or cut nobody knows which offered notes it named.
_MAY_HAVE_BEEN_SEEN = _IN_THE_PROMPT | {Action.OFFER.value}
_SAID = (
    *(decisions.c.turn_id, decisions.c.entry_id, decisions.c.action),
    *(turns.c.owner, turns.c.state, turns.c.used),
)


def following(connection: Connection, turn_ids: Collection[str]) -> Iterator[tuple[str, str]]:
    """Id and owner of the turns in whose prompt one of these stood, or one of those, however many steps away."""
    for talked in _conversations(connection, turn_ids):
        reached: set[str] = set()
        for row in talked:
            if _seen(row, reached):
                yield row.id, row.owner
                reached.add(row.id)
            elif row.id in turn_ids:
                reached.add(row.id)


def keep_uses_of(connection: Connection, turn_ids: Collection[str]) -> None:
    """Before turns go and others of their conversations stay: whose prompts held what was made with which entry."""
    given = _given(connection, turn_ids)
    noted: set[tuple[str, str]] = set()
    for talked in _conversations(connection, turn_ids):
        made_with: dict[str, set[str]] = {}
        for row in talked:
            inherited = {entry_id for earlier in _seen(row, made_with) for entry_id in made_with[earlier]}
            if row.id in turn_ids:
                made_with[row.id] = given[row.id] | inherited
            else:
                noted |= {(entry_id, row.id) for entry_id in inherited}
    known = {(entry_id, turn_id) for entry_id, turn_id, _ in past(connection, {entry_id for entry_id, _ in noted})}
    keep_past(connection, noted - known)


def keep_past(connection: Connection, uses: Collection[tuple[str, str]]) -> None:
    """Note uses, by entry and turn, that are not noted yet."""
    if uses:
        rows = [{"entry_id": entry_id, "turn_id": turn_id} for entry_id, turn_id in sorted(uses)]
        connection.execute(insert(past_uses), rows)


def past(connection: Connection, entry_ids: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Of these entries the uses by way of what is no more: entry, turn, and whose it is."""
    query = select(past_uses.c.entry_id, turns.c.id, turns.c.owner).join(turns, past_uses.c.turn_id == turns.c.id)
    return ((row.entry_id, row.id, row.owner) for row in rows_with(connection, query, past_uses.c.entry_id, entry_ids))


def using(rows: Iterable[Row[Any]]) -> Iterator[tuple[str, str, str]]:
    """Entry, turn, and whose it is, of those rows of `SAYING` by which a turn used the entry."""
    for row in rows:
        seen = _MAY_HAVE_BEEN_SEEN if row.state != TurnState.ANSWERED.value else _IN_THE_PROMPT
        if row.action in seen or row.entry_id in (row.used or ()):
            yield row.entry_id, row.turn_id, row.owner


SAYING = select(*_SAID).join(turns, turns.c.id == decisions.c.turn_id)
"""What turns say of entries."""


def _given(connection: Connection, turn_ids: Collection[str]) -> dict[str, set[str]]:
    """By turn, the entries that it used, whether it says so or it is noted, and those that it gave."""
    found: dict[str, set[str]] = defaultdict(set)
    for entry_id, turn_id, _ in using(rows_with(connection, SAYING, decisions.c.turn_id, turn_ids)):
        found[turn_id].add(entry_id)
    for row in rows_with(connection, select(past_uses), past_uses.c.turn_id, turn_ids):
        found[row.turn_id].add(row.entry_id)
    for row in rows_with(connection, select(entries.c.id, entries.c.turn_id), entries.c.turn_id, turn_ids):
        found[row.turn_id].add(row.id)
    return found


def _conversations(connection: Connection, turn_ids: Collection[str]) -> Iterator[Sequence[Row[Any]]]:
    """The turns of each conversation that one of these belongs to, in their order."""
    named: dict[str, set[str]] = defaultdict(set)
    for row in rows_with(connection, select(turns.c.owner, turns.c.conversation), turns.c.id, turn_ids):
        named[row.owner].add(row.conversation)
    columns = (turns.c.id, turns.c.owner, turns.c.conversation, turns.c.history)
    for owner, conversations in named.items():
        query = select(*columns).where(turns.c.owner == owner).order_by(turns.c.sequence)
        talked: dict[str, list[Row[Any]]] = defaultdict(list)
        for row in rows_with(connection, query, turns.c.conversation, conversations):
            talked[row.conversation].append(row)
        yield from talked.values()


def _seen(row: Row[Any], earlier: Collection[str]) -> Collection[str]:
    """Which of these earlier turns of its conversation stood in the prompt of a turn, or may have."""
    return earlier if row.history is None else set(earlier).intersection(row.history)
