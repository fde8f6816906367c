"""Import the lines of an export as the importing user's own, whatever owner the file names; and load a host's seed.

All lines are validated before the first is written, in batches that hold the writer's lock only briefly. Importing is
idempotent: a stopped import continues when the same file is imported again. Nothing becomes shared.

A seed is an export with clarifications for everyone. They are stored like accepted shared copies, without an offer, so
that no user can change them. A start with another file replaces them.
"""

import hashlib
import time
import uuid
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, func, insert, select

from assistant.errors import InputError, SettingsError
from assistant.kinds import CLARIFICATION, Clarification, Kinds
from assistant.reports.upkeep import Imported
from assistant.types import SEED, Key, KeyOrigin, NewEntry, Scope, Status
from memory_store.ledger.access import belongs_to, require_user
from memory_store.ledger.database.schema import (
    NOBODY,
    PRIVATE,
    SHARED,
    EventKind,
    counters,
    decisions,
    entries,
    events,
    forms,
    titles,
    turns,
)
from memory_store.ledger.entries import insert_entries, parse_content, save_entry
from memory_store.ledger.erased_rows import erase_entries, find_erased, record_erasure, record_prompt_entries
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.rows import read_rows
from memory_store.memory.relation import Relation, find_related, hash_fingerprints
from memory_store.transfer.export_format import TYPES, Record, read_records
from memory_store.transfer.import_checks import check_lines

_BATCH = 50  # records per transaction, which then takes some hundredths of a second
_PAUSE = 0.11  # seconds between batches: SQLite retries for the lock every tenth of a second
_SEED = "seed:"
_ERASURES = [EventKind.ERASED.value, EventKind.TURN_ERASED.value]


def import_lines(
    ledger: Ledger, changed: Callable[[], None], most: int | None, lines: Iterable[bytes], scope: Scope
) -> Iterator[Imported]:
    """Import the lines of an export; yield the progress before the first batch and after each.

    Closing the iterator stops the import. `changed` is called at the end in any case. Raises InputError (before
    anything is written, or if the user erases imported data meanwhile), InputError beyond `most`, and StoreError.
    """
    records: dict[str, list[Record]] = {kind: [] for kind in TYPES}
    for kind, columns in check_lines(read_records(lines), ledger.kinds):
        records[kind].append(columns)
    work = _ImportRun(ledger, scope, most, records)
    work.begin()
    yield work.progress
    try:
        for kind in TYPES:
            for start in range(0, len(records[kind]), _BATCH):
                work.write_batch(kind, records[kind][start : start + _BATCH])
                yield work.progress
                time.sleep(_PAUSE)
    finally:
        changed()


