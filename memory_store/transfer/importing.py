"""Import the lines of an export as the importing user's own, whatever owner the file names.

All lines are validated before the first is written, in batches that hold the writer's lock only briefly. Importing is
idempotent: a stopped import continues when the same file is imported again. Nothing becomes shared.
"""

import hashlib
import hmac
import time
import uuid
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Table, func, insert, select

from assistant.errors import InputError, TooManyEntries
from assistant.reports.upkeep import Imported
from assistant.types import Key, KeyOrigin, Scope, Status
from memory_store.ledger.access import belongs_to, require_user
from memory_store.ledger.database.schema import PRIVATE, EventKind, decisions, entries, events, forms, titles, turns
from memory_store.ledger.entries import ACTIVE, insert_entries, parse_content
from memory_store.ledger.erased_rows import find_erased, record_prompt_entries
from memory_store.ledger.ledger import LAST_EVENT, Ledger
from memory_store.ledger.rows import read_rows_with, row_exists
from memory_store.memory.related import find_related
from memory_store.memory.relation import Relation, hash_fingerprints
from memory_store.transfer.export_format import TYPES, Record, read_records
from memory_store.transfer.import_checks import check_lines

_LOCK_SECONDS = 0.025  # target time that a batch holds the writer's lock; commit and load may double it
_PAUSE = 0.11  # seconds between batches: SQLite retries for the lock every tenth of a second
_LEAST, _MOST = 20, 400  # records per batch
_ERASURES = [EventKind.ERASED.value, EventKind.TURN_ERASED.value]


def import_lines(
    ledger: Ledger, changed: Callable[[], None], most: int, lines: Iterable[bytes], scope: Scope
) -> Iterator[Imported]:
    """Import the lines of an export; yield the progress before the first batch and after each.

    Closing the iterator stops the import. `changed` is called at the end in any case. Raises InputError (before
    anything is written, or if the user erases imported data meanwhile), TooManyEntries beyond `most`, and StoreError.
    """
    records: dict[str, list[Record]] = {kind: [] for kind in TYPES}
    for kind, columns in check_lines(read_records(lines), ledger.kinds):
        records[kind].append(columns)
    work = _ImportRun(ledger, scope, most, records)
    work.begin()
    yield work.progress
    try:
        for kind in TYPES:
            yield from work.write_all(kind)
    finally:
        changed()


