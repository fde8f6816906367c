"""Takes in the lines of an export: into the memory of the one who asks, whatever the file says.

Everything is checked before anything is written. What is new is found and compared by reading alone, then written in
batches that hold the writer's lock for a moment each, so that others who save get their turn; whoever stops in between
can import the same file again, and goes on. Nothing becomes shared, and the same file twice is the same as once.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from sqlalchemy import Connection, Table, func, insert, select

from assistant.errors import InputError, StoreError, TooManyEntries
from assistant.kinds import Kinds
from assistant.reports.upkeep import Imported
from assistant.types import Scope, utc_now
from memory_store.ledger.access import own, person_of
from memory_store.ledger.database.schema import EventKind, decisions, entries, events, forms, titles, turns
from memory_store.ledger.entries import insert_prepared
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.provenance import keep_undecided
from memory_store.ledger.rows import rows_with
from memory_store.transfer.comparing import Comparing
from memory_store.transfer.export_format import TYPES, Record, read
from memory_store.transfer.import_checks import checked, refused

_LOCK_SECONDS = 0.025  # for which a batch should hold the writer's lock; the commit, and other work, may double it
_PAUSE = 0.11  # seconds between two batches: SQLite looks every tenth of a second whether the lock is free
_FIRST, _LEAST, _MOST = 20, 4, 400  # records of a batch
_MOST_TRIES = 20

_ERASURES = {EventKind.ERASED.value, EventKind.TURN_ERASED.value}

Accepted = dict[str, list[Record]]


class ForgottenMeanwhile(InputError):
    code = "import.forgotten_meanwhile"


class _Changed(Exception):
    """What was compared is no longer as it was."""


@dataclass(frozen=True, slots=True)
class Importing:
    """Imports, `most` entries of a person at most. `changed` is called afterwards, however it ended."""

    ledger: Ledger
    changed: Callable[[], None]
    most: int

    def __call__(self, lines: Iterable[bytes], scope: Scope) -> Iterator[Imported]:
        """Import the lines of an export; says before the first batch and after each what was taken in by then.

        Closing the iterator ends the import there. Raises InputError (before anything is written, or because what was
        taken in is forgotten meanwhile), and StoreError.
        """
        taking = _Taking(self.ledger, scope, self.most, _accepted(read(lines), self.ledger.kinds))
        taking.look()
        yield taking.so_far
        try:
            for kind in TYPES:
                yield from taking.all_of(kind)
        finally:
            self.changed()


def _accepted(records: Mapping[int, Record], kinds: Kinds) -> Accepted:
    accepted: Accepted = {name: [] for name in TYPES}
    earlier: set[str] = set()
    now = utc_now()
    for number, record in records.items():
        try:
            columns = checked(record, now, kinds)
            # The newer takes the place of the older, never the other way round.
            if columns.get("supersedes") not in {None, *earlier} or columns.get("id") in earlier:
                raise ValueError
            earlier |= {columns["id"]} if "id" in columns else set()
            accepted[record["type"]].append(columns)
        except (ValueError, TypeError, KeyError, InputError) as error:
            raise refused(number, error) from None
    return accepted


@dataclass(frozen=True, slots=True)
class _Batch:
    """What is new of some records, ready to be written; `write` returns the sequence number of the last."""

    number: int
    write: Callable[[Connection], int]
    ids: Sequence[str] = ()  # of what must not be there yet
    table: Table = entries
    outdated: int = 0
    counting: int = 0
    dropped: int = 0


@dataclass
class _Taking:
    """One import: of each kind of lines, those that are not there yet."""

    ledger: Ledger
    scope: Scope
    most: int
    accepted: Accepted
    so_far: Imported = field(init=False)
    _size: int = _FIRST
    _seen: int = 0  # the place in the order of all changes up to which everything of the person's is known

    def __post_init__(self) -> None:
        self._comparing = Comparing(self.ledger, self.scope)
        self._owner = person_of(self.scope)
        self.so_far = Imported({}, {}, of=sum(map(len, self.accepted.values())))

    def look(self) -> None:
        """Find out what is there. Raises TooManyEntries: there is no room for what is new."""
        self._seen = self.ledger.last_event()
        with self.ledger.read() as connection:
            self._comparing.look(connection, self.accepted["entry"], self.accepted["turn"])
            wanted = {self._comparing.ids[record["id"]] for record in self.accepted["entry"]}
            self._check_number(connection, len(wanted & self._comparing.new))

    def all_of(self, kind: str) -> Iterator[Imported]:
        """Write the records of a kind, batch by batch."""
        prepare = {"entry": self._entries, "turn": self._turns, "title": self._titles, "event": self._events}[kind]
        name = {"entry": "entries"}.get(kind, f"{kind}s")
        place = 0
        while some := self.accepted[kind][place : place + self._size]:
            place += len(some)
            self._count(name, len(some), self._written(prepare, some))
            yield self.so_far
            time.sleep(_PAUSE)

    def _written(self, prepare: Callable[[Connection, Sequence[Record]], _Batch], some: Sequence[Record]) -> _Batch:
        """Compare some records and write what is new of them, once more where something changed in between."""
        for _ in range(_MOST_TRIES):
            with self.ledger.read() as connection:
                batch = prepare(connection, some)
            if not batch.number:
                return batch
            with suppress(_Changed):
                with self.ledger.write() as connection:
                    began = time.perf_counter()
                    self._check_unchanged(connection, batch)
                    seen = batch.write(connection)
                # Let the next batch hold the writer's lock for about as long as wanted.
                fitting = int(self._size * min(2.0, _LOCK_SECONDS / max(time.perf_counter() - began, 1e-6)))
                self._size = max(_LEAST, min(_MOST, fitting))
                self._seen = seen
                return batch
            self.look()
        raise StoreError("import.busy")

    def _check_unchanged(self, connection: Connection, batch: _Batch) -> None:
        """Raises _Changed where what was compared may be no longer so, and ForgottenMeanwhile."""
        since = (events.c.sequence > self._seen, events.c.owner.in_(["", self._owner]))
        told = connection.execute(select(events.c.kind, events.c.entry_id, events.c.turn_id).where(*since)).all()
        mine = set(self._comparing.ids.values())
        if any(row.kind in _ERASURES and mine & {row.entry_id, row.turn_id} for row in told):
            raise ForgottenMeanwhile
        if told or any(rows_with(connection, select(batch.table.c.id), batch.table.c.id, batch.ids)):
            raise _Changed

    def _check_number(self, connection: Connection, new: int) -> None:
        mine = select(func.count()).select_from(entries).where(own(entries, self.scope))
        if new and connection.execute(mine).scalar_one() + new > self.most:
            raise TooManyEntries(self.most)

    def _count(self, name: str, records: int, batch: _Batch) -> None:
        before = self.so_far
        self.so_far = Imported(
            +(Counter(before.new) + Counter({name: batch.number})),
            +(Counter(before.known) + Counter({name: records - batch.number})),
            before.outdated + batch.outdated,
            before.counting + batch.counting,
            before.done + records,
            before.of,
            before.dropped + batch.dropped,
        )

    def _entries(self, connection: Connection, some: Sequence[Record]) -> _Batch:
        new = self._comparing.entries(connection, some)
        said = [{"entry_id": one.id, "owner": self._owner, "form": form} for one in new for form in one.forms]

        def write(connection: Connection) -> int:
            self._check_number(connection, len(new))
            last = insert_prepared(connection, self.ledger, [one.prepared for one in new], self._owner)
            connection.execute(insert(forms), said)
            return last

        counted = (sum(getattr(one, name) for one in new) for name in ("is_outdated", "counts", "dropped"))
        return _Batch(len(new), write, [one.id for one in new], entries, *counted)

    def _turns(self, _connection: Connection, some: Sequence[Record]) -> _Batch:
        new = self._comparing.turns(some)

        def write(connection: Connection) -> int:
            last = self._insert_numbered(connection, turns, [row for row, _ in new])
            if decided := [decision for _, decisions_ in new for decision in decisions_]:
                connection.execute(insert(decisions), decided)
            for row, _ in new:
                in_view = (row["trace"] or {}).get("in_view", ())
                mine = select(entries.c.id).where(own(entries, self.scope))
                here = {entry.id for entry in rows_with(connection, mine, entries.c.id, in_view)}
                keep_undecided(connection, row["id"], here)
            return last

        return _Batch(len(new), write, [row["id"] for row, _ in new], turns)

    def _titles(self, connection: Connection, some: Sequence[Record]) -> _Batch:
        """The names of conversations, unless they have one, or there is nothing in them."""
        nameless = [record["conversation"] for record in some]
        talked, named = (
            {row[0] for row in rows_with(connection, select(column).where(own(table, self.scope)), column, nameless)}
            for table, column in ((turns, turns.c.conversation), (titles, titles.c.conversation))
        )
        rows = {name: {**record, "owner": self._owner} for record in some if (name := record["conversation"]) in talked}
        new = [row for name, row in rows.items() if name not in named]

        def write(connection: Connection) -> int:
            mine = select(titles).where(own(titles, self.scope))
            if any(rows_with(connection, mine, titles.c.conversation, (row["conversation"] for row in new))):
                raise _Changed
            connection.execute(insert(titles), new)
            return self._seen

        return _Batch(len(new), write)

    def _events(self, connection: Connection, some: Sequence[Record]) -> _Batch:
        new = self._comparing.events(connection, some)
        return _Batch(len(new), lambda connection: self._insert_numbered(connection, events, new))

    def _insert_numbered(self, connection: Connection, table: Table, new: Sequence[Record]) -> int:
        numbers = self.ledger.next_sequences(connection, len(new))
        rows = [{**row, "sequence": number} for row, number in zip(new, numbers, strict=True)]
        connection.execute(insert(table), rows)
        return numbers[-1]
