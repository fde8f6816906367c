"""Import the memories in an export as the importing user's own, whatever owner the file names; and load a host's seed.

An export also holds conversations and their titles; an import leaves them out. All lines are validated before the first
is written, in batches that hold the writer's lock only briefly. Importing is idempotent: a stopped import continues
when the same file is imported again. Nothing becomes shared.

A seed is an export with clarifications for everyone. They are stored like accepted shared copies, without an offer, so
that no user can change them. A start with another file replaces them.
"""

import hashlib
import time
import uuid
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path

import sqlalchemy as sa

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
    entries,
    events,
    forms,
    turns,
)
from memory_store.ledger.entries import insert_entries, parse_content, save_entry
from memory_store.ledger.erased_rows import erase_entries, find_erased, record_erasure
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.rows import IDS, read_rows
from memory_store.memory.relation import Relation, find_related, hash_fingerprints
from memory_store.transfer.export_format import Record, check_lines, read_records

_BATCH = 50  # entries per transaction, which then takes some hundredths of a second
_PAUSE = 0.11  # seconds between batches: SQLite retries for the lock every tenth of a second
_SEED = "seed:"


def import_lines(
    ledger: Ledger, changed: Callable[[], None], most: int | None, lines: Iterable[bytes], scope: Scope
) -> Iterator[Imported]:
    """Import the entries of an export with their feedback; yield the progress before the first batch and after each.

    Closing the iterator stops the import. `changed` is called at the end in any case. Raises InputError (before
    anything is written, or if the user erases imported data meanwhile), InputError beyond `most`, and StoreError.
    """
    work = _Import(ledger, scope, most, lines)
    yield work.progress()
    try:
        for start in range(0, len(work.entries), _BATCH):
            work.write_batch(work.entries[start : start + _BATCH])
            yield work.progress()
            time.sleep(_PAUSE)
    finally:
        changed()


class _Import:
    """Import of one file; each batch is compared with the ledger and written in one transaction."""

    def __init__(self, ledger: Ledger, scope: Scope, most: int | None, lines: Iterable[bytes]) -> None:
        """Check the file, and choose ids in this ledger for its rows. Raises as `import_lines`."""
        self._ledger, self._scope, self._most, self._owner = ledger, scope, most, require_user(scope)
        checked = [*check_lines(read_records(lines), ledger.kinds)]
        self.entries, self._events = ([row for kind, row in checked if kind == name] for name in ("entry", "event"))
        self._counts = Counter[str]()  # of entries, by the fields of `Imported`
        self._ids: dict[str, str] = {}  # ids in the file to ids in this ledger
        named = {record["turn_id"] for record in (*self.entries, *self._events)}
        with ledger.read() as connection:
            self._seen = connection.execute(sa.select(counters.c.sequence)).scalar_one()  # erasures are known so far
            self._find_ids(connection, turns, named - {"", None})
            self._require_room(connection, self._find_ids(connection, entries, [each["id"] for each in self.entries]))

    def progress(self) -> Imported:
        new, known = ({"entries": self._counts[name]} if self._counts[name] else {} for name in ("new", "known"))
        rest = {name: self._counts[name] for name in ("outdated", "counting", "dropped")}
        return Imported(new, known, done=self._counts["new"] + self._counts["known"], of=len(self.entries), **rest)

    def write_batch(self, some: Sequence[Record]) -> None:
        """Write some entries with their events in one transaction."""
        with self._ledger.write() as connection:
            since = (events.c.sequence > self._seen, events.c.kind == EventKind.ERASED.value)
            erased = connection.scalars(sa.select(events.c.entry_id).where(*since)).all()
            if not set(erased).isdisjoint(self._ids.values()):
                raise InputError("import.forgotten_meanwhile")
            ids = self._find_ids(connection, entries, [record["id"] for record in some])
            self._require_room(connection, ids)
            self._insert_entries(connection, [record for record in some if record["id"] in ids])
            self._insert_events(connection, [event for event in self._events if event["entry_id"] in ids])
            self._seen = connection.execute(sa.select(counters.c.sequence)).scalar_one()
        self._counts.update(new=len(ids), known=len(some) - len(ids))

    def _require_room(self, connection: sa.Connection, new: Collection[str]) -> None:
        mine = sa.select(sa.func.count()).select_from(entries).where(belongs_to(entries, self._scope))
        if new and self._most and connection.execute(mine).scalar_one() + len(new) > self._most:
            raise InputError("entry.too_many", most=self._most)

    def _find_ids(self, connection: sa.Connection, table: sa.Table, wanted: Collection[str]) -> set[str]:
        """Choose ids in this ledger for ids in the file; return those of the file that are new here.

        An id stays the same, unless another user has it or it was erased; then a new id is derived from it.
        """
        new, undecided, attempt = set(), {name: name for name in wanted}, 0
        while undecided:
            query = sa.select(table.c.id, table.c.owner).where(table.c.id.in_(IDS))
            owners = dict(map(tuple, read_rows(connection, query, undecided.values())))
            erased = find_erased(connection, undecided.values())
            attempt += 1
            for name, here in tuple(undecided.items()):
                if here in erased or owners.get(here, self._owner) != self._owner:
                    seed = f"{self._owner}\0{name}\0{attempt}"
                    undecided[name] = str(uuid.UUID(bytes=self._ledger.secret_for(seed)[:16]))
                    continue
                self._ids[name] = undecided.pop(name)
                if here not in owners:
                    new.add(name)
        return new

    def _insert_entries(self, connection: sa.Connection, new: Sequence[Record]) -> None:
        """Insert new entries. Entries of the file fit together; they are compared only with other active ones."""
        of_file = {self._ids[each["id"]] for each in self.entries if each["status"] == Status.ACTIVE}
        rows, digests = list[Record](), list[Record]()
        for record in new:
            row = self._entry_row(record)
            content = parse_content(row, self._ledger.kinds)
            if row["status"] == Status.ACTIVE:
                related = find_related(connection, self._scope, content).all(Relation.REPLACED, Relation.DUPLICATE)
                is_outdated = not of_file.issuperset(related)  # the existing entry wins
                row["status"] = (Status.SUPERSEDED if is_outdated else Status.ACTIVE).value
                self._counts["outdated" if is_outdated else "counting"] += 1
            self._counts["dropped"] += row.pop("dropped")
            rows.append(row)
            named = {"entry_id": row["id"], "owner": self._owner}
            digests += [{**named, "form": form} for form in hash_fingerprints(content)]
        if rows:
            insert_entries(connection, rows, self._owner)
            connection.execute(sa.insert(forms), digests)

    def _entry_row(self, record: Record) -> Record:
        here = self._ids[record["id"]]
        # The idempotency key of the file could block a later save.
        row = {**record, "id": here, "owner": self._owner, "scope": PRIVATE, "idempotency_key": f"import:{here}"}
        row |= {"turn_id": self._ids.get(record["turn_id"], ""), "supersedes": self._ids.get(record["supersedes"])}
        body = dict(record["body"])
        for name in {"apart", "in_view", "replaced"} & body.keys():
            body[name] = [self._ids.get(named, named) for named in body[name]]
        return {**row, "body": body}

    def _insert_events(self, connection: sa.Connection, some: Iterable[Record]) -> None:
        """Insert the events of new entries: each once per turn, or per time if there is no turn."""
        new = dict[tuple[str, ...], Record]()
        for event in some:
            entry_id, turn_id = self._ids[event["entry_id"]], self._ids.get(event["turn_id"])
            row = {**event, "entry_id": entry_id, "turn_id": turn_id, "owner": self._owner}
            new.setdefault((entry_id, event["kind"], turn_id or event["created"]), row)
        numbers = self._ledger.next_sequences(connection, len(new))
        if rows := [{**row, "sequence": number} for row, number in zip(new.values(), numbers, strict=True)]:
            connection.execute(sa.insert(events), rows)