@dataclass
class _ImportRun:
    """Import of one file; each batch is compared with the ledger and written in one transaction."""

    ledger: Ledger
    scope: Scope
    most: int | None
    records: Mapping[str, Sequence[Record]]
    _ids: dict[str, str] = field(default_factory=dict)  # ids in the file to ids in this ledger
    _new: Counter[str] = field(default_factory=Counter)
    _known: Counter[str] = field(default_factory=Counter)
    _of_entries: Counter[str] = field(default_factory=lambda: Counter(outdated=0, counting=0, dropped=0))
    _seen: int = 0  # sequence number up to which erasures are known

    def __post_init__(self) -> None:
        self._owner = require_user(self.scope)

    @property
    def progress(self) -> Imported:
        done, of = self._new.total() + self._known.total(), sum(map(len, self.records.values()))
        return Imported(dict(+self._new), dict(+self._known), done=done, of=of, **self._of_entries)

    def begin(self) -> None:
        """Choose ids in this ledger for all rows of the file. Raises InputError if the new entries do not fit."""
        named = {record["turn_id"] for kind in ("entry", "event") for record in self.records[kind]}
        with self.ledger.read() as connection:
            self._seen = connection.execute(select(counters.c.sequence)).scalar_one()
            self._find_ids(connection, turns, {*named, *(turn["id"] for turn in self.records["turn"])} - {"", None})
            new = self._find_ids(connection, entries, {entry["id"] for entry in self.records["entry"]})
            self._require_room(connection, len(new))

    def write_batch(self, kind: str, some: Sequence[Record]) -> None:
        """Write some records of one type in one transaction."""
        writes = {"entry": self._entries, "turn": self._turns, "title": self._titles, "event": self._events}
        with self.ledger.write() as connection:
            self._require_not_forgotten(connection)
            new = writes[kind](connection, some)
            self._seen = connection.execute(select(counters.c.sequence)).scalar_one()
        name = {"entry": "entries"}.get(kind, f"{kind}s")
        self._new[name] += new
        self._known[name] += len(some) - new

    def _require_not_forgotten(self, connection: Connection) -> None:
        since = (events.c.sequence > self._seen, events.c.kind.in_(_ERASURES))
        erased = connection.execute(select(events.c.entry_id, events.c.turn_id).where(*since)).all()
        if erased and not {name for row in erased for name in row}.isdisjoint(self._ids.values()):
            raise InputError("import.forgotten_meanwhile")

    def _require_room(self, connection: Connection, new: int) -> None:
        mine = select(func.count()).select_from(entries).where(belongs_to(entries, self.scope))
        if new and self.most and connection.execute(mine).scalar_one() + new > self.most:
            raise InputError("entry.too_many", most=self.most)

    def _find_ids(self, connection: Connection, table: Table, wanted: Collection[str]) -> set[str]:
        """Choose ids in this ledger for ids in the file; return those of the file that are new here.

        An id stays the same, unless another user has it or it was erased; then a new one is derived from it.
        """
        new, undecided, attempt = set(), {name: name for name in wanted}, 0
        while undecided:
            query = select(table.c.id, table.c.owner)
            owners = dict(map(tuple, read_rows(connection, query, table.c.id, undecided.values())))
            erased = find_erased(connection, undecided.values())
            attempt += 1
            for name, here in tuple(undecided.items()):
                if here in erased or owners.get(here, self._owner) != self._owner:
                    seed = f"{self._owner}\0{name}\0{attempt}"
                    undecided[name] = str(uuid.UUID(bytes=self.ledger.secret_for(seed)[:16]))
                    continue
                self._ids[name] = undecided.pop(name)
                if here not in owners:
                    new.add(name)
        return new

    def _entries(self, connection: Connection, some: Sequence[Record]) -> int:
        """Insert new entries. Entries of the file fit together; they are compared only with other active ones."""
        new = self._find_ids(connection, entries, [record["id"] for record in some])
        self._require_room(connection, len(new))
        of_file = {self._ids[each["id"]] for each in self.records["entry"] if each["status"] == Status.ACTIVE}
        prepared, digests = [], list[Record]()
        for record in (each for each in some if each["id"] in new):
            row = self._entry_row(record)
            content = parse_content(row, self.ledger.kinds)
            if row["status"] == Status.ACTIVE:
                related = find_related(connection, self.scope, content).all(Relation.REPLACED, Relation.DUPLICATE)
                is_outdated = not of_file.issuperset(related)  # the existing entry wins
                row["status"] = (Status.SUPERSEDED if is_outdated else Status.ACTIVE).value
                self._of_entries["outdated" if is_outdated else "counting"] += 1
            self._of_entries["dropped"] += record["dropped"]
            prepared.append(row)
            named = {"entry_id": row["id"], "owner": self._owner}
            digests += [{**named, "form": form} for form in hash_fingerprints(content)]
        if prepared:
            insert_entries(connection, self.ledger, prepared, self._owner)
            connection.execute(insert(forms), digests)
        return len(prepared)

    def _entry_row(self, record: Record) -> Record:
        row = {name: value for name, value in record.items() if name not in {"keys", "dropped"}}
        row |= {"id": self._ids[record["id"]], "owner": self._owner, "scope": PRIVATE}
        row |= {"turn_id": self._ids.get(record["turn_id"], ""), "supersedes": self._ids.get(record["supersedes"])}
        row["found_under"] = [{name: key[name] for name in ("text", "origin")} for key in record["keys"]]
        row["idempotency_key"] = f"import:{row['id']}"  # the file's own could block a later save
        named = {name: row["body"][name] for name in ("apart", "in_view", "replaced") if name in row["body"]}
        row["body"] = {**row["body"], **self._replace_ids(named)}
        return row

    def _replace_ids(self, content: Any) -> Any:
        if isinstance(content, Mapping):
            return {name: self._replace_ids(value) for name, value in content.items()}
        if isinstance(content, list | tuple):
            return [self._replace_ids(value) for value in content]
        return self._ids.get(content, content) if isinstance(content, str) else content

    def _turns(self, connection: Connection, some: Sequence[Record]) -> int:
        new = self._find_ids(connection, turns, [record["id"] for record in some])
        mine = select(entries.c.id).where(belongs_to(entries, self.scope))
        rows, decided = [], list[Record]()
        for record in (each for each in some if each["id"] in new):
            row = {**record, "id": self._ids[record["id"]], "owner": self._owner}
            for name in ("answers_again", "clarified_with", "chosen", "corrected_by"):
                row[name] = self._ids.get(record[name])
            for name in ("used", "left_out"):
                row[name] = [self._ids[named] for named in record[name] if named in self._ids]
            row["trace"] = self._replace_ids(record["trace"])
            about = [decision for decision in row.pop("decisions") if decision["entry_id"] in self._ids]
            for rank, decision in enumerate(about):
                named = {"turn_id": row["id"], "entry_id": self._ids[decision["entry_id"]]}
                decided.append({**decision, **named, "rank": rank, "owner": self._owner})
            rows.append(row)
        self._insert_numbered(connection, turns, rows)
        if decided:
            connection.execute(insert(decisions), decided)
        for row in rows:
            in_view = (row["trace"] or {}).get("in_view", ())
            here = {entry.id for entry in read_rows(connection, mine, entries.c.id, in_view)}
            record_prompt_entries(connection, row["id"], self._owner, here)
        return len(rows)

    def _titles(self, connection: Connection, some: Sequence[Record]) -> int:
        """Insert titles for conversations that have turns and no title yet."""
        named = {record["conversation"]: record for record in some}
        talked, titled = (
            {row[0] for row in read_rows(connection, query, table.c.conversation, named)}
            for table in (turns, titles)
            for query in [select(table.c.conversation).where(belongs_to(table, self.scope)).distinct()]
        )
        if new := [{**named[name], "owner": self._owner} for name in talked - titled]:
            connection.execute(insert(titles), new)
        return len(new)

    def _events(self, connection: Connection, some: Sequence[Record]) -> int:
        about = [record for record in some if record["entry_id"] in self._ids]
        here = [self._ids[record["entry_id"]] for record in about]
        query = select(events.c.entry_id, events.c.turn_id, events.c.kind, events.c.created)
        recorded = {_event_identity(row._asdict()) for row in read_rows(connection, query, events.c.entry_id, here)}
        new = []
        for record in about:
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


