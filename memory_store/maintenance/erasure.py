"""Erase an entry with everything derived from it, a conversation, everything of a user, or old conversations.

An erasure is first written to `erasures.jsonl` (`memory_store.ledger.files`), then applied to the ledger in one
transaction. The same transaction records that bytes may remain in files, which `memory_store.vectors.indexer` rewrites.
After a crash, the next start continues. Retention deletes old conversations, and everything of guests after some hours
without activity; other entries stay.
"""

import logging
import uuid
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from assistant.background import BackgroundWork
from assistant.errors import NotFound, StoreError
from assistant.reports.upkeep import Receipt
from assistant.sharing import OfferState
from assistant.types import Scope, Status
from memory_store.ledger.access import belongs_to, require_user
from memory_store.ledger.database.schema import NOBODY, counters, entries, erasures, events, meta, offers, tokens, turns
from memory_store.ledger.entries import ACTIVE, empty_misunderstandings, read_entries_by_id
from memory_store.ledger.erased_rows import (
    NO_REPLY,
    Counts,
    DerivedRows,
    OwnedRows,
    blank_turns,
    delete_turns,
    erase_entries,
    execute_for,
    find_derived,
    log_erased_turns,
    record_erasure,
)
from memory_store.ledger.files import Line
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.rows import row_exists
from memory_store.memory.entry_writer import EntryWriter
from memory_store.sharing.sharing import end_offers, forget_curator

_log = logging.getLogger(__name__)

_CHECK_EVERY = 3600.0  # seconds
_LONGEST_PAUSE = timedelta(hours=36)  # between checks; after a longer one, the clock may be wrong
_NOTE = "retention"  # in `meta`: the time of the last check
_BATCH = 50  # conversations per transaction, which keeps the writer's lock short