def load_seed(ledger: Ledger, file: Path | None) -> None:
    """Load the seed of a file that changed since the last start, replacing the earlier seed; without a file, remove it.

    Raises SettingsError if the file cannot be read or is not a seed, and StoreError.
    """
    try:
        content = file.read_bytes() if file else b""
        name = f"{_SEED}{hashlib.sha256(content).hexdigest()}:" if file else _SEED
        seeds = sa.select(entries.c.id, entries.c.idempotency_key)
        seeds = seeds.where(entries.c.owner == NOBODY, entries.c.idempotency_key.startswith(_SEED))
        with ledger.read() as connection:
            present = connection.execute(seeds).all()
        if bool(present) == bool(file) and all(row.idempotency_key.startswith(name) for row in present):
            return
        drafts = _read_seed(content, name, ledger.kinds) if file else []
    except OSError as error:
        raise SettingsError(f"NOTED_SEED cannot be read: there is no file {file}, or it is not yours.") from error
    except InputError as error:
        raise SettingsError(f"NOTED_SEED cannot be used. {error}") from error
    with ledger.write() as connection:
        if gone := connection.scalars(seeds).all():
            line = {"id": str(uuid.uuid4()), "at": ledger.now()}
            record_erasure(connection, line, erase_entries(connection, gone))
        for draft in drafts:
            save_entry(connection, draft, NOBODY, draft.further_keys, scope=SHARED)


def _read_seed(content: bytes, name: str, kinds: Kinds) -> list[NewEntry]:
    """Return the active clarifications of an export, with all keys; their idempotency keys begin with `name`."""
    drafts = list[NewEntry]()
    for kind, record in check_lines(read_records([content]), kinds):
        if kind == "entry" and (record["kind"], record["status"]) == (CLARIFICATION.name, Status.ACTIVE):
            keys = tuple(Key(key["text"], KeyOrigin(key["origin"])) for key in record["found_under"])
            body, key = Clarification.model_validate(record["body"]), f"{name}{len(drafts)}"
            drafts.append(NewEntry(CLARIFICATION, record["question"], body, key, model=SEED, further_keys=keys))
    return drafts
