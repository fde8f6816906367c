"""Rows of the ledger, deleted for good, and counted by kind. Every function takes a connection of `Ledger.write`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, and_, delete, func, insert, select, tuple_, update

from assistant.types import ReplyStatus
from memory_store.checksum import sealed
from memory_store.entries import without_misunderstanding
from memory_store.ledger import Ledger
from memory_store.reactions import batches
from memory_store.schema import (
    EventKind,
    decisions,
    entries,
    erasures,
    events,
    forms,
    keys,
    offers,
    searchable,
    shared_uses,
    titles,
    tokens,
    turns,
)
from memory_store.tombstones import Line

_NO_REPLY: dict[str, Any] = {"raw": "", "understanding": "", "answer": "", "correction": None, "notes": [], "used": []}

Counts = Counter[str]
"""Kind of thing to how many of it, as in `assistant.receipts.Receipt`."""


def delete_entries(connection: Connection, entry_ids: Collection[str]) -> Counts:
    """Entries, with their keys, forms and offers, and what turns and events say of them."""
    counts: Counts = Counter()
    for some in batches(sorted(entry_ids)):
        kinds = select(entries.c.kind, func.count()).where(entries.c.id.in_(some)).group_by(entries.c.kind)
        counts.update({f"{kind}s": number for kind, number in connection.execute(kinds)})
        counts["wordings"] += _deleted(connection, keys, keys.c.entry_id.in_(some))
        counts["mentions"] += _deleted(connection, decisions, decisions.c.entry_id.in_(some))
        counts["events"] += _deleted(connection, events, events.c.entry_id.in_(some))
        _deleted(connection, searchable, searchable.c.entry_id.in_(some))
        _deleted(connection, forms, forms.c.entry_id.in_(some))
        _deleted(connection, offers, offers.c.entry_id.in_(some))
        _deleted(connection, shared_uses, shared_uses.c.entry_id.in_(some))
        _deleted(connection, entries, entries.c.id.in_(some))
    return counts


def delete_turns(connection: Connection, turn_ids: Collection[str]) -> Counts:
    """Turns, with what they say of entries, and the names of conversations of which nothing is left.

    What they count for and against entries stays, as a number.
    """
    counts: Counts = Counter()
    for some in batches(sorted(turn_ids)):
        talked = select(turns.c.conversation, turns.c.owner).where(turns.c.id.in_(some)).distinct()
        touched = [tuple(row) for row in connection.execute(talked)]
        counts["mentions"] += _deleted(connection, decisions, decisions.c.turn_id.in_(some))
        _deleted(connection, shared_uses, shared_uses.c.turn_id.in_(some))
        counts["turns"] += _deleted(connection, turns, turns.c.id.in_(some))
        if named := _deleted(connection, titles, _empty(touched)):
            counts["titles"] += named
    return counts


def _empty(conversations: Sequence[tuple[str, ...]]) -> ColumnElement[bool]:
    """Names of those of these conversations that have no turn."""
    same = and_(turns.c.conversation == titles.c.conversation, turns.c.owner == titles.c.owner)
    named = tuple_(titles.c.conversation, titles.c.owner).in_(conversations)
    return and_(named, ~select(turns.c.id).where(same).exists())


def delete_events_of(connection: Connection, person: str, through: int) -> Counts:
    """What a person did, up to a place in the order of all changes."""
    did = (events.c.owner == person) & (events.c.sequence <= through)
    return Counter(events=_deleted(connection, events, did))


def delete_tokens_of(connection: Connection, person: str, through: int) -> Counts:
    """The tokens of a person, as far as they were made up to a place in the order of all changes."""
    made = (tokens.c.owner == person) & (tokens.c.sequence <= through)
    return Counter(tokens=_deleted(connection, tokens, made))


def delete_tokens(connection: Connection, token_ids: Collection[str]) -> Counts:
    """These tokens, as far as they are still there."""
    return Counter(tokens=_deleted(connection, tokens, tokens.c.id.in_(token_ids)))


def empty_turns(connection: Connection, turn_ids: Collection[str]) -> Counts:
    """Turns of which only the question stays."""
    emptied = _NO_REPLY | {"reply_status": ReplyStatus.EMPTY.value}
    for turn_id in sorted(turn_ids):
        row = connection.execute(select(turns).where(turns.c.id == turn_id)).mappings().one()
        connection.execute(update(turns).where(turns.c.id == turn_id).values(sealed({**row, **emptied})))
    return Counter(emptied=len(turn_ids))


def empty_misunderstandings(connection: Connection, ledger: Ledger, entry_ids: Collection[str]) -> Counts:
    """Clarifications of which all stays but the understanding that they put right."""
    emptied = without_misunderstanding(connection, sorted(entry_ids))
    for entry_id, owner in emptied:
        ledger.append(connection, EventKind.KEYED, entry_id, owner)
    return Counter(emptied=len(emptied))


def record_erasure(connection: Connection, line: Line, erased: Counts) -> None:
    """Note what an erasure erased, and that its bytes may still lie in files (`memory_store.sweep`)."""
    in_index = any(erased[kind] for kind in ("clarifications", "examples", "wordings", "emptied"))
    row = {"id": line["id"], "created": line["at"], "erased": dict(erased)}
    connection.execute(insert(erasures), row | {"in_ledger": bool(erased), "in_index": in_index})


def _deleted(connection: Connection, table: Table, condition: object) -> int:
    return connection.execute(delete(table).where(condition)).rowcount  # type: ignore[arg-type]
