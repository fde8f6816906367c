"""Which lines of an export are new here, under which ids, and what stands against them. Nothing is locked for it.

An entry is known by its id, or because another one with the idempotency key that saving would give it says the same.
"""

import hashlib
import hmac
import uuid
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Table, select

from assistant.errors import DamagedEntry
from assistant.types import Key, KeyOrigin, Scope, Status
from memory_store.ledger.access import own, person_of
from memory_store.ledger.database.schema import PRIVATE, entries, events, turns
from memory_store.ledger.entries import ACTIVE, PreparedEntry, content_of
from memory_store.ledger.erased_rows import erased_among
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.rows import is_there, rows_with
from memory_store.memory.related import find_related
from memory_store.memory.relation import Relation, form_digests
from memory_store.transfer.export_format import Record

_KEY_COLUMNS = [entries.c[name] for name in ("id", "kind", "question", "body", "turn_id", "idempotency_key")]


@dataclass(frozen=True, slots=True)
class NewEntry:
    """An entry that is not here yet, ready to be written."""

    prepared: PreparedEntry
    forms: Sequence[str]
    is_outdated: bool  # what is here is about the same, and stands
    dropped: int  # triples that its sentence does not name

    @property
    def id(self) -> str:
        return str(self.prepared.row["id"])

    @property
    def counts(self) -> bool:
        return bool(self.prepared.row["status"] == Status.ACTIVE)


