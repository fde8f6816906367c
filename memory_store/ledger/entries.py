"""Read and write entries as rows of the ledger, with a checksum that every read verifies."""

from __future__ import annotations

import logging
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

from pydantic import ValidationError
from sqlalchemy import ColumnElement, Connection, delete, insert, select, update

from assistant.errors import DamagedEntry, NotFound
from assistant.kinds import Content, Kind, Kinds
from assistant.text.cleaning import clean_text
from assistant.types import Entry, Key, KeyOrigin, NewEntry, Status
from memory_store.ledger.database.schema import (
    PRIVATE,
    SHARED,
    EventKind,
    KeyState,
    entries,
    keys,
    searchable,
)
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.reactions import count_reactions
from memory_store.ledger.rows import IDS, Row, compute_checksum, kinds_of, read_named, read_rows
from memory_store.ledger.searchable import build_searchable_text
from memory_store.ledger.triples import insert_names, insert_triples, remove_triples

_log = logging.getLogger(__name__)

ACTIVE = entries.c.status == Status.ACTIVE.value
_INSERT_ENTRY, _INSERT_KEYS, _INSERT_SEARCHABLE = insert(entries), insert(keys), insert(searchable)
_BY_ID = select(entries).where(entries.c.id.in_(IDS))
_KEYS = select(keys).where(keys.c.entry_id.in_(IDS)).order_by(keys.c.entry_id, keys.c.position)


def save_entry(
    connection: Connection,
    ledger: Ledger,
    draft: NewEntry,
    owner: str,
    found_under: Sequence[Key],
    **columns: str | None,
) -> Entry:
    """Insert a new entry and its event: active, private and superseding nothing, unless `columns` override it."""
    row = {
        "id": str(uuid.uuid4()),
        "owner": owner,
        "scope": PRIVATE,
        "kind": draft.kind.name,
        "status": Status.ACTIVE.value,
        "question": draft.question,
        "body": draft.body.stored(),
        "turn_id": draft.turn,
        "model": draft.model,
        "supersedes": None,
        "idempotency_key": draft.idempotency_key,
        "created": ledger.now(),
        **columns,
    }
    prepared = PreparedEntry.of(row, found_under, kinds_of(connection))
    sequence = insert_prepared(connection, ledger, [prepared], owner)
    return _build_entry({**row, "sequence": sequence}, prepared.key_rows, {}, kinds_of(connection))


class PreparedEntry(NamedTuple):
    """Rows of an entry, without its sequence number and checksum."""

    row: Row
    key_rows: Sequence[Row]
    searchable: Row

    @classmethod
    def of(cls, row: Row, found_under: Sequence[Key], kinds: Kinds) -> PreparedEntry:
        """Prepare the rows of an entry from its other columns and its keys."""
        key_rows = _build_key_rows(row, found_under)
        text = build_searchable_text(row, key_rows, kinds)
        return cls(row, key_rows, {"entry_id": row["id"], "owner": row["owner"], "text": text})


def insert_prepared(connection: Connection, ledger: Ledger, prepared: Sequence[PreparedEntry], owner: str) -> int:
    """Insert at least one entry of a user, with events; return the sequence number of the last."""
    triple_rows = insert_names(connection, ledger, [each.row for each in prepared], owner)
    saved = [{"entry_id": each.row["id"], "turn_id": None} for each in prepared]
    numbers = ledger.append_all(connection, EventKind.SAVED, saved, owner)
    rows = [{**each.row, "sequence": number} for each, number in zip(prepared, numbers, strict=True)]
    sums = [compute_checksum(row, each.key_rows) for row, each in zip(rows, prepared, strict=True)]
    connection.execute(_INSERT_ENTRY, [{**row, "checksum": seal} for row, seal in zip(rows, sums, strict=True)])
    connection.execute(_INSERT_KEYS, [key for each in prepared for key in each.key_rows])
    connection.execute(_INSERT_SEARCHABLE, [each.searchable for each in prepared])
    insert_triples(connection, triple_rows)
    return numbers[-1]


