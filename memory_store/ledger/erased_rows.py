"""Delete rows of the ledger permanently and count them by type. All functions need a connection of `Ledger.write`."""

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
    turns,
)
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.rows import kinds_of, split_into_batches
from memory_store.ledger.tombstones import Line
from memory_store.ledger.triples import remove_triples

_IDS: sa.BindParameter[Sequence[str]] = sa.bindparam("ids", expanding=True)
_OF_ENTRY = (events.c.kind == EventKind.ERASED.value) & events.c.entry_id.in_(_IDS)
_OF_TURN = (events.c.kind == EventKind.TURN_ERASED.value) & (events.c.entry_id == "") & events.c.turn_id.in_(_IDS)
_ERASED = sa.select(events.c.entry_id, events.c.turn_id).where(_OF_ENTRY | _OF_TURN)
_NO_REPLY: dict[str, Any] = {
    "state": TurnState.DELETED.value,
    "reply_status": ReplyStatus.EMPTY.value,
    "confirmed": False,
    **dict.fromkeys(("raw", "understanding", "answer", "error", "model"), ""),
    **dict.fromkeys(("correction", "trace", "usage")),
    "notes": [],
    "used": [],
    "ms": {},
}
_NO_TEXT: dict[str, Any] = {
    **_NO_REPLY,
    "question": "",
    "history": [],
    "left_out": [],
    **dict.fromkeys(("clarified_with", "corrected_by", "chosen")),
}

Counts = Counter[str]  # number of deleted rows by name, as in `assistant.reports.upkeep.Receipt`


def find_erased(connection: sa.Connection, ids: Iterable[str]) -> set[str]:
    """Return those of these ids of entries or turns that were erased."""
    found = (connection.execute(_ERASED, {"ids": some}) for some in split_into_batches(sorted(set(ids))))
    return {row.entry_id or row.turn_id for rows in found for row in rows}


def erase_entries(connection: sa.Connection, ledger: Ledger, entry_ids: Collection[str]) -> Counts:
    """Delete entries with their keys, digests, triples, offers, decisions and events.

    Log their ids as erased, so that the index removes them and nothing writes them again.
    """
    counts: Counts = Counter()
    for some in split_into_batches(sorted(entry_ids)):
        kinds = sa.select(entries.c.kind, sa.func.count()).where(entries.c.id.in_(some)).group_by(entries.c.kind)
        counts.update({f"{kind}s": number for kind, number in connection.execute(kinds)})
        counts["wordings"] += _delete_rows(connection, keys, keys.c.entry_id.in_(some))
        counts["mentions"] += _delete_rows(connection, decisions, decisions.c.entry_id.in_(some))
        counts["events"] += _delete_rows(connection, events, events.c.entry_id.in_(some))
        remove_triples(connection, ledger, some)
        for table in (searchable, forms, offers):
            _delete_rows(connection, table, table.c.entry_id.in_(some))
        _delete_rows(connection, entries, entries.c.id.in_(some))
    gone = [{"entry_id": entry_id, "turn_id": None} for entry_id in sorted(entry_ids)]
    ledger.append_all(connection, EventKind.ERASED, gone)
    return counts


def blank_turns(connection: sa.Connection, ledger: Ledger, turn_ids: Collection[str]) -> Counts:
    """Remove all text and decisions from turns, and log their ids, so that nothing writes them again.

    Their ids, conversations, order and times stay.
    """
    counts: Counts = Counter()
    for some in split_into_batches(sorted(turn_ids)):
        counts["mentions"] += _delete_rows(connection, decisions, decisions.c.turn_id.in_(some))
        counts["blanked"] += connection.execute(sa.update(turns).where(turns.c.id.in_(some)).values(_NO_TEXT)).rowcount
    _log_turns(connection, ledger, turn_ids)
    return counts + _delete_unused_titles(connection)


def blank_replies(connection: sa.Connection, ledger: Ledger, turn_ids: Collection[str]) -> Counts:
    """Remove all text but the questions from turns, and log their ids, so that nothing writes them again.

    Their decisions stay, so that a later erasure of an entry still finds them.
    """
    counts: Counts = Counter()
    for some in split_into_batches(sorted(turn_ids)):
        counts["emptied"] += connection.execute(sa.update(turns).where(turns.c.id.in_(some)).values(_NO_REPLY)).rowcount
    _log_turns(connection, ledger, turn_ids)
    return counts


def erase_turns(connection: sa.Connection, ledger: Ledger, turn_ids: Collection[str]) -> Counts:
    """Delete turns and log their ids, so that nothing writes them again."""
    _log_turns(connection, ledger, turn_ids)
    return delete_turns(connection, turn_ids)


def delete_turns(connection: sa.Connection, turn_ids: Collection[str]) -> Counts:
    """Delete turns and their decisions. The feedback counters of entries keep their values."""
    counts: Counts = Counter()
    for some in split_into_batches(sorted(turn_ids)):
        counts["mentions"] += _delete_rows(connection, decisions, decisions.c.turn_id.in_(some))
        counts["turns"] += _delete_rows(connection, turns, turns.c.id.in_(some))
    return counts + _delete_unused_titles(connection)


def _log_turns(connection: sa.Connection, ledger: Ledger, turn_ids: Collection[str]) -> None:
    new = sorted(set(turn_ids) - find_erased(connection, turn_ids))
    ledger.append_all(connection, EventKind.TURN_ERASED, [{"entry_id": "", "turn_id": turn_id} for turn_id in new])


def _delete_unused_titles(connection: sa.Connection) -> Counts:
    """Delete the titles of conversations that have no question left."""
    same = (turns.c.conversation == titles.c.conversation, turns.c.owner == titles.c.owner, turns.c.question != "")
    return Counter(titles=_delete_rows(connection, titles, ~sa.select(turns.c.id).where(*same).exists()))


def record_erasure(connection: sa.Connection, line: Line, erased: Counts) -> None:
    """Record an erasure, and that its bytes may remain in files (`memory_store.vectors.indexer` rewrites them)."""
    in_index = any(erased[kind] for kind in (*(f"{name}s" for name in kinds_of(connection)), "wordings", "emptied"))
    row = {"id": line["id"], "created": line["at"], "erased": dict(erased)}
    connection.execute(sa.insert(erasures), row | {"in_ledger": bool(erased), "in_index": in_index})


def _delete_rows(connection: sa.Connection, table: sa.Table, condition: sa.ColumnElement[bool]) -> int:
    return connection.execute(sa.delete(table).where(condition)).rowcount