@dataclass
class Comparing:
    """One file against what a person has. `ids` leads from the ids of the file to those here."""

    ledger: Ledger
    scope: Scope
    ids: dict[str, str] = field(default_factory=dict)
    new: set[str] = field(default_factory=set)  # ids, here, of entries and turns that are not there yet
    _keys: dict[str, str] = field(default_factory=dict)  # idempotency keys of the file's entries to their ids here
    _besides: set[str] = field(default_factory=set)  # ids, here, of entries that count in the file: they go together
    _through: int = 0  # the place in the order of all changes up to which entries are compared
    _is_empty: bool = True  # whether nothing counted up to there

    def look(self, connection: Connection, records: Sequence[Record], talked: Sequence[Record]) -> None:
        """Find out which of these entries and turns are new; done again after a change, as it is by then."""
        self._through = self.ledger.last_event()
        self._is_empty = not is_there(connection, entries.c.id, own(entries, self.scope), ACTIVE)
        self._take_ids(connection, entries, [record["id"] for record in records])
        self._take_ids(connection, turns, [record["id"] for record in talked])
        named = {record["turn_id"] for record in records} - {""} - self.ids.keys()
        self._take_ids(connection, turns, sorted(named))
        by_id = {self.ids[record["id"]] for record in records}
        keys = {record["id"]: self._key(record) for record in records}
        query = select(*_KEY_COLUMNS).where(own(entries, self.scope))
        found = rows_with(connection, query, entries.c.idempotency_key, keys.values())
        holders = {row.idempotency_key: row._asdict() for row in found}
        for record in records:
            here, key = self.ids[record["id"]], keys[record["id"]]
            holder = holders.get(key)
            if here in self.new and holder and holder["id"] not in by_id and self._has_key(holder, key):
                self.new.discard(here)
                self.ids[record["id"]] = here = holder["id"]
                by_id.add(here)
            if here in self.new:
                is_taken = holder is not None or self._keys.setdefault(key, here) != here
                self._keys[f"{key}:{here}" if is_taken else key] = here
            if record["status"] == Status.ACTIVE:
                self._besides.add(here)

    def entries(self, connection: Connection, records: Iterable[Record]) -> list[NewEntry]:
        """Those of the entries that are new, in their order."""
        keys = {here: key for key, here in self._keys.items()}
        return [
            self._entry(connection, record, keys[self.ids[record["id"]]])
            for record in records
            if self.ids[record["id"]] in self.new
        ]

    def turns(self, records: Iterable[Record]) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
        """Those of the turns that are new, each with its decisions, as rows without sequence number and checksum."""
        return [self._turn(record) for record in records if self.ids[record["id"]] in self.new]

    def _turn(self, record: Record) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        row = {name: value for name, value in record.items() if name != "decisions"}
        row |= {"id": self.ids[record["id"]], "owner": person_of(self.scope)}
        for name in ("answers_again", "clarified_with", "chosen", "corrected_by"):
            row[name] = self.ids.get(record[name])
        for name in ("used", "left_out"):
            row[name] = [self.ids[named] for named in record[name] if named in self.ids]
        row["trace"] = self._here(record["trace"])  # an entry that it names is another one here
        decided = [
            decision | {"turn_id": row["id"], "rank": rank, "owner": row["owner"], "entry_id": self.ids[named]}
            for rank, decision in enumerate(record["decisions"])
            if (named := decision["entry_id"]) in self.ids
        ]
        return row, decided

    def _here(self, told: Any) -> Any:
        """What a turn carries, with the ids that entries and turns have here."""
        if isinstance(told, Mapping):
            return {name: self._here(value) for name, value in told.items()}
        if isinstance(told, list | tuple):
            return [self._here(value) for value in told]
        return self.ids.get(told, told) if isinstance(told, str) else told

    def events(self, connection: Connection, records: Sequence[Record]) -> list[dict[str, Any]]:
        """What became of entries in turns, as rows without sequence number, as far as it is not noted yet."""
        about = [record for record in records if record["entry_id"] in self.ids]
        named = {record["turn_id"] for record in about} - {None} - self.ids.keys()
        self._take_ids(connection, turns, sorted(named))
        told = select(events.c.entry_id, events.c.turn_id, events.c.kind, events.c.created)
        here = (self.ids[record["entry_id"]] for record in about)
        noted = {_noted(row._asdict()) for row in rows_with(connection, told, events.c.entry_id, here)}
        rows = []
        for record in about:
            turn_id = None if record["turn_id"] is None else self.ids[record["turn_id"]]
            row = {**record, "entry_id": self.ids[record["entry_id"]], "turn_id": turn_id}
            if _noted(row) not in noted:
                noted.add(_noted(row))
                rows.append(row | {"owner": person_of(self.scope)})
        return rows

    def _entry(self, connection: Connection, record: Record, key: str) -> NewEntry:
        row = {name: value for name, value in record.items() if name not in {"keys", "dropped"}}
        row |= {"id": self.ids[record["id"]], "owner": person_of(self.scope), "scope": PRIVATE, "idempotency_key": key}
        row["turn_id"] = self.ids.get(record["turn_id"], "")
        row["supersedes"] = None if record["supersedes"] is None else self.ids[record["supersedes"]]
        named = {name: row["body"][name] for name in ("apart", "in_view", "replaced") if name in row["body"]}
        here = {name: [self.ids.get(other, other) for other in others] for name, others in named.items()}
        row["body"] = {**row["body"], **here}
        said = content_of(row, self.ledger.kinds)
        is_outdated = False  # what was here before, and counts, stands where it is about the same
        if record["status"] == Status.ACTIVE and not self._is_empty:
            related = find_related(connection, self.scope, said, besides=self._besides, through=self._through)
            is_outdated = bool(related.all(Relation.REPLACED, Relation.DUPLICATE))
        if is_outdated:
            row["status"] = Status.SUPERSEDED.value
        found_under = [Key(told["text"], KeyOrigin(told["origin"])) for told in record["keys"]]
        prepared = PreparedEntry.of(row, found_under, self.ledger.kinds)
        return NewEntry(prepared, form_digests(said), is_outdated, record["dropped"])

    def _key(self, told: Mapping[str, Any]) -> str:
        """The idempotency key that saving would give to what is told, in the file or here."""
        turn_id, said = self.ids.get(told["turn_id"], told["turn_id"]), content_of(told, self.ledger.kinds)
        return said.kind.idempotency_key(turn_id or said.question, said.body)

    def _has_key(self, told: Mapping[str, Any], key: str) -> bool:
        """Whether saving would give what is told this key; a damaged one would get none."""
        with suppress(DamagedEntry):
            return self._key(told) == key
        return False

    def _take_ids(self, connection: Connection, table: Table, wanted: Sequence[str]) -> None:
        """Find the ids here for ids of the file.

        They are the same, unless somebody else has one, or it was erased: then another one that comes of it.
        """
        found = rows_with(connection, select(table.c.id, table.c.owner), table.c.id, wanted)
        owners = {row.id: row.owner for row in found}
        erased = erased_among(connection, set(wanted))
        for name in wanted:
            is_free = name not in owners and name not in erased
            is_known = is_free or owners.get(name) == person_of(self.scope)
            here, is_new = (name, is_free) if is_known else self._other_id(connection, table, name)
            self.ids[name] = here
            (self.new.add if is_new else self.new.discard)(here)

    def _other_id(self, connection: Connection, table: Table, wanted: str) -> tuple[str, bool]:
        """Another id that comes of one, and whether nothing has it yet."""
        attempt = 0
        while True:
            attempt += 1
            named = f"{person_of(self.scope)}\0{wanted}\0{attempt}".encode()
            candidate = str(uuid.UUID(bytes=hmac.new(self.ledger.secret(), named, hashlib.sha256).digest()[:16]))
            owner = connection.execute(select(table.c.owner).where(table.c.id == candidate)).scalar()
            if owner == person_of(self.scope):
                return candidate, False
            if owner is None and not erased_among(connection, [candidate]):
                return candidate, True


def _noted(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """By what an event is known: it happens once in a turn; without one, at its time."""
    return row["entry_id"], row["turn_id"], row["kind"], row["created"] if row["turn_id"] is None else ""
