"""Read and write entries as rows of the ledger, with a checksum that every read verifies.

The search text of an entry (lower-case, and folded so that spellings and scripts compare) is derived from the rest of
its row, so the checksum leaves it out and exports do not have it.
"""

import logging
import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from pydantic import ValidationError

from assistant.errors import DamagedEntry, NotFound
from assistant.kinds import Body, Content, Fact, Kinds, Triple
from assistant.reasoning.reasoner import names_both
from assistant.text.cleaning import clean_text
from assistant.types import Entry, Key, KeyOrigin, NewEntry, Scope, Status
from memory_store.language.languages import sentence_parser
from memory_store.language.normalize import fold, fold_name
from memory_store.ledger.access import belongs_to, filter_readable, require_user
from memory_store.ledger.database.schema import (
    EVIDENCE,
    LIMITING,
    PRIVATE,
    SHARED,
    Condition,
    EventKind,
    KeyState,
    entries,
    events,
    triples,
    turns,
)
from memory_store.ledger.ledger import ledger_of
from memory_store.ledger.rows import IDS, OWNER, Row, compute_checksum, read_rows

_log = logging.getLogger(__name__)

ACTIVE = entries.c.status == Status.ACTIVE.value
SUPERSEDED = entries.c.status == Status.SUPERSEDED.value
STORED = sa.select(*(column for column in entries.c if column.name != "search_text"))
"""Selects the rows that `load_entries` reads."""
_REACTIONS = sa.select(events.c.entry_id, events.c.kind, sa.func.count().label("number"))
_REACTIONS = _REACTIONS.where(events.c.kind.in_(EVIDENCE), events.c.entry_id.in_(IDS))
_REACTIONS = _REACTIONS.group_by(events.c.entry_id, events.c.kind)
_OWN_TURN = sa.and_(turns.c.id == events.c.turn_id, turns.c.owner == OWNER)
_LIMITS = sa.select(events.c.entry_id, events.c.kind, events.c.turn_id, turns.c.question).outerjoin(turns, _OWN_TURN)
_LIMITS = _LIMITS.where(events.c.kind.in_(LIMITING), events.c.owner == OWNER, events.c.entry_id.in_(IDS)).order_by(
    events.c.sequence
)
_COLUMNS = tuple(STORED.selected_columns.keys())
_SHORTEST_FOLDED = 3  # folding shortens ("zzzz" to one letter), and nearly every text contains one or two letters


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

    def is_in_row(self) -> Condition:
        """Select the entries that contain the search text."""
        return sa.or_(*(entries.c.search_text.contains(form, autoescape=True) for form in self._forms))


def save_entry(
    connection: sa.Connection, draft: NewEntry, owner: str, found_under: Iterable[Key], **columns: Any
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
        "found_under": write_keys(found_under),
        "turn_id": draft.turn,
        "model": draft.model,
        "supersedes": None,
        "idempotency_key": draft.idempotency_key,
        "created": ledger_of(connection).now(),
        "key_state": None,
        **columns,
    }
    (saved,) = insert_entries(connection, [row], owner)
    return _build_entry(saved, {}, ledger_of(connection).kinds)


def insert_entries(connection: sa.Connection, new: Sequence[Row], owner: str) -> list[Row]:
    """Insert at least one entry of a user, given its columns, with events; return the complete rows."""
    numbers = ledger_of(connection).append(connection, EventKind.SAVED, [(row["id"], None) for row in new], owner)
    numbered = ({**row, "sequence": number} for row, number in zip(new, numbers, strict=True))
    rows = [_seal(row, ledger_of(connection).kinds) for row in numbered]
    connection.execute(sa.insert(entries), rows)
    insert_triples(connection, rows)
    return rows


def insert_triples(connection: sa.Connection, rows: Iterable[Row]) -> None:
    """Insert the triples of the active facts among these rows of entries that are not denied."""
    new = [
        {"entry_id": row["id"], "position": position, "owner": row["owner"]}
        | {side: fold_name(name) for side, name in triple.items()}
        for row in rows
        if row["status"] == Status.ACTIVE and not (row["body"] or {}).get("denied")  # None if damaged
        for position, triple in enumerate((row["body"] or {}).get("triples", ()))
    ]
    if new:
        connection.execute(sa.insert(triples), new)