class Eraser:
    """Erases from the ledger. `purged` waits until the files are rewritten; if that fails, it returns False."""

    def __init__(self, ledger: Ledger, purged: Callable[[str], bool] = lambda _: False) -> None:
        self._ledger = ledger
        self._purged = purged

    def taken_along(self, entry_id: str | None, scope: Scope) -> Mapping[str, int]:
        """Count the rows that erasing an entry also erases, or all rows of the user; see the port `Memory`."""
        kinds = sa.select(entries.c.kind, sa.func.count()).group_by(entries.c.kind)
        kinds = kinds.where(belongs_to(entries, scope), ACTIVE)
        with self._ledger.read() as connection:
            if entry_id is None:
                mine = sa.select(sa.func.count()).select_from(turns).where(belongs_to(turns, scope))
                also = {"turns": connection.execute(mine).scalar_one()}
            else:
                derived = _find_derived(connection, entry_id, scope)
                kinds = kinds.where(entries.c.id.in_(derived.entries - {entry_id}))
                also = {"blanked": len(derived.turns)}
            return {f"{kind}s": number for kind, number in connection.execute(kinds)} | also

    def forget(self, entry_id: str, scope: Scope) -> Receipt:
        """Erase an entry with everything derived from it. Raises NotFound."""
        return self._erase_found(lambda connection: _find_derived(connection, entry_id, scope))

    def forget_conversation(self, conversation: str, scope: Scope) -> Receipt:
        """Erase a conversation: turns, title, and entries with this reach. Raises NotFound."""
        named = (belongs_to(turns, scope), turns.c.conversation == conversation)

        def find(connection: sa.Connection) -> DerivedRows:
            turn_ids = connection.scalars(sa.select(turns.c.id).where(*named)).all()
            if not turn_ids:
                raise NotFound
            entry_ids = OwnedRows(connection, scope.person).find_limited_to(conversation)
            return find_derived(connection, entry_ids, scope.person, turn_ids)

        return self._erase_found(find)

    def forget_all(self, scope: Scope) -> Receipt:
        """Erase everything of a user: entries, turns, reactions and tokens. Nothing names the user afterwards."""
        person = require_user(scope)
        with self._ledger.read() as connection:
            if person not in _find_users(connection):
                return Receipt(str(uuid.uuid4()), datetime.now(UTC), {}, True)
        with self._ledger.write() as connection:
            line = self._ledger.note_erasure(connection, {"person": self._hashed(person)})
            erased = self._erase_person(connection, person, line["through"])
            record_erasure(connection, line, erased)
        return self._receipt(line, erased)

    def forget_inactive(self, prefix: str, hours: float, now: datetime) -> int:
        """Erase everything of users whose ids begin with `prefix` and who did nothing for `hours`; return how many."""
        of_users = (
            sa.select(table.c.owner, table.c.created).where(table.c.owner.startswith(prefix, autoescape=True))
            for table in (entries, turns, events)
        )
        each = sa.union_all(*of_users).subquery()
        is_gone = sa.func.max(each.c.created) < (now - timedelta(hours=hours)).isoformat()
        with self._ledger.read() as connection:
            gone = connection.scalars(sa.select(each.c.owner).group_by(each.c.owner).having(is_gone)).all()
        for person in gone:
            self.forget_all(Scope(person))
        return len(gone)

    def resume(self) -> int:
        """Apply the tombstones missing from the ledger, after a crash or a restored ledger; return how many."""
        done = 0
        tombstones = self._ledger.tombstones
        with self._ledger.read() as connection:
            known = set(connection.scalars(sa.select(erasures.c.id)))
            waiting = [line for line in tombstones.read_active() if line["id"] not in known]
        for line in waiting:
            with self._ledger.write() as connection:
                # Another process may have applied or withdrawn it meanwhile.
                is_known = row_exists(connection, erasures.c.id, erasures.c.id == line["id"])
                if not is_known and line in tombstones.read_active():
                    _log.info("The erasure %s is carried out again.", line["id"])
                    # Numbers in an older copy of the ledger continue after those that the index and the user know.
                    through = int(line.get("through", 0))
                    is_behind = counters.c.sequence < through
                    connection.execute(sa.update(counters).where(is_behind).values(sequence=through))
                    record_erasure(connection, line, self._apply_tombstone(connection, line))
                    done += 1
        return done

    def _apply_tombstone(self, connection: sa.Connection, line: Line) -> Counts:
        if "offers" in line:
            named = offers.c.id.in_(line["offers"])
            return end_offers(connection, named, OfferState(line["state"]), restored=line)
        if "tokens" in line:
            return Counter(tokens=execute_for(connection, sa.delete(tokens), tokens.c.id, line["tokens"]))
        erased: Counts = Counter()
        if "person" in line:
            for person in _find_users(connection):
                if self._hashed(person) == line["person"]:
                    erased += self._erase_person(connection, person, int(line["through"]))
            return erased
        still_there = (entries.c.id.in_(line["entries"]), entries.c.owner != NOBODY)
        for person in connection.scalars(sa.select(entries.c.owner).where(*still_there).distinct()).all():
            erased += self._erase(connection, find_derived(connection, line["entries"], person))
        rest = DerivedRows(deleted=set(line["turns"]), turns=set(line.get("blanked", ())))
        return erased + self._erase(connection, rest)

    def _erase_found(self, find: Callable[[sa.Connection], DerivedRows]) -> Receipt:
        """Write the tombstone for the rows that `find` returns, and erase them, in one transaction."""
        with self._ledger.write() as connection:
            derived = find(connection)
            ids = {"entries": derived.entries, "turns": derived.deleted, "blanked": derived.turns}
            line = self._ledger.note_erasure(connection, {name: sorted(some) for name, some in ids.items()})
            erased = self._erase(connection, derived)
            record_erasure(connection, line, erased)
        return self._receipt(line, erased)

    def _erase(self, connection: sa.Connection, derived: DerivedRows) -> Counts:
        is_in_force = (entries.c.owner != NOBODY, entries.c.status != Status.RETRACTED.value)
        for entry in read_entries_by_id(connection, derived.entries, *is_in_force):
            superseded = set(entry.body.replaced) - derived.entries
            EntryWriter(connection, Scope(entry.owner)).reactivate(superseded)
        erased = Counter(emptied=empty_misunderstandings(connection, derived.misread))
        erased += erase_entries(connection, derived.entries)
        log_erased_turns(connection, derived.deleted)
        erased += delete_turns(connection, derived.deleted)
        erased += blank_turns(connection, derived.turns)
        return erased + blank_turns(connection, derived.foreign_turns, NO_REPLY)

    def _erase_person(self, connection: sa.Connection, person: str, through: int) -> Counts:
        def of_person(table: sa.Table) -> sa.ColumnElement[bool]:
            return (table.c.owner == person) & (table.c.sequence <= through)

        found = (connection.scalars(sa.select(table.c.id).where(of_person(table))).all() for table in (entries, turns))
        entry_ids, turn_ids = found
        erased = self._erase(connection, find_derived(connection, entry_ids, person, turn_ids))
        erased += forget_curator(connection, person)
        for table in (events, tokens):
            erased += Counter({table.name: connection.execute(sa.delete(table).where(of_person(table))).rowcount})
        return erased

    def _receipt(self, line: Line, erased: Counts) -> Receipt:
        return Receipt(line["id"], datetime.fromisoformat(line["at"]), dict(erased), self._purged(line["id"]))

    def _hashed(self, person: str) -> str:
        return self._ledger.secret_for(f"erased person\0{person}").hex()


