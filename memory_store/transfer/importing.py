"""Takes in what `memory_store.transfer.exporting` wrote: into the memory of the one who asks, whatever the file says.

Everything is checked before anything is written, and all of it is written in one transaction. Nothing becomes shared.
The same file twice is the same as once: what is there already is known by its idempotency key or its id.
"""

from __future__ import annotations

import hashlib
import hmac
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection, Table, insert, select

from assistant.errors import InputError
from assistant.reports.upkeep import Imported
from assistant.types import Draft, Key, KeyOrigin, Kind, Scope, Status
from memory_store.ledger.access import own, person_of
from memory_store.ledger.database.schema import PRIVATE, EventKind, decisions, entries, events, titles, turns
from memory_store.ledger.entries import insert_entry
from memory_store.ledger.erased_rows import is_erased
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.rows import is_there, sealed
from memory_store.memory.relation import Relation
from memory_store.memory.saving import Saving
from memory_store.transfer.export_format import TYPES, Record, read
from memory_store.transfer.import_checks import checked, refused


class Importing:
    """Imports. Lengths are in characters; `changed` is called afterwards."""

    def __init__(self, ledger: Ledger, changed: Callable[[], None], longest_question: int, longest_text: int) -> None:
        self._ledger = ledger
        self._changed = changed
        self._longest_question = longest_question
        self._longest_text = longest_text

    def __call__(self, lines: Iterable[bytes], scope: Scope) -> Imported:
        """Import the lines of an export, or nothing of it. Raises InputError, and StoreError."""
        accepted = self._accepted(read(lines))
        with self._ledger.write() as connection:
            taking = _Taking(connection, self._ledger, scope, Saving(connection, self._ledger, scope))
            for record in accepted["entry"]:
                taking.entry(record)
            taking.turns(accepted["turn"])
            for record in accepted["title"]:
                taking.title(record)
            for record in accepted["event"]:
                taking.event(record)
        self._changed()
        return Imported(dict(taking.new), dict(taking.known), taking.outdated, taking.counting)

    def _accepted(self, records: Sequence[Record]) -> dict[str, list[Record]]:
        accepted: dict[str, list[Record]] = {name: [] for name in TYPES}
        earlier: set[str] = set()
        for number, record in enumerate(records, start=2):
            try:
                columns = checked(record, self._longest_question, self._longest_text)
                # The newer takes the place of the older, never the other way round.
                if columns.get("supersedes") not in {None, *earlier} or columns.get("id") in earlier:
                    raise ValueError
                earlier |= {columns["id"]} if "id" in columns else set()
                accepted[record["type"]].append(columns)
            except (ValueError, TypeError, KeyError, InputError) as error:
                raise refused(number, error) from None
        return accepted