@dataclass
class _ImportRun:
    """Import of one file; each batch is compared with the ledger and written in one transaction."""

    ledger: Ledger
    scope: Scope
    most: int
    records: Mapping[str, Sequence[Record]]
    _ids: dict[str, str] = field(default_factory=dict)  # ids in the file to ids in this ledger
    _new: Counter[str] = field(default_factory=Counter)
    _known: Counter[str] = field(default_factory=Counter)
    _of_entries: Counter[str] = field(default_factory=lambda: Counter(outdated=0, counting=0, dropped=0))
    _size: int = _LEAST
    _seen: int = 0  # sequence number up to which erasures are known

    def __post_init__(self) -> None:
        self._owner = require_user(self.scope)

    @property
    def progress(self) -> Imported:
        """Return the progress."""
        done, of = self._new.total() + self._known.total(), sum(map(len, self.records.values()))
        return Imported(dict(+self._new), dict(+self._known), done=done, of=of, **self._of_entries)

    def begin(self) -> None:
        """Choose ids in this ledger for all rows of the file. Raises TooManyEntries if the new entries do not fit."""
        named = [record["turn_id"] for kind in ("entry", "event") for record in self.records[kind]]
        with self.ledger.read() as connection:
            self._seen = connection.execute(LAST_EVENT).scalar_one()
            self._find_ids(connection, turns, {*named, *(turn["id"] for turn in self.records["turn"])} - {"", None})
            self._require_room(connection, len(self._new_entries(connection, self.records["entry"])))

    def write_all(self, kind: str) -> Iterator[Imported]:
        """Write the records of one type in batches."""
        writes = {"entry": self._entries, "turn": self._turns, "title": self._titles, "event": self._events}
        name = {"entry": "entries"}.get(kind, f"{kind}s")
        place = 0
        while some := self.records[kind][place : place + self._size]:
            place += len(some)
            with self.ledger.write() as connection:
                began = time.perf_counter()
                self._require_not_forgotten(connection)
                new = writes[kind](connection, some)
                self._seen = connection.execute(LAST_EVENT).scalar_one()
            # Adapt the batch size to the target time.
            fitting = int(self._size * min(2.0, _LOCK_SECONDS / max(time.perf_counter() - began, 1e-6)))
            self._size = max(_LEAST, min(_MOST, fitting))
            self._new[name] += new
            self._known[name] += len(some) - new
            yield self.progress
            time.sleep(_PAUSE)

    def _require_not_forgotten(self, connection: Connection) -> None:
        since = (events.c.sequence > self._seen, events.c.kind.in_(_ERASURES))
        erased = connection.execute(select(events.c.entry_id, events.c.turn_id).where(*since)).all()
        if erased and not {name for row in erased for name in row}.isdisjoint(self._ids.values()):
            raise InputError("import.forgotten_meanwhile")

    def _require_room(self, connection: Connection, new: int) -> None:
        mine = select(func.count()).select_from(entries).where(belongs_to(entries, self.scope))
        if new and connection.execute(mine).scalar_one() + new > self.most:
            raise TooManyEntries(self.most)

    def _find_ids(self, connection: Connection, table: Table, wanted: Collection[str]) -> set[str]:
        """Choose ids in this ledger for ids in the file; return those of the file that are new here.

        An id stays the same, unless another user has it or it was erased; then a new one is derived from it.
        """
        found = read_rows_with(connection, select(table.c.id, table.c.owner), table.c.id, wanted)
        owners = {row.id: row.owner for row in found}
        erased = find_erased(connection, wanted)
        new = set()
        for name in wanted:
            here, owner, attempt = name, owners.get(name), 0
            while owner != self._owner and (owner is not None or here in erased):
                attempt += 1
                seed = f"{self._owner}\0{name}\0{attempt}".encode()
                here = str(uuid.UUID(bytes=hmac.new(self.ledger.secret(), seed, hashlib.sha256).digest()[:16]))
                owner = connection.execute(select(table.c.owner).where(table.c.id == here)).scalar()
                erased |= find_erased(connection, [here])
            self._ids[name] = here
            if owner is None:
                new.add(name)
        return new

    def _new_entries(self, connection: Connection, some: Sequence[Record]) -> dict[str, str]:
        """Return the idempotency keys of new entries, by their ids in the file.

        The key is the one that saving would give, made unique if another entry has it.
        """
        new = {}
        unknown = self._find_ids(connection, entries, [record["id"] for record in some])
        for record in (each for each in some if each["id"] in unknown):
            said = parse_content(record, self.ledger.kinds)
            asked = self._ids.get(record["turn_id"]) or said.question
            new[record["id"]] = said.kind.idempotency_key(asked, said.body)
        query = select(entries.c.idempotency_key).where(belongs_to(entries, self.scope))
        taken = {row[0] for row in read_rows_with(connection, query, entries.c.idempotency_key, new.values())}
        for name, key in new.items():
            new[name] = f"{key}:{self._ids[name]}" if key in taken else key
            taken.add(key)
        return new

    def _entries(self, connection: Connection, some: Sequence[Record]) -> int:
        keys = self._new_entries(connection, some)
        self._require_room(connection, len(keys))
        counting = select(func.count()).select_from(entries).where(belongs_to(entries, self.scope), ACTIVE)
        # Entries of the file fit together; compare only with other active entries.
        is_alone = connection.execute(counting).scalar_one() == self._of_entries["counting"]
        of_file = {self._ids[each["id"]] for each in self.records["entry"] if each["status"] == Status.ACTIVE}
        prepared, said = [], []
        for record in (each for each in some if each["id"] in keys):
            row = self._entry(record) | {"idempotency_key": keys[record["id"]]}
            content = parse_content(row, self.ledger.kinds)
            if row["status"] == Status.ACTIVE and not is_alone:
                related = find_related(connection, self.scope, content, besides=of_file)
                if related.all(Relation.REPLACED, Relation.DUPLICATE):  # the user's existing entry wins
                    row["status"] = Status.SUPERSEDED.value
                    self._of_entries["outdated"] += 1
            found_under = [Key(key["text"], KeyOrigin(key["origin"])) for key in record["keys"]]
            prepared.append((row, found_under))
            said += [{"entry_id": row["id"], "owner": self._owner, "form": form} for form in hash_fingerprints(content)]
            self._of_entries["counting"] += row["status"] == Status.ACTIVE
            self._of_entries["dropped"] += record["dropped"]
        if prepared:
            insert_entries(connection, self.ledger, prepared, self._owner)
            connection.execute(insert(forms), said)
        return len(prepared)

    def _entry(self, record: Record) -> Record:
        row = {name: value for name, value in record.items() if name not in {"keys", "dropped"}}
        row |= {"id": self._ids[record["id"]], "owner": self._owner, "scope": PRIVATE}
        row["turn_id"] = self._ids.get(record["turn_id"], "")
        row["supersedes"] = self._ids.get(record["supersedes"])
        named = {name: row["body"][name] for name in ("apart", "in_view", "replaced") if name in row["body"]}
        row["body"] = {**row["body"], **self._replace_ids(named)}
        return row

    def _replace_ids(self, content: Any) -> Any:
        """Replace the file's ids in a value by those of this ledger."""
        if isinstance(content, Mapping):
            return {name: self._replace_ids(value) for name, value in content.items()}
        if isinstance(content, list | tuple):
            return [self._replace_ids(value) for value in content]
        return self._ids.get(content, content) if isinstance(content, str) else content

    def _turns(self, connection: Connection, some: Sequence[Record]) -> int:
        new = self._find_ids(connection, turns, [record["id"] for record in some])
        rows, decided = [], []
        for record in (each for each in some if each["id"] in new):
            row = {name: value for name, value in record.items() if name != "decisions"}
            row |= {"id": self._ids[record["id"]], "owner": self._owner}
            for name in ("answers_again", "clarified_with", "chosen", "corrected_by"):
                row[name] = self._ids.get(record[name])
            for name in ("used", "left_out"):
                row[name] = [self._ids[named] for named in record[name] if named in self._ids]
            row["trace"] = self._replace_ids(record["trace"])
            rows.append(row)
            about = [decision for decision in record["decisions"] if decision["entry_id"] in self._ids]
            for rank, decision in enumerate(about):
                whose = {"turn_id": row["id"], "rank": rank, "owner": self._owner}
                decided.append(decision | whose | {"entry_id": self._ids[decision["entry_id"]]})
        self._insert_numbered(connection, turns, rows)
        if decided:
            connection.execute(insert(decisions), decided)
        for row in rows:
            in_view = (row["trace"] or {}).get("in_view", ())
            mine = select(entries.c.id).where(belongs_to(entries, self.scope))
            here = {entry.id for entry in read_rows_with(connection, mine, entries.c.id, in_view)}
            record_prompt_entries(connection, row["id"], self._owner, here)
        return len(rows)

    def _titles(self, connection: Connection, some: Sequence[Record]) -> int:
        """Insert titles for conversations that have turns and no title yet."""
        new = []
        for name, record in {record["conversation"]: record for record in some}.items():
            is_talked = row_exists(connection, turns.c.id, belongs_to(turns, self.scope), turns.c.conversation == name)
            is_named = row_exists(
                connection, titles.c.title, belongs_to(titles, self.scope), titles.c.conversation == name
            )
            if is_talked and not is_named:
                new.append({**record, "owner": self._owner})
        if new:
            connection.execute(insert(titles), new)
        return len(new)

    def _events(self, connection: Connection, some: Sequence[Record]) -> int:
        """Insert the reactions to entries that are not recorded yet."""
        here = [self._ids[record["entry_id"]] for record in some if record["entry_id"] in self._ids]
        query = select(events.c.entry_id, events.c.turn_id, events.c.kind, events.c.created)
        recorded = {
            _event_identity(row._asdict()) for row in read_rows_with(connection, query, events.c.entry_id, here)
        }
        new = []
        for record in (each for each in some if each["entry_id"] in self._ids):
            named = {name: self._ids.get(record[name]) for name in ("entry_id", "turn_id")}
            row = {**record, **named, "owner": self._owner}
            if _event_identity(row) not in recorded:
                recorded.add(_event_identity(row))
                new.append(row)
        self._insert_numbered(connection, events, new)
        return len(new)

    def _insert_numbered(self, connection: Connection, table: Table, new: Sequence[Record]) -> None:
        numbers = self.ledger.next_sequences(connection, len(new))
        if new:
            rows = [{**row, "sequence": number} for row, number in zip(new, numbers, strict=True)]
            connection.execute(insert(table), rows)


def _event_identity(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the identity of an event: once per turn, or its time if there is no turn."""
    return row["entry_id"], row["turn_id"], row["kind"], row["created"] if row["turn_id"] is None else ""
