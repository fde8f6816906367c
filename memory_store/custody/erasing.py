"""Forgetting: one entry with all that was made of it, or everything of a person.

An erasure is first written down in `erasures.jsonl` (`memory_store.tombstones`), then carried out in the ledger in one
transaction, which also notes that its bytes may still lie in files. `memory_store.sweep` makes those anew, and says so
in the same row. Whatever of this a crash cuts off goes on at the next start.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import uuid
from collections import Counter
from collections.abc import Callable, Collection
from datetime import UTC, datetime

from sqlalchemy import Connection, select, union

from assistant.errors import NotFound
from assistant.receipts import Receipt
from assistant.types import Scope, Status
from memory_store.conflicts import Conflicts
from memory_store.descent import Made, made_of
from memory_store.entries import read_entries_by_id, set_status
from memory_store.erased_rows import (
    Counts,
    delete_entries,
    delete_events_of,
    delete_tokens,
    delete_tokens_of,
    delete_turns,
    empty_misunderstandings,
    empty_turns,
    record_erasure,
)
from memory_store.kinship import PHRASING, Kinship
from memory_store.ledger import Ledger, plain_errors
from memory_store.lineage import counting_only_in
from memory_store.offers import copies_made_of, end_again, forget_curator
from memory_store.schema import NOBODY, EventKind, entries, erasures, events, offers, tokens, turns
from memory_store.scoping import own, person_of
from memory_store.tombstones import Line

_log = logging.getLogger(__name__)

_OWNED = (entries, turns, events, tokens)
_ACTIVE = entries.c.status == Status.ACTIVE.value


def _is_named(connection: Connection, person: str) -> bool:
    """Whether anything in the ledger is of this person."""
    owned = (select(table.c.owner.label("owner")).where(table.c.owner == person) for table in _OWNED)
    decided = select(offers.c.decided_by.label("owner")).where(offers.c.decided_by == person)
    return connection.execute(union(*owned, decided).limit(1)).first() is not None


def not_swept(_erasure_id: str) -> bool:
    """What is known of the bytes of an erasure where nothing sweeps."""
    return False


class Erasing:
    """Erases.

    Args:
        ledger: where everything is kept.
        swept: waits until the bytes of an erasure are in no file any more; says whether that is so. Never raises.
        kinship: as in `LedgerMemory`.
    """

    def __init__(
        self,
        ledger: Ledger,
        swept: Callable[[str], bool] = not_swept,
        kinship: Kinship = PHRASING,
    ) -> None:
        self._ledger = ledger
        self._swept = swept
        self._conflicts = Conflicts(ledger, kinship)

    def forget(self, entry_id: str, scope: Scope) -> Receipt:
        """Erase an entry and everything made of it (see `memory_store.descent`).

        Raises:
            NotFound: the entry is not the person's own.
            StoreError: nothing is erased.
        """
        with self._ledger.write() as connection:
            named = (own(entries, scope), entries.c.id == entry_id)
            if connection.execute(select(entries.c.id).where(*named)).first() is None:
                raise NotFound
            made = made_of(connection, [entry_id], person_of(scope))
            line = self._ledger.note_erasure(connection, {"entries": sorted(made.entries), "turns": sorted(made.turns)})
            erased = self._erase(connection, made, scope)
            record_erasure(connection, line, erased)
        return self._receipt(line, erased)

    def forget_conversation(self, conversation: str, scope: Scope) -> Receipt:
        """Erase the turns of a conversation, its name, and what counts in it alone. What else was noted in it stays.

        Raises:
            NotFound: the person has no such conversation.
            StoreError: nothing is erased.
        """
        with self._ledger.write() as connection:
            named = (own(turns, scope), turns.c.conversation == conversation)
            turn_ids = connection.execute(select(turns.c.id).where(*named)).scalars().all()
            if not turn_ids:
                raise NotFound
            entry_ids = counting_only_in(connection, conversation, scope)
            made = made_of(connection, entry_ids, person_of(scope))
            made.turns |= set(turn_ids)
            line = self._ledger.note_erasure(connection, {"entries": sorted(made.entries), "turns": sorted(made.turns)})
            erased = self._erase(connection, made, scope)
            record_erasure(connection, line, erased)
        return self._receipt(line, erased)

    def forget_all(self, scope: Scope) -> Receipt:
        """Erase everything of a person: entries, turns, what they did, and their tokens. Nothing names them afterwards.

        Raises:
            StoreError: nothing is erased.
        """
        person = person_of(scope)
        with self._ledger.read() as connection:
            if not _is_named(connection, person):
                return Receipt(str(uuid.uuid4()), datetime.now(UTC), {}, True)
        with self._ledger.write() as connection:
            through = self._ledger.next_sequence(connection)
            what = {"person": self._hashed(person), "ledger": self._ledger.identity, "through": through}
            line = self._ledger.note_erasure(connection, what)
            erased = self._erase_person(connection, person, through)
            record_erasure(connection, line, erased)
        return self._receipt(line, erased)

    def resume(self) -> None:
        """Carry out what is written down but not in the ledger: it was cut off, or an older ledger was put back.

        Raises:
            StoreError: the ledger cannot be read or written.
        """
        with plain_errors():
            standing = self._ledger.tombstones.standing()
        with self._ledger.read() as connection:
            known = set(connection.execute(select(erasures.c.id)).scalars())
        for line in standing:
            if line["id"] not in known:
                self._resume(line["id"])

    def _resume(self, line_id: str) -> None:
        """Carry out one erasure, unless another process was at it just now, and has done it or given it up."""
        with self._ledger.write() as connection:
            if connection.execute(select(erasures.c.id).where(erasures.c.id == line_id)).first() is not None:
                return
            with plain_errors():
                standing = self._ledger.tombstones.standing()
            for line in standing:
                if line["id"] == line_id:
                    self._carry_out(connection, line)

    def _carry_out(self, connection: Connection, line: Line) -> None:
        _log.info("The erasure %s is carried out again.", line["id"])
        erased: Counts = Counter()
        if "person" in line:
            for person in self._persons(connection) if line["ledger"] == self._ledger.identity else ():
                if hmac.compare_digest(self._hashed(person), str(line["person"])):
                    erased += self._erase_person(connection, person, int(line["through"]))
        elif "offers" in line:
            erased += end_again(connection, self._ledger, line)
        elif "tokens" in line:
            erased += delete_tokens(connection, line["tokens"])
        else:
            still_there = (entries.c.id.in_(line["entries"]), entries.c.owner != NOBODY)
            named = select(entries.c.owner).where(*still_there).distinct()
            for person in connection.execute(named).scalars().all():
                made = made_of(connection, line["entries"], person)
                erased += self._erase(connection, made, Scope(person))
            erased += delete_turns(connection, line["turns"])
        record_erasure(connection, line, erased)

    def _erase(self, connection: Connection, made: Made, scope: Scope) -> Counts:
        for active in read_entries_by_id(connection, made.entries, _ACTIVE, own(entries, scope)):
            set_status(connection, active.id, Status.RETRACTED)
            self._conflicts.leave(connection, active, scope)
        erased = empty_misunderstandings(connection, self._ledger, made.misread)
        erased += self._delete(connection, made.entries, made.turns)
        return erased + empty_turns(connection, made.foreign_turns)

    def _erase_person(self, connection: Connection, person: str, through: int) -> Counts:
        of_person = [(table.c.owner == person, table.c.sequence <= through) for table in (entries, turns)]
        entry_ids = connection.execute(select(entries.c.id).where(*of_person[0])).scalars().all()
        turn_ids = connection.execute(select(turns.c.id).where(*of_person[1])).scalars().all()
        made = made_of(connection, entry_ids, person)
        gone = {*entry_ids, *copies_made_of(connection, entry_ids)}
        erased = empty_misunderstandings(connection, self._ledger, made.misread - gone)
        erased += self._delete(connection, gone, turn_ids)
        erased += empty_turns(connection, made.foreign_turns) + forget_curator(connection, person)
        erased += delete_tokens_of(connection, person, through)
        erased += delete_events_of(connection, person, through)
        # How often an entry of everyone helped is no longer as it was: whoever holds one in memory lets go.
        self._ledger.append(connection, EventKind.TURN_ERASED, "", "")
        return erased

    def _delete(self, connection: Connection, entry_ids: Collection[str], turn_ids: Collection[str]) -> Counts:
        """Delete entries and turns, and note their ids, so that the index follows and nothing is written back."""
        erased = delete_entries(connection, entry_ids) + delete_turns(connection, turn_ids)
        gone = [{"entry_id": entry_id, "turn_id": None} for entry_id in sorted(entry_ids)]
        self._ledger.append_all(connection, EventKind.ERASED, gone)
        gone = [{"entry_id": "", "turn_id": turn_id} for turn_id in sorted(turn_ids)]
        self._ledger.append_all(connection, EventKind.TURN_ERASED, gone)
        return erased

    def _receipt(self, line: Line, erased: Counts) -> Receipt:
        return Receipt(line["id"], datetime.fromisoformat(line["at"]), dict(erased), self._swept(line["id"]))

    def _hashed(self, person: str) -> str:
        return hmac.new(self._ledger.secret(), f"erased person\0{person}".encode(), hashlib.sha256).hexdigest()

    def _persons(self, connection: Connection) -> list[str]:
        owners = union(*(select(table.c.owner) for table in _OWNED), select(offers.c.decided_by))
        return [owner for owner in connection.execute(owners).scalars() if owner]