@dataclass
class _Taking:
    """One import, in its transaction: of each method's rows, those that are not there yet.

    `ids` leads from the ids of the file to those here.
    """

    connection: Connection
    ledger: Ledger
    scope: Scope
    saving: Saving
    ids: dict[str, str] = field(default_factory=dict)
    fresh: set[str] = field(default_factory=set)
    new: Counter[str] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)
    outdated: int = 0
    counting: int = 0

    def entry(self, record: Record) -> None:
        same = (own(entries, self.scope), entries.c.idempotency_key == record["idempotency_key"])
        present = self.connection.execute(select(entries.c.id).where(*same)).scalar()
        if present is None:
            self.ids[record["id"]], present = self._id_for(entries, record["id"])
        if present is not None:
            self.ids[record["id"]] = present
            self.known["entries"] += 1
            return
        row = {name: value for name, value in record.items() if name not in {"id", "keys"}}
        found_under = [Key(key["text"], KeyOrigin(key["origin"])) for key in record["keys"]]
        row |= {"id": self.ids[record["id"]], "owner": person_of(self.scope), "scope": PRIVATE}
        row["turn_id"] = self._turn_id(record["turn_id"])
        row["supersedes"] = None if record["supersedes"] is None else self.ids[record["supersedes"]]
        if record["status"] == Status.ACTIVE and self._is_outdated(record):
            row["status"] = Status.SUPERSEDED.value
            self.outdated += 1
        row["sequence"] = self.ledger.append(self.connection, EventKind.SAVED, row["id"], row["owner"])
        entry = insert_entry(self.connection, row, found_under)
        self.saving.note_forms(entry)
        self.fresh.add(entry.id)
        self.new["entries"] += 1
        self.counting += entry.status is Status.ACTIVE

    def turns(self, records: Sequence[Record]) -> None:
        missing = []
        for record in records:
            self.ids[record["id"]], present = self._id_for(turns, record["id"])
            (self.known if present else self.new)["turns"] += 1
            if not present:
                missing.append(record)
        for record in missing:
            row = {name: value for name, value in record.items() if name != "decisions"}
            row |= {"id": self.ids[record["id"]], "owner": person_of(self.scope)}
            for name in ("answers_again", "clarified_with", "chosen", "corrected_by"):
                row[name] = self.ids.get(record[name])
            for name in ("used", "left_out"):
                row[name] = [self.ids[named] for named in record[name] if named in self.ids]
            row["sequence"] = self.ledger.next_sequence(self.connection)
            self.connection.execute(insert(turns), sealed(row))
            decided = [
                sealed(decision | {"turn_id": row["id"], "rank": rank, "owner": row["owner"], "entry_id": entry_id})
                for rank, decision in enumerate(record["decisions"])
                if (entry_id := self.ids.get(decision["entry_id"])) is not None
            ]
            if decided:
                self.connection.execute(insert(decisions), decided)

    def title(self, record: Record) -> None:
        """The name of a conversation, unless it has one, or there is nothing in it."""
        named, talked = (
            is_there(
                self.connection, table.c.owner, own(table, self.scope), table.c.conversation == record["conversation"]
            )
            for table in (titles, turns)
        )
        if named or not talked:
            self.known["titles"] += 1
            return
        self.connection.execute(insert(titles), sealed({**record, "owner": person_of(self.scope)}))
        self.new["titles"] += 1

    def event(self, record: Record) -> None:
        """What became of an entry in a turn, unless it is noted."""
        entry_id, turn_id = self.ids.get(record["entry_id"]), record["turn_id"]
        if entry_id is None:
            return
        turn_id = None if turn_id is None else self._turn_id(turn_id)
        same = (events.c.entry_id == entry_id, events.c.turn_id == turn_id, events.c.kind == record["kind"])
        if is_there(self.connection, events.c.sequence, *same) or (turn_id is None and entry_id not in self.fresh):
            self.known["events"] += 1
            return
        row = {"kind": record["kind"], "entry_id": entry_id, "turn_id": turn_id, "created": record["created"]}
        row |= {"owner": person_of(self.scope), "sequence": self.ledger.next_sequence(self.connection)}
        self.connection.execute(insert(events), sealed(row))
        self.new["events"] += 1

    def _id_for(self, table: Table, wanted: str) -> tuple[str, str | None]:
        """The id here for an id of the file, and the same again where the person has it already.

        It is the same id, unless somebody else has that, or it was erased: then another one that comes of it.
        """
        candidate, attempt = wanted, 0
        while True:
            owner = self.connection.execute(select(table.c.owner).where(table.c.id == candidate)).scalar()
            if owner == person_of(self.scope):
                return candidate, candidate
            if owner is None and not is_erased(self.connection, [candidate], [candidate]):
                return candidate, None
            attempt += 1
            named = f"{person_of(self.scope)}\0{wanted}\0{attempt}".encode()
            candidate = str(uuid.UUID(bytes=hmac.new(self.ledger.secret(), named, hashlib.sha256).digest()[:16]))

    def _turn_id(self, wanted: str) -> str:
        """The id here for a turn of the file, whether the file holds the turn or only what came of it."""
        if wanted and wanted not in self.ids:
            self.ids[wanted], _ = self._id_for(turns, wanted)
        return self.ids.get(wanted, "")

    def _is_outdated(self, record: Record) -> bool:
        """Whether an entry that was here before, and counts, is about the same: what is here stands."""
        misunderstood = record["wrong_understanding"]
        said = Draft(Kind(record["kind"]), record["question"], record["text"], "", wrong_understanding=misunderstood)
        return not self.fresh.issuperset(self.saving.related(said).all(Relation.REPLACED, Relation.DUPLICATE))