def write_keys(found_under: Iterable[Key]) -> list[dict[str, str]]:
    """Return keys as the ledger stores them, without repeated texts."""
    first: dict[str, str] = {}
    for key in found_under:
        first.setdefault(clean_text(key.text), key.origin.value)
    return [{"text": text, "origin": origin} for text, origin in first.items()]


def change_entry(connection: sa.Connection, entry: Entry, event: EventKind, **columns: Any) -> Entry:
    """Change columns of an entry, and its triples with its status; append an event and return the changed entry.

    Raises DamagedEntry: a new checksum would hide the damage.
    """
    is_it = entries.c.id == entry.id
    row: Row = dict(zip(_COLUMNS, connection.execute(STORED.where(is_it)).one(), strict=True))
    if row["checksum"] != compute_checksum(row):
        raise DamagedEntry(entry.id)
    row = _seal({**row, **columns}, ledger_of(connection).kinds)
    changed = {name: row[name] for name in (*columns, "checksum", "search_text")}
    connection.execute(sa.update(entries).where(is_it).values(changed))
    if "status" in columns:
        connection.execute(sa.delete(triples).where(triples.c.entry_id == entry.id))
        insert_triples(connection, [row])
    ledger_of(connection).append(connection, event, [(entry.id, None)], entry.owner)
    counts = {kind.value: getattr(entry, kind) for kind in EVIDENCE}
    return replace(_build_entry(row, counts, ledger_of(connection).kinds), resting=entry.resting, not_for=entry.not_for)


def change_body(connection: sa.Connection, entry: Entry, changes: Mapping[str, object]) -> Entry:
    """Change fields of the body that are not part of the entry's keys, if any differs. Raises DamagedEntry."""
    body = entry.body.changed(changes)
    if body == entry.body:
        return entry
    return change_entry(connection, entry, EventKind.REACHED, body=body.stored())


def empty_misunderstandings(connection: sa.Connection, ids: Iterable[str]) -> int:
    """Remove the misunderstanding, title and model-written keys from intact entries; return how many changed.

    A model wrote these with an erased answer in its prompt. Entries whose keys a model wrote are queued for new keys.
    """
    emptied, states = 0, sa.select(entries.c.key_state)
    for entry in read_entries_by_id(connection, ids):
        own_keys = [key for key in entry.keys if key.origin is KeyOrigin.PERSON or key.text == entry.question]
        body = entry.body.changed({"wrong_understanding": "", "title": "", "in_view": ()})
        if body == entry.body and len(own_keys) == len(entry.keys):
            continue
        columns: dict[str, Any] = {"body": body.stored(), "found_under": write_keys(own_keys)}
        if connection.execute(states.where(entries.c.id == entry.id)).scalar_one() == KeyState.WRITTEN:
            columns["key_state"] = KeyState.WANTED.value
        change_entry(connection, entry, EventKind.KEYED, **columns)
        emptied += 1
    return emptied


def read_entry(connection: sa.Connection, *conditions: Condition) -> Entry:
    """Return the first entry that meets all conditions. Raises NotFound, or DamagedEntry if its checksum is wrong."""
    rows = connection.execute(STORED.where(*conditions).limit(1)).all()
    if not rows:
        raise NotFound
    for entry in load_entries(connection, rows):
        return entry
    raise DamagedEntry(rows[0].id)


def read_entries(connection: sa.Connection, *conditions: Condition, limit: int | None = None) -> list[Entry]:
    """Return the intact entries that meet all conditions, newest first."""
    query = STORED.where(*conditions).order_by(entries.c.sequence.desc())
    return list(load_entries(connection, connection.execute(query.limit(limit)).all()))


def read_entries_by_id(connection: sa.Connection, ids: Iterable[str], *conditions: Condition) -> list[Entry]:
    """Return the intact entries with these ids that meet all conditions, in no order."""
    query = STORED.where(entries.c.id.in_(IDS), *conditions)
    return list(load_entries(connection, read_rows(connection, query, ids)))


def load_entries(connection: sa.Connection, found: Iterable[Sequence[Any]]) -> Iterator[Entry]:
    """Yield the entries of these rows. Skip and log damaged entries and entries of unknown types."""
    rows = [dict(zip(_COLUMNS, row, strict=True)) for row in found]  # much faster than SQLAlchemy's mappings
    kinds, counts = ledger_of(connection).kinds, defaultdict[str, dict[str, int]](dict)
    for reaction in read_rows(connection, _REACTIONS, [row["id"] for row in rows]):
        counts[reaction.entry_id][reaction.kind] = reaction.number
    for row in rows:
        if row["kind"] not in kinds:
            _log.error("The entry %s is of a kind that is not known here. It is not used.", row["id"])
        elif row["checksum"] == compute_checksum(row):
            yield _build_entry(row, counts[row["id"]], kinds)
        else:
            _log.error("The entry %s is damaged: its checksum is wrong. It is not used.", row["id"])