def set_status(connection: Connection, ledger: Ledger, entry_id: str, status: Status) -> None:
    """Change the status of an entry, its checksum, and its rows in `triples`. Raises DamagedEntry."""
    row = _rewrite(connection, entry_id, {"status": status.value})
    if "triples" in row["body"]:
        remove_triples(connection, ledger, [entry_id], row["owner"])
        insert_triples(connection, insert_names(connection, ledger, [row], row["owner"]))


def replace_keys(
    connection: Connection, ledger: Ledger, entry: Entry, found_under: Sequence[Key], state: KeyState | None = None
) -> Entry:
    """Replace all keys of an entry and return the changed entry. Raises DamagedEntry.

    `state`, if given, changes who writes its keys from now on.
    """
    row = _rewrite(connection, entry.id, {"key_state": state.value} if state else {}, found_under)
    text = build_searchable_text(row, _build_key_rows(row, found_under), kinds_of(connection))
    connection.execute(update(searchable).where(searchable.c.entry_id == entry.id).values(text=text))
    ledger.append(connection, EventKind.KEYED, entry.id, entry.owner)
    return replace(entry, keys=tuple(found_under))


def change_body(connection: Connection, ledger: Ledger, entry: Entry, changes: Mapping[str, object]) -> Entry:
    """Change fields of the body that are not part of the entry's keys. Raises DamagedEntry."""
    body = entry.body.changed(changes)
    if body == entry.body:
        return entry
    _rewrite(connection, entry.id, {"body": body.stored()})
    ledger.append(connection, EventKind.REACHED, entry.id, entry.owner)
    return replace(entry, body=body)


def replace_forerunner(connection: Connection, ledger: Ledger, entry: Entry, older: str | None) -> Entry:
    """Set the id of the entry that this one supersedes, or None. Raises DamagedEntry."""
    _rewrite(connection, entry.id, {"supersedes": older})
    ledger.append(connection, EventKind.REACHED, entry.id, entry.owner)
    return replace(entry, supersedes=older)


def empty_misunderstandings(connection: Connection, ledger: Ledger, ids: Iterable[str]) -> int:
    """Remove the misunderstanding, title and model-written keys from intact entries; return how many changed.

    A model wrote these with an erased answer in its prompt. Entries whose keys a model wrote are queued for new keys.
    """
    emptied = 0
    for entry in read_entries_by_id(connection, ids):
        own_keys = [key for key in entry.keys if key.origin is KeyOrigin.PERSON or key.text == entry.question]
        body = entry.body.changed({"wrong_understanding": "", "title": "", "in_view": ()})
        if body == entry.body and len(own_keys) == len(entry.keys):
            continue
        row = _rewrite(connection, entry.id, {"body": body.stored()})
        is_written = row["key_state"] == KeyState.WRITTEN
        replace_keys(connection, ledger, entry, own_keys, KeyState.WANTED if is_written else None)
        emptied += 1
    return emptied


def read_entry(connection: Connection, *conditions: ColumnElement[bool]) -> Entry:
    """Return the first entry that meets all conditions. Raises NotFound, or DamagedEntry if its checksum is wrong."""
    rows = read_rows(connection, select(entries).where(*conditions))
    if not rows:
        raise NotFound
    for entry in load_entries(connection, rows[:1]):
        return entry
    raise DamagedEntry(rows[0]["id"])


def read_entries(connection: Connection, *conditions: ColumnElement[bool], limit: int | None = None) -> list[Entry]:
    """Return the intact entries that meet all conditions, newest first."""
    query = select(entries).where(*conditions).order_by(entries.c.sequence.desc())
    return list(load_entries(connection, read_rows(connection, query.limit(limit))))


