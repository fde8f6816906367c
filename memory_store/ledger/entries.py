"""Read and write entries as rows of the ledger, with a checksum that every read verifies.

Search texts (lower-case, and folded so that spellings and scripts compare) have their own table, so that a search is
one SQL query. They are derived from entries, so they have no checksum and are not exported.
"""

import logging
import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from pydantic import ValidationError
from sqlalchemy import ColumnElement, Connection, and_, delete, func, insert, or_, select, update

from assistant.errors import DamagedEntry, NotFound
from assistant.kinds import Content, Kinds
from assistant.text.cleaning import clean_text
from assistant.types import Entry, Key, KeyOrigin, NewEntry, Scope, Status
from memory_store.language.normalize import fold, fold_name
from memory_store.ledger.access import belongs_to, bypass_index
from memory_store.ledger.database.schema import (
    EVIDENCE,
    LIMITING,
    PRIVATE,
    SHARED,
    EventKind,
    KeyState,
    entries,
    events,
    keys,
    searchable,
    triples,
    turns,
)
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.rows import Row, compute_checksum, kinds_of, read_rows

_log = logging.getLogger(__name__)

ACTIVE = entries.c.status == Status.ACTIVE.value
_SUPERSEDED = entries.c.status == Status.SUPERSEDED.value
_SHORTEST_FOLDED = 3  # folding shortens ("zzzz" to one letter), and nearly every text contains one or two letters
_COLUMNS, _KEY_COLUMNS = tuple(entries.c.keys()), tuple(keys.c.keys())


class TextFilter:
    """Filter by a search text, as written or folded."""

    def __init__(self, search: str) -> None:
        folded = fold(search)
        is_long = len(folded) >= _SHORTEST_FOLDED or not search.isascii()
        self._forms = [form for form in (search.casefold(), folded if is_long else "") if form]

    def is_in(self, *texts: str) -> bool:
        """Return True if one of the texts contains the search text."""
        found = _build_search_text(texts)
        return any(form in found for form in self._forms)

    def is_in_row(self) -> ColumnElement[bool]:
        """Select the rows of the table that contain the search text."""
        return or_(*(searchable.c.text.contains(form, autoescape=True) for form in self._forms))


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
    sequence = insert_entries(connection, ledger, [(row, found_under)], owner)
    return _build_entry({**row, "sequence": sequence}, _build_key_rows(row, found_under), {}, kinds_of(connection))


def insert_entries(connection: Connection, ledger: Ledger, new: Sequence[tuple[Row, Sequence[Key]]], owner: str) -> int:
    """Insert at least one entry of a user, given its columns and keys, with events; return the last sequence number."""
    numbers = ledger.append_all(connection, EventKind.SAVED, [(row["id"], None) for row, _ in new], owner)
    rows = [{**row, "sequence": number} for (row, _), number in zip(new, numbers, strict=True)]
    key_rows = [_build_key_rows(row, found_under) for row, found_under in new]
    sealed = [{**row, "checksum": compute_checksum(row, own)} for row, own in zip(rows, key_rows, strict=True)]
    texts = [_build_searchable(row, own, kinds_of(connection)) for row, own in zip(rows, key_rows, strict=True)]
    connection.execute(insert(entries), sealed)
    connection.execute(insert(keys), [key for own in key_rows for key in own])
    connection.execute(insert(searchable), texts)
    insert_triples(connection, rows)
    return numbers[-1]


def insert_triples(connection: Connection, rows: Iterable[Row]) -> None:
    """Insert the triples of the active facts among these rows of entries that are not denied."""
    new = [
        {"entry_id": row["id"], "position": position, "owner": row["owner"]}
        | {side: fold_name(name) for side, name in triple.items()}
        for row in rows
        if row["status"] == Status.ACTIVE and not (row["body"] or {}).get("denied")  # None if damaged
        for position, triple in enumerate((row["body"] or {}).get("triples", ()))
    ]
    if new:
        connection.execute(insert(triples), new)


def set_status(connection: Connection, entry_id: str, status: Status) -> None:
    """Change the status of an entry, its checksum, and its rows in `triples`. Raises DamagedEntry."""
    row = _rewrite(connection, entry_id, {"status": status.value})
    connection.execute(delete(triples).where(triples.c.entry_id == entry_id))
    insert_triples(connection, [row])


def replace_keys(
    connection: Connection, ledger: Ledger, entry: Entry, found_under: Sequence[Key], state: KeyState | None = None
) -> Entry:
    """Replace all keys of an entry and return the changed entry. Raises DamagedEntry.

    `state`, if given, changes who writes its keys from now on.
    """
    row = _rewrite(connection, entry.id, {"key_state": state.value} if state else {}, found_under)
    text = _build_searchable(row, _build_key_rows(row, found_under), kinds_of(connection))
    connection.execute(update(searchable).where(searchable.c.entry_id == entry.id).values(text))
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
    rows = connection.execute(select(entries).where(*conditions).limit(1)).all()
    if not rows:
        raise NotFound
    for entry in load_entries(connection, rows):
        return entry
    raise DamagedEntry(rows[0].id)


def read_entries(connection: Connection, *conditions: ColumnElement[bool], limit: int | None = None) -> list[Entry]:
    """Return the intact entries that meet all conditions, newest first."""
    query = select(entries).where(*conditions).order_by(entries.c.sequence.desc())
    return list(load_entries(connection, connection.execute(query.limit(limit)).all()))