def parse_content(row: Row, kinds: Kinds) -> Content:
    """Return the content of a row. Raises DamagedEntry if it is invalid or of an unknown type."""
    try:
        kind = kinds[row["kind"]]
        return Content(kind, row["question"], kind.body.model_validate(row["body"]))
    except (KeyError, ValidationError):
        raise DamagedEntry(row["id"]) from None


def find_successor(connection: sa.Connection, entry: Entry) -> Entry | None:
    """Return the entry that superseded this one and was not retracted since."""
    condition = (entries.c.supersedes == entry.id, entries.c.status != Status.RETRACTED.value)
    return next(iter(read_entries(connection, *condition, limit=1)), None)


def find_head(connection: sa.Connection, *conditions: Condition) -> Entry | None:
    """Return the active latest version of the entry that meets all conditions, or None."""
    entry = next(iter(read_entries(connection, *conditions)), None)
    while entry is not None and entry.status == Status.SUPERSEDED:
        entry = find_successor(connection, entry)
    return entry if entry is not None and entry.status == Status.ACTIVE else None


def find_history(connection: sa.Connection, entry: Entry, scope: Scope) -> tuple[list[Entry], list[Entry]]:
    """Return the older versions of a user's entry, and others of its type that any version replaced; newest first.

    The versions stop before a retracted one, which would not be restored.
    """
    is_old, versions = (belongs_to(entries, scope), SUPERSEDED), [entry]
    while versions[-1].supersedes and (older := read_entries_by_id(connection, [versions[-1].supersedes], *is_old)):
        versions += older
    ids = {name for version in versions for name in version.body.replaced} - {version.id for version in versions}
    replaced = read_entries_by_id(connection, ids, *is_old, entries.c.kind == entry.kind.name)
    return versions[1:], sorted(replaced, key=lambda other: -other.sequence)


def show_to(scope: Scope, connection: sa.Connection, found: Iterable[Entry]) -> list[Entry]:
    """Return the entries that the user may read, with their pauses and the questions they excluded them for."""
    found = list(filter_readable(found, scope))
    resting: set[str] = set()
    excepted: dict[str, dict[str, None]] = defaultdict(dict)  # entry to questions, in their order
    for row in read_rows(connection, _LIMITS, [entry.id for entry in found], owner=require_user(scope)):
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


def find_unnamed(body: Body) -> Sequence[Triple]:
    """Return the triples of a fact whose subject or object is not in its sentence."""
    if not isinstance(body, Fact):
        return ()
    return [triple for triple in body.triples if not names_both(body.text, triple, sentence_parser())]


def drop_unnamed(body: Body) -> Body:
    """Return a body without the triples whose things are not in its sentence."""
    if dropped := find_unnamed(body):
        named = [triple for triple in getattr(body, "triples", ()) if triple not in dropped]
        return body.changed({"triples": named})
    return body


def _seal(row: Row, kinds: Kinds) -> Row:
    """Return a row with its search text and checksum."""
    shown = row["body"].get(kinds[row["kind"]].shown, "")
    text = _build_search_text((row["question"], shown, *(key["text"] for key in row["found_under"])))
    return {**row, "search_text": text, "checksum": compute_checksum(row)}


def _build_search_text(texts: Iterable[str]) -> str:
    lines = (line for text in texts for line in (text.casefold(), fold(text)))
    return "\n".join(dict.fromkeys(filter(None, lines)))


def _build_entry(row: Row, counts: Mapping[str, int], kinds: Kinds) -> Entry:
    said = parse_content(row, kinds)
    columns: dict[str, Any] = {name: row[name] for name in ("id", "owner", "sequence", "supersedes", "model")}
    return Entry(
        *(said.kind, said.question, said.body),
        **columns | {kind.value: counts.get(kind, 0) for kind in EVIDENCE},
        shared=row["scope"] == SHARED,
        status=Status(row["status"]),
        created=datetime.fromisoformat(row["created"]),
        keys=tuple(Key(key["text"], KeyOrigin(key["origin"])) for key in row["found_under"]),
        turn=row["turn_id"],
    )