def read_entries_by_id(connection: Connection, ids: Iterable[str], *conditions: ColumnElement[bool]) -> list[Entry]:
    """Return the intact entries with these ids that meet all conditions, in no order."""
    return list(load_entries(connection, list(read_named(connection, _BY_ID.where(*conditions), ids))))


def load_entries(connection: Connection, rows: Sequence[Row]) -> Iterator[Entry]:
    """Yield the entries of these rows. Skip and log damaged entries and entries of unknown types."""
    ids = [row["id"] for row in rows]
    key_rows, counts, kinds = _read_keys(connection, ids), count_reactions(connection, ids), kinds_of(connection)
    for row in rows:
        if row["kind"] not in kinds:
            _log.error("The entry %s is of a kind that is not known here. It is not used.", row["id"])
        elif row["checksum"] == compute_checksum(row, key_rows[row["id"]]):
            yield _build_entry(row, key_rows[row["id"]], counts[row["id"]], kinds)
        else:
            _log.error("The entry %s is damaged: its checksum is wrong. It is not used.", row["id"])


def parse_content(row: Row, kinds: Kinds) -> Content:
    """Return the content of a row. Raises DamagedEntry if it is invalid or of an unknown type."""
    try:
        kind = kinds[row["kind"]]
        return Content(kind, row["question"], kind.body.model_validate(row["body"]))
    except (KeyError, ValidationError):
        raise DamagedEntry(row["id"]) from None


def is_of_type(connection: Connection, are: Callable[[Kind], bool]) -> ColumnElement[bool]:
    """Select the entries of the types for which `are` returns True."""
    return entries.c.kind.in_([kind.name for kind in kinds_of(connection).values() if are(kind)])


def _rewrite(
    connection: Connection, entry_id: str, changes: Mapping[str, Any], found_under: Sequence[Key] | None = None
) -> Row:
    """Change columns, and keys if given; return the changed row.

    Raises DamagedEntry: a new checksum would hide the damage.
    """
    row = read_rows(connection, select(entries).where(entries.c.id == entry_id))[0]
    key_rows = _read_keys(connection, [entry_id])[entry_id]
    if row["checksum"] != compute_checksum(row, key_rows):
        raise DamagedEntry(entry_id)
    if found_under is not None:
        key_rows = _build_key_rows(row, found_under)
        connection.execute(delete(keys).where(keys.c.entry_id == entry_id))
        connection.execute(_INSERT_KEYS, key_rows)
    changes = {**changes, "checksum": compute_checksum({**row, **changes}, key_rows)}
    connection.execute(update(entries).where(entries.c.id == entry_id).values(changes))
    return {**row, **changes}


def _build_key_rows(row: Row, found_under: Sequence[Key]) -> list[Row]:
    whose = {"entry_id": row["id"], "owner": row["owner"]}
    return [
        whose | {"position": position, "text": clean_text(key.text), "origin": key.origin.value}
        for position, key in enumerate(found_under)
    ]


def _read_keys(connection: Connection, ids: Sequence[str]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in read_named(connection, _KEYS, ids):
        found[row["entry_id"]].append(row)
    return found


def _build_entry(row: Row, key_rows: Sequence[Row], counts: Mapping[str, int], kinds: Kinds) -> Entry:
    said = parse_content(row, kinds)
    return Entry(
        *(said.kind, said.question, said.body),
        **{name: row[name] for name in ("id", "owner", "sequence", "supersedes", "model")},
        shared=row["scope"] == SHARED,
        status=Status(row["status"]),
        created=datetime.fromisoformat(row["created"]),
        keys=tuple(Key(key["text"], KeyOrigin(key["origin"])) for key in key_rows),
        turn=row["turn_id"],
        used=counts.get(EventKind.USED, 0),
        helped=counts.get(EventKind.HELPED, 0),
        hurt=counts.get(EventKind.HURT, 0),
        declined=counts.get(EventKind.DECLINED, 0),
    )
