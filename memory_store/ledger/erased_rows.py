"""Rows of the ledger, deleted for good, and counted by kind; each function takes a connection of `Ledger.write`."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import sqlalchemy as sa

from assistant.types import ReplyStatus, TurnState
from memory_store.ledger.database.schema import (
    EventKind,
    decisions,
    entries,
    erasures,
    events,
    forms,
    keys,
    offers,
    searchable,
    titles,
    tokens,
    turns,
)
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.rows import batches, kinds_of
from memory_store.ledger.tombstones import Line
from memory_store.ledger.triples import remove_triples

_IDS: sa.BindParameter[Sequence[str]] = sa.bindparam("ids", expanding=True)
_OF_ENTRY = (events.c.kind == EventKind.ERASED.value) & events.c.entry_id.in_(_IDS)
_OF_TURN = (events.c.kind == EventKind.TURN_ERASED.value) & (events.c.entry_id == "") & events.c.turn_id.in_(_IDS)
_ERASED = sa.select(events.c.entry_id, events.c.turn_id).where(_OF_ENTRY | _OF_TURN)
_BLANK: dict[str, Any] = {
    "state": TurnState.DELETED.value,
    "reply_status": ReplyStatus.EMPTY.value,
    "confirmed": False,
    **dict.fromkeys(("raw", "understanding", "answer", "error", "model"), ""),
    **dict.fromkeys(("correction", "trace", "usage", "clarified_with", "corrected_by", "chosen")),
    **{"notes": [], "used": [], "left_out": [], "history": [], "ms": {}},
}
"""What a blanked turn says, except for its question; its id, place, conversation and time stay."""

Counts = Counter[str]  # kind of thing to how many of it, as in `assistant.reports.upkeep.Receipt`


def erased_among(connection: sa.Connection, ids: Iterable[str]) -> set[str]:
    """Which of these ids, of entries or turns, were erased, so that nothing more may be kept of them."""
    found = (connection.execute(_ERASED, {"ids": some}) for some in batches(sorted(set(ids))))
    return {row.entry_id or row.turn_id for rows in found for row in rows}


def erase_entries(connection: sa.Connection, ledger: Ledger, entry_ids: Collection[str]) -> Counts:
    """Delete entries, with their keys, forms, triples and offers, and what turns and events say of them.

    Their ids are noted, so that the index follows and nothing is written back.
    """
    counts: Counts = Counter()
    for some in batches(sorted(entry_ids)):
        kinds = sa.select(entries.c.kind, sa.func.count()).where(entries.c.id.in_(some)).group_by(entries.c.kind)
        counts.update({f"{kind}s": number for kind, number in connection.execute(kinds)})
        counts["wordings"] += _deleted(connection, keys, keys.c.entry_id.in_(some))
        counts["mentions"] += _deleted(connection, decisions, decisions.c.entry_id.in_(some))
        counts["events"] += _deleted(connection, events, events.c.entry_id.in_(some))
        remove_triples(connection, ledger, some)
        for table in (searchable, forms, offers):
            _deleted(connection, table, table.c.entry_id.in_(some))
        _deleted(connection, entries, entries.c.id.in_(some))
    gone = [{"entry_id": entry_id, "turn_id": None} for entry_id in sorted(entry_ids)]
    ledger.append_all(connection, EventKind.ERASED, gone)
    return counts


def blank_turns(
    connection: sa.Connection, ledger: Ledger, turn_ids: Collection[str], questions_too: bool = True
) -> Counts:
    """Take all text out of turns, and what they say of entries, and note their ids, so that nothing is written back.

    `questions_too` False keeps the questions: they are those of others.
    """
    counts: Counts = Counter()
    blank = _BLANK | ({"question": ""} if questions_too else {})
    for some in batches(sorted(turn_ids)):
        counts["mentions"] += _deleted(connection, decisions, decisions.c.turn_id.in_(some))
        changed = connection.execute(sa.update(turns).where(turns.c.id.in_(some)).values(blank)).rowcount
        counts["blanked" if questions_too else "emptied"] += changed
    _note_turns(connection, ledger, turn_ids)
    return counts


def erase_turns(connection: sa.Connection, ledger: Ledger, turn_ids: Collection[str]) -> Counts:
    """Delete turns, and note their ids, so that nothing is written back."""
    erased = delete_turns(connection, turn_ids)
    _note_turns(connection, ledger, turn_ids)
    return erased


def _note_turns(connection: sa.Connection, ledger: Ledger, turn_ids: Collection[str]) -> None:
    new = sorted(set(turn_ids) - erased_among(connection, turn_ids))
    ledger.append_all(connection, EventKind.TURN_ERASED, [{"entry_id": "", "turn_id": turn_id} for turn_id in new])


def delete_turns(connection: sa.Connection, turn_ids: Collection[str]) -> Counts:
    """Turns, with what they say of entries, and the names of conversations of which nothing is left.

    What they count for and against entries stays, as a number.
    """
    counts: Counts = Counter()
    for some in batches(sorted(turn_ids)):
        talked = sa.select(turns.c.conversation, turns.c.owner).where(turns.c.id.in_(some)).distinct()
        touched = [tuple(row) for row in connection.execute(talked)]
        counts["mentions"] += _deleted(connection, decisions, decisions.c.turn_id.in_(some))
        counts["turns"] += _deleted(connection, turns, turns.c.id.in_(some))
        if named := _deleted(connection, titles, _empty(touched)):
            counts["titles"] += named
    return counts


def _empty(conversations: Sequence[tuple[str, ...]]) -> sa.ColumnElement[bool]:
    """Names of those of these conversations that have no turn."""
    same = sa.and_(turns.c.conversation == titles.c.conversation, turns.c.owner == titles.c.owner)
    named = sa.tuple_(titles.c.conversation, titles.c.owner).in_(conversations)
    return sa.and_(named, ~sa.select(turns.c.id).where(same).exists())


def delete_of_person(connection: sa.Connection, person: str, through: int) -> Counts:
    """What a person did, and their tokens, up to a place in the order of all changes."""
    of_person = ((table, (table.c.owner == person) & (table.c.sequence <= through)) for table in (events, tokens))
    return Counter({table.name: _deleted(connection, table, rows) for table, rows in of_person})


def delete_tokens(connection: sa.Connection, token_ids: Collection[str]) -> Counts:
    """These tokens, as far as they are still there."""
    return Counter(tokens=_deleted(connection, tokens, tokens.c.id.in_(token_ids)))


def record_erasure(connection: sa.Connection, line: Line, erased: Counts) -> None:
    """Note what an erasure erased, and that its bytes may still lie in files (`memory_store.vectors.indexer`)."""
    in_index = any(erased[kind] for kind in (*(f"{name}s" for name in kinds_of(connection)), "wordings", "emptied"))
    row = {"id": line["id"], "created": line["at"], "erased": dict(erased)}
    connection.execute(sa.insert(erasures), row | {"in_ledger": bool(erased), "in_index": in_index})


def _deleted(connection: sa.Connection, table: sa.Table, condition: sa.ColumnElement[bool]) -> int:
    return connection.execute(sa.delete(table).where(condition)).rowcount