def load_seed(ledger: Ledger, file: Path | None) -> None:
    """Replace the seed in a ledger by that of a file that changed since the last start, or by nothing without one.

    Raises SettingsError if the file cannot be read or is not a seed, and StoreError.
    """
    try:
        content = file.read_bytes() if file else b""
        name = f"{_SEED}{hashlib.sha256(content).hexdigest()}:" if file else _SEED
        seeds = select(entries.c.id).where(entries.c.owner == NOBODY, entries.c.idempotency_key.startswith(_SEED))
        with ledger.read() as connection:
            has_other = connection.scalars(seeds.where(~entries.c.idempotency_key.startswith(name))).first()
            if not has_other and (not file or connection.scalars(seeds).first()):
                return
        drafts = _read_seed(content, name, ledger.kinds) if file else []
    except OSError as error:
        raise SettingsError(f"NOTED_SEED cannot be read: there is no file {file}, or it is not yours.") from error
    except InputError as error:
        raise SettingsError(f"NOTED_SEED cannot be used. {error}") from error
    with ledger.write() as connection:
        if gone := connection.scalars(seeds).all():
            line = {"id": str(uuid.uuid4()), "at": ledger.now()}
            record_erasure(connection, line, erase_entries(connection, ledger, gone))
        for draft in drafts:
            save_entry(connection, ledger, draft, NOBODY, draft.further_keys, scope=SHARED)


def _read_seed(content: bytes, name: str, kinds: Kinds) -> list[NewEntry]:
    """Return the active clarifications of an export, with all keys; their idempotency keys begin with `name`."""
    drafts = []
    for kind, record in check_lines(read_records([content]), kinds):
        if kind != "entry":
            raise SettingsError("NOTED_SEED cannot be used. A seed holds entries only; remove the conversations.")
        if record["kind"] == CLARIFICATION.name and record["status"] == Status.ACTIVE:
            keys = tuple(Key(key["text"], KeyOrigin(key["origin"])) for key in record["keys"])
            body, key = Clarification.model_validate(record["body"]), f"{name}{len(drafts)}"
            drafts.append(NewEntry(CLARIFICATION, record["question"], body, key, model=SEED, further_keys=keys))
    return drafts
