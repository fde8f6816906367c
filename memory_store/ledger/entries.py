"""Entries as rows of the ledger: written with a checksum, and checked whenever they are read."""

from __future__ import annotations

import logging
import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Select,
    bindparam,
    delete,
    insert,
    select,
    update,
)

from assistant.errors import DamagedEntry, NotFound
from assistant.types import Draft, Entry, Key, KeyOrigin, Kind, Scope, Status
from memory_store.checksum import checksum
from memory_store.kept_text import keepable
from memory_store.reactions import batches, counts_of
from memory_store.salvage import Row, by_sequence, each, read_rows
from memory_store.schema import PRIVATE, SHARED, EventKind, KeyState, entries, keys
from memory_store.scoping import readable_of
from memory_store.searchable import insert_searchable, update_searchable

_log = logging.getLogger(__name__)

_IDS: BindParameter[Sequence[str]] = bindparam("ids", expanding=True)
# Built once: building a statement takes longer than running it.
_INSERT_ENTRY, _INSERT_KEYS = insert(entries), insert(keys)
_KEYS = select(keys).where(keys.c.entry_id.in_(_IDS)).order_by(keys.c.entry_id, keys.c.position)


def new_row(draft: Draft, entry_id: str, owner: str, sequence: int, created: str) -> dict[str, Any]:
    """The row of a new entry: active, private, and in nobody's place."""
    return {
        "id": entry_id,
        "sequence": sequence,
        "owner": owner,
        "scope": PRIVATE,
        "kind": draft.kind.value,
        "status": Status.ACTIVE.value,
        "question": draft.question,
        "text": draft.text,
        "wrong_understanding": draft.wrong_understanding,
        "understanding": draft.understanding,
        "answer": draft.answer,
        "turn_id": draft.turn,
        "model": draft.model,
        "supersedes": None,
        "idempotency_key": draft.idempotency_key,
        "created": created,
        "only_in": draft.only_in or None,
    }


def succeeding(old: Entry) -> Draft:
    """An entry as it is, to be changed and saved in its own place."""
    return Draft(
        kind=old.kind,
        question=old.question,
        text=old.text,
        idempotency_key=str(uuid.uuid4()),
        wrong_understanding=old.wrong_understanding,
        understanding=old.understanding,
        answer=old.answer,
        turn=old.turn,
        model=old.model,
        further_keys=tuple(key for key in old.keys if key.text != old.question),
        supersedes=old.id,
        only_in=old.only_in,
    )


def insert_entry(connection: Connection, row: Row, found_under: Sequence[Key]) -> Entry:
    """Write an entry with its keys and its checksum; `row` holds every other column."""
    key_rows = _key_rows(row, found_under)
    connection.execute(_INSERT_ENTRY, {**row, "checksum": checksum(row, key_rows)})
    connection.execute(_INSERT_KEYS, key_rows)
    insert_searchable(connection, row, key_rows)
    return _entry(row, key_rows, {})


def set_status(connection: Connection, entry_id: str, status: Status) -> None:
    """Change the status of an entry, and its checksum with it.

    Raises:
        DamagedEntry: it is damaged, and must not get a checksum that hides this.
    """
    row, key_rows = _whole(connection, entry_id)
    row["status"] = status.value
    connection.execute(
        update(entries).where(entries.c.id == entry_id).values(status=status.value, checksum=checksum(row, key_rows))
    )


def add_keys(connection: Connection, entry_id: str, found_under: Sequence[Key]) -> None:
    """Give an entry further keys, after those it has, and change its checksum with them.

    Raises:
        DamagedEntry: it is damaged.
    """
    row, known = _whole(connection, entry_id)
    added = _key_rows(row, found_under, first=len(known))
    connection.execute(_INSERT_KEYS, added)
    key_rows = [*known, *added]
    connection.execute(update(entries).where(entries.c.id == entry_id).values(checksum=checksum(row, key_rows)))
    update_searchable(connection, row, key_rows)


def replace_keys(
    connection: Connection, entry_id: str, found_under: Sequence[Key], state: KeyState | None = None
) -> None:
    """Give an entry these keys in place of all that it has, and change its checksum with them.

    Args:
        connection: comes from `Ledger.write`.
        entry_id: the entry.
        found_under: its keys from now on.
        state: who writes its keys from now on; None leaves that as it is.

    Raises:
        DamagedEntry: it is damaged.
    """
    row, _ = _whole(connection, entry_id)
    if state is not None:
        row["key_state"] = state.value
    key_rows = _key_rows(row, found_under)
    connection.execute(delete(keys).where(keys.c.entry_id == entry_id))
    connection.execute(_INSERT_KEYS, key_rows)
    changed = {"key_state": row["key_state"], "checksum": checksum(row, key_rows)}
    connection.execute(update(entries).where(entries.c.id == entry_id).values(changed))
    update_searchable(connection, row, key_rows)


def without_misunderstanding(connection: Connection, ids: Iterable[str]) -> list[tuple[str, str]]:
    """Take the understanding that they put right out of entries, and change their checksums; damaged ones stay.

    Returns:
        Id and owner of each entry that had one.
    """
    emptied = []
    for entry in read_entries_by_id(connection, ids, entries.c.wrong_understanding != ""):
        row, key_rows = _whole(connection, entry.id)
        row["wrong_understanding"] = ""
        changed = {"wrong_understanding": "", "checksum": checksum(row, key_rows)}
        connection.execute(update(entries).where(entries.c.id == entry.id).values(changed))
        emptied.append((entry.id, entry.owner))
    return emptied