def _find_derived(connection: sa.Connection, entry_id: str, scope: Scope) -> DerivedRows:
    if not row_exists(connection, entries.c.id, belongs_to(entries, scope), entries.c.id == entry_id):
        raise NotFound
    return find_derived(connection, [entry_id], scope.person)


def _find_users(connection: sa.Connection) -> set[str]:
    columns = (entries.c.owner, turns.c.owner, events.c.owner, tokens.c.owner, offers.c.decided_by)
    return set(filter(None, connection.scalars(sa.union(*map(sa.select, columns)))))


class Retention(BackgroundWork):
    """Deletes, every hour, the conversations whose last turn is older than `days`, and everything of inactive guests.

    A clock that jumps ahead must not delete everything, so a check long after the last one deletes nothing; the next
    check, an hour later, believes the clock if nobody has set it right. The same goes for one that is set back.

    `erased` is called after a deletion, so that the indexer rewrites the files; it must not block or raise. `guests` is
    the prefix of guests' user ids, and the hours after which everything of an inactive one is erased.
    """

    def __init__(
        self, ledger: Ledger, days: int, erased: Callable[[], None], guests: tuple[str, float] | None = None
    ) -> None:
        super().__init__("retention", self._try_to_expire)
        self._ledger = ledger
        self._keep = timedelta(days=days)
        self._erased = erased
        self._guests = guests

    def expire(self, clock: datetime) -> int:
        """Delete conversations that are too old at this time (UTC); return the number of turns. Raises StoreError."""
        with self._ledger.write() as connection:
            if not _is_steady(connection, clock):
                return 0
        named = (turns.c.owner, turns.c.conversation)
        is_old = sa.func.max(turns.c.created) < (clock - self._keep).isoformat()
        old = sa.select(*named).group_by(*named).having(is_old).order_by(sa.func.min(turns.c.sequence)).limit(_BATCH)
        counts: Counts = Counter(turns=1)
        erased = 0
        while counts["turns"] and not self.closing.is_set():
            with self._ledger.write() as connection:
                talks = [tuple(row) for row in connection.execute(old)]
                going = connection.scalars(sa.select(turns.c.id).where(sa.tuple_(*named).in_(talks))).all()
                counts = delete_turns(connection, going)
                if counts:
                    record_erasure(connection, {"id": str(uuid.uuid4()), "at": self._ledger.now()}, counts)
            erased += counts["turns"]
        guests = Eraser(self._ledger).forget_inactive(*self._guests, clock) if self._guests else 0
        if erased or guests:
            _log.info("Old conversations and guests are erased: %d turns and %d guests.", erased, guests)
            self._erased()
        return erased

    def _try_to_expire(self) -> float:
        try:
            self.expire(datetime.now(UTC))
        except StoreError as error:
            _log.warning("Old conversations could not be erased; trying again later. %s", error)
        return _CHECK_EVERY


def _is_steady(connection: sa.Connection, clock: datetime) -> bool:
    """Return True if the last check was shortly before this time; record this check."""
    stored = connection.scalar(sa.select(meta.c.value).where(meta.c.name == _NOTE))
    connection.execute(sa.delete(meta).where(meta.c.name == _NOTE))
    connection.execute(sa.insert(meta), {"name": _NOTE, "value": clock.isoformat()})
    return stored is not None and timedelta(0) <= clock - datetime.fromisoformat(stored) <= _LONGEST_PAUSE
