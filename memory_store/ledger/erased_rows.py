"""Delete rows of the ledger permanently and count them by type. All functions need a connection of `Ledger.write`."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
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
from memory_store.ledger.rows import kinds_of, read_rows_with, split_into_batches
from memory_store.ledger.tombstones import Line
from memory_store.ledger.triples import remove_triples

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
_NO_TEXT = {
    **_NO_REPLY,
    "question": "",
    "history": [],
    "left_out": [],
    **dict.fromkeys(("clarified_with", "corrected_by", "chosen")),
}

Counts = Counter[str]  # number of deleted rows by name, as in `assistant.reports.upkeep.Receipt`


def find_erased(connection: sa.Connection, ids: Iterable[str]) -> set[str]:
    """Return those of these ids of entries or turns that were erased."""
    query = sa.select(events.c.entry_id, events.c.turn_id)
    of_entries = query.where(events.c.kind == EventKind.ERASED.value)
    of_turns = query.where(events.c.kind == EventKind.TURN_ERASED.value, events.c.entry_id == "")
    wanted = set(ids)
    found = {row.entry_id for row in read_rows_with(connection, of_entries, events.c.entry_id, wanted)}
    return found | {row.turn_id for row in read_rows_with(connection, of_turns, events.c.turn_id, wanted)}


def erase_entries(connection: sa.Connection, ledger: Ledger, entry_ids: Collection[str]) -> Counts:
    """Delete entries with their keys, digests, triples, offers, decisions and events.

    Log their ids as erased, so that the index removes them and nothing writes them again.
    """
    named = read_rows_with(connection, sa.select(entries.c.kind), entries.c.id, entry_ids)
    counts = Counter(f"{row.kind}s" for row in named)
    remove_triples(connection, ledger, entry_ids)
    for table, name in {keys: "wordings", decisions: "mentions", events: "events"}.items():
        counts[name] += _delete_rows(connection, table.c.entry_id, entry_ids)
    for column in (searchable.c.entry_id, forms.c.entry_id, offers.c.entry_id, entries.c.id):
        _delete_rows(connection, column, entry_ids)
    gone = [{"entry_id": entry_id, "turn_id": None} for entry_id in sorted(entry_ids)]
    ledger.append_all(connection, EventKind.ERASED, gone)
    return counts


def blank_turns(connection: sa.Connection, ledger: Ledger, turn_ids: Collection[str]) -> Counts:
    """Remove all text and decisions from turns, and log their ids, so that nothing writes them again.

    Their ids, conversations, order and times stay.
    """
    counts = Counter(mentions=_delete_rows(connection, decisions.c.turn_id, turn_ids))
    counts["blanked"] = _empty_turns(connection, ledger, turn_ids, _NO_TEXT)
    return counts + _delete_unused_titles(connection)


def blank_replies(connection: sa.Connection, ledger: Ledger, turn_ids: Collection[str]) -> Counts:
    """Remove all text but the questions from turns, and log their ids, so that nothing writes them again.

    Their decisions stay, so that a later erasure of an entry still finds them.
    """
    return Counter(emptied=_empty_turns(connection, ledger, turn_ids, _NO_REPLY))


def erase_turns(connection: sa.Connection, ledger: Ledger, turn_ids: Collection[str]) -> Counts:
    """Delete turns and log their ids, so that nothing writes them again."""
    _log_turns(connection, ledger, turn_ids)
    return delete_turns(connection, turn_ids)


def delete_turns(connection: sa.Connection, turn_ids: Collection[str]) -> Counts:
    """Delete turns and their decisions. The feedback counters of entries keep their values."""
    counts = Counter(mentions=_delete_rows(connection, decisions.c.turn_id, turn_ids))
    counts["turns"] = _delete_rows(connection, turns.c.id, turn_ids)
    return counts + _delete_unused_titles(connection)


def record_erasure(connection: sa.Connection, line: Line, erased: Counts) -> None:
    """Record an erasure, and that its bytes may remain in files (`memory_store.vectors.indexer` rewrites them)."""
    in_index = any(erased[kind] for kind in (*(f"{name}s" for name in kinds_of(connection)), "wordings", "emptied"))
    row = {"id": line["id"], "created": line["at"], "erased": dict(erased)}
    connection.execute(sa.insert(erasures), row | {"in_ledger": bool(erased), "in_index": in_index})


def _empty_turns(
    connection: sa.Connection, ledger: Ledger, turn_ids: Collection[str], values: Mapping[str, Any]
) -> int:
    _log_turns(connection, ledger, turn_ids)
    emptied = (
        connection.execute(sa.update(turns).where(turns.c.id.in_(some)).values(values)).rowcount
        for some in split_into_batches(turn_ids)
    )
    return sum(emptied)


def _log_turns(connection: sa.Connection, ledger: Ledger, turn_ids: Collection[str]) -> None:
    new = sorted(set(turn_ids) - find_erased(connection, turn_ids))
    ledger.append_all(connection, EventKind.TURN_ERASED, [{"entry_id": "", "turn_id": turn_id} for turn_id in new])


def _delete_unused_titles(connection: sa.Connection) -> Counts:
    """Delete the titles of conversations that have no question left."""
    same = (turns.c.conversation == titles.c.conversation, turns.c.owner == titles.c.owner, turns.c.question != "")
    unused = ~sa.select(turns.c.id).where(*same).exists()
    return Counter(titles=connection.execute(sa.delete(titles).where(unused)).rowcount)


def _delete_rows(connection: sa.Connection, column: sa.Column[str], ids: Collection[str]) -> int:
    """Delete the rows of the column's table with one of these ids; return how many there were."""
    deleted = (
        connection.execute(sa.delete(column.table).where(column.in_(some))).rowcount for some in split_into_batches(ids)
    )
    return sum(deleted)