def read_entry(connection: Connection, *conditions: ColumnElement[bool]) -> Entry:
    """The one entry that meets all conditions.

    Raises:
        NotFound: there is none.
        DamagedEntry: its checksum is wrong.
    """
    row = connection.execute(select(entries).where(*conditions)).mappings().first()
    if row is None:
        raise NotFound
    entry = next(_checked(connection, [row]), None)
    if entry is None:
        raise DamagedEntry(row["id"])
    return entry


def read_entries(
    connection: Connection, *conditions: ColumnElement[bool], limit: int | None = None, offset: int = 0
) -> list[Entry]:
    """The entries that meet all conditions, newest first. Damaged ones are left out; the log names their ids."""
    query = select(entries).where(*conditions).order_by(entries.c.sequence.desc())
    rows = read_rows(connection, query, lambda: by_sequence(connection, entries), limit=limit, offset=offset)
    return list(_checked(connection, rows))


def read_entries_by_id(connection: Connection, ids: Iterable[str], *conditions: ColumnElement[bool]) -> list[Entry]:
    """Those of the entries named that meet all conditions, in no order; damaged ones are left out."""
    return _read_named(connection, ids, _named(*conditions))


def read_readable_by_id(connection: Connection, ids: Iterable[str], scope: Scope) -> list[Entry]:
    """Those of the entries named that are active and that the person may read, in no order, but for damaged ones."""
    return _read_named(connection, ids, _named_readable(scope))


def _read_named(connection: Connection, ids: Iterable[str], query: Select[Any]) -> list[Entry]:
    found: list[Entry] = []
    for some in batches(sorted(set(ids))):
        found += _checked(connection, read_rows(connection, query, each(entries.c.id, some), {"ids": some}))
    return found


@lru_cache(maxsize=1_024)
def _named_readable(scope: Scope) -> Select[Any]:
    return _named(readable_of(scope), entries.c.status == Status.ACTIVE.value)


def _named(*conditions: ColumnElement[bool]) -> Select[Any]:
    return select(entries).where(entries.c.id.in_(_IDS), *conditions)


def active_ids(connection: Connection, after: int, limit: int) -> list[tuple[int, str]]:
    """Sequence number and id of the next `limit` active entries after sequence number `after`, oldest first."""
    query = (
        select(entries.c.sequence, entries.c.id)
        .where(entries.c.status == Status.ACTIVE.value, entries.c.sequence > after)
        .order_by(entries.c.sequence)
        .limit(limit)
    )
    return [(row.sequence, row.id) for row in connection.execute(query)]


def _whole(connection: Connection, entry_id: str) -> tuple[dict[Any, Any], list[Row]]:
    """An entry's row and those of its keys. Raises DamagedEntry: it must not get a checksum that hides the damage."""
    row = dict(connection.execute(select(entries).where(entries.c.id == entry_id)).mappings().one())
    key_rows = _keys_of(connection, [entry_id])[entry_id]
    if row["checksum"] != checksum(row, key_rows):
        raise DamagedEntry(entry_id)
    return row, key_rows


def _key_rows(row: Row, found_under: Sequence[Key], first: int = 0) -> list[Row]:
    return [
        {
            "entry_id": row["id"],
            "position": position,
            "owner": row["owner"],
            "text": keepable(key.text),
            "origin": key.origin.value,
        }
        for position, key in enumerate(found_under, start=first)
    ]


def _checked(connection: Connection, rows: Sequence[Row]) -> Iterator[Entry]:
    ids = [row["id"] for row in rows]
    key_rows, counts = _keys_of(connection, ids), counts_of(connection, ids)
    for row in rows:
        if row["checksum"] == checksum(row, key_rows[row["id"]]):
            yield _entry(row, key_rows[row["id"]], counts[row["id"]])
        else:
            _log.error("The entry %s is damaged: its checksum is wrong. It is not used.", row["id"])


def _entry(row: Row, key_rows: Sequence[Row], counts: Mapping[str, int]) -> Entry:
    return Entry(
        id=row["id"],
        kind=Kind(row["kind"]),
        owner=row["owner"],
        shared=row["scope"] == SHARED,
        status=Status(row["status"]),
        question=row["question"],
        text=row["text"],
        sequence=row["sequence"],
        created=datetime.fromisoformat(row["created"]),
        keys=tuple(Key(key["text"], KeyOrigin(key["origin"])) for key in key_rows),
        wrong_understanding=row["wrong_understanding"],
        understanding=row["understanding"],
        answer=row["answer"],
        turn=row["turn_id"],
        model=row["model"],
        supersedes=row["supersedes"],
        only_in=row["only_in"] or "",
        used=counts.get(EventKind.USED, 0),
        helped=counts.get(EventKind.HELPED, 0),
        hurt=counts.get(EventKind.HURT, 0),
    )


def _keys_of(connection: Connection, ids: Sequence[str]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for some in batches(ids):
        for row in read_rows(connection, _KEYS, each(keys.c.entry_id, some), {"ids": some}):
            found[row["entry_id"]].append(row)
    return found