def read_entries_by_id(connection: Connection, ids: Iterable[str], *conditions: ColumnElement[bool]) -> list[Entry]:
    """Return the intact entries with these ids that meet all conditions, in no order."""
    rows = read_rows(connection, select(entries).where(*conditions), entries.c.id, ids)
    return list(load_entries(connection, list(rows)))


def load_entries(connection: Connection, found: Iterable[Sequence[Any]]) -> Iterator[Entry]:
    """Yield the entries of these rows. Skip and log damaged entries and entries of unknown types."""
    rows = [dict(zip(_COLUMNS, row, strict=True)) for row in found]  # much faster than SQLAlchemy's mappings
    ids, kinds = [row["id"] for row in rows], kinds_of(connection)
    key_rows, counts = _read_keys(connection, ids), defaultdict[str, dict[str, int]](dict)
    reactions = select(events.c.entry_id, events.c.kind, func.count().label("number")).where(
        events.c.kind.in_(EVIDENCE)
    )
    reactions = reactions.group_by(events.c.entry_id, events.c.kind)
    for reaction in read_rows(connection, reactions, events.c.entry_id, ids):
        counts[reaction.entry_id][reaction.kind] = reaction.number
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


def find_successor(connection: Connection, entry: Entry) -> Entry | None:
    """Return the entry that superseded this one and was not retracted since."""
    condition = (entries.c.supersedes == entry.id, entries.c.status != Status.RETRACTED.value)
    return next(iter(read_entries(connection, *condition, limit=1)), None)


def find_head(connection: Connection, *conditions: ColumnElement[bool]) -> Entry | None:
    """Return the active latest version of the entry that meets all conditions, or None."""
    entry = next(iter(read_entries(connection, *conditions)), None)
    while entry is not None and entry.status == Status.SUPERSEDED:
        entry = find_successor(connection, entry)
    return entry if entry is not None and entry.status == Status.ACTIVE else None


def find_predecessors(connection: Connection, of: Iterable[Entry], scope: Scope) -> dict[str, list[Entry]]:
    """Return the older versions of each of the user's entries, newest first.

    The list stops before a retracted version, which would not be restored. Entries without older versions are omitted.
    """
    mine = bypass_index(belongs_to(entries, scope))
    older = {entry.id: entry.supersedes for entry in of if entry.supersedes}
    found: dict[str, list[Entry]] = defaultdict(list)
    while older:
        known = {entry.id: entry for entry in read_entries_by_id(connection, older.values(), mine, _SUPERSEDED)}
        older = {entry_id: forerunner for entry_id, forerunner in older.items() if forerunner in known}
        for entry_id, forerunner in older.items():
            found[entry_id].append(known[forerunner])
        older = {entry_id: further for entry_id, before in older.items() if (further := known[before].supersedes)}
    return dict(found)


def add_limits(connection: Connection, found: Sequence[Entry], scope: Scope) -> list[Entry]:
    """Return the entries with the user's pauses, and the questions for which the user excluded them."""
    resting: set[str] = set()
    excepted: dict[str, dict[str, None]] = defaultdict(dict)  # entry to questions, in their order
    limits = (
        select(events.c.entry_id, events.c.kind, events.c.turn_id, turns.c.question)
        .outerjoin(turns, and_(turns.c.id == events.c.turn_id, belongs_to(turns, scope)))
        .where(events.c.kind.in_(LIMITING), belongs_to(events, scope))
        .order_by(events.c.sequence)
    )
    for row in read_rows(connection, limits, events.c.entry_id, [entry.id for entry in found]):
        if row.kind == EventKind.PAUSED:
            resting.add(row.entry_id)
        elif row.kind == EventKind.EXCEPTED and row.question:  # a deleted turn has none
            excepted[row.entry_id][row.question] = None
        elif row.kind == EventKind.USED_AGAIN and row.turn_id is None:
            resting.discard(row.entry_id)
            excepted.pop(row.entry_id, None)
        elif row.kind == EventKind.USED_AGAIN:
            excepted[row.entry_id].pop(row.question, None)
    return [replace(entry, resting=entry.id in resting, not_for=tuple(excepted[entry.id])) for entry in found]


def _build_search_text(texts: Iterable[str]) -> str:
    lines = (line for text in texts for line in (text.casefold(), fold(text)))
    return "\n".join(dict.fromkeys(filter(None, lines)))


def _build_searchable(row: Row, key_rows: Iterable[Row], kinds: Kinds) -> Row:
    shown = row["body"].get(kinds[row["kind"]].shown, "")
    text = _build_search_text((row["question"], shown, *(key["text"] for key in key_rows)))
    return {"entry_id": row["id"], "owner": row["owner"], "text": text}


def _rewrite(
    connection: Connection, entry_id: str, changes: Mapping[str, Any], found_under: Sequence[Key] | None = None
) -> Row:
    """Change columns, and keys if given; return the changed row.

    Raises DamagedEntry: a new checksum would hide the damage.
    """
    row = connection.execute(select(entries).where(entries.c.id == entry_id)).one()._asdict()
    key_rows = _read_keys(connection, [entry_id])[entry_id]
    if row["checksum"] != compute_checksum(row, key_rows):
        raise DamagedEntry(entry_id)
    if found_under is not None:
        key_rows = _build_key_rows(row, found_under)
        connection.execute(delete(keys).where(keys.c.entry_id == entry_id))
        connection.execute(insert(keys), key_rows)
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
    for row in read_rows(connection, select(keys).order_by(keys.c.position), keys.c.entry_id, ids):
        found[row.entry_id].append(dict(zip(_KEY_COLUMNS, row, strict=True)))
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
