"""How an entry comes, is succeeded and is taken back, inside the transaction that writes it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from sqlalchemy import Connection, bindparam, select

from assistant.content_rules import check_private
from assistant.errors import InputError, NotFound, StoreError
from assistant.types import Draft, Entry, Key, Kind, Scope, Status
from memory_store.conflicts import Conflicts
from memory_store.entries import insert_entry, new_row, read_entries, read_entry, set_status, succeeding
from memory_store.journal import mark_turn
from memory_store.kept_text import kept_draft
from memory_store.key_work import distinct, key_state, state_after_edit
from memory_store.kinship import Kin
from memory_store.ledger import Ledger
from memory_store.lineage import successor
from memory_store.offers import end_offers
from memory_store.reactions import is_turn_erased
from memory_store.schema import EventKind, entries
from memory_store.scoping import own, person_of

_COUNTED_ALREADY = (
    "Another note, for every conversation, says something else of this question. "
    "Please change or forget that one first."
)
_SAME = select(entries.c.id).where(
    entries.c.owner == bindparam("person"), entries.c.idempotency_key == bindparam("key")
)


@dataclass(frozen=True, slots=True)
class Saving:
    """Every method takes a connection that comes from `Ledger.write`.

    Args:
        ledger: where the entries are.
        conflicts: what becomes of older entries.
    """

    ledger: Ledger
    conflicts: Conflicts

    def remember(self, connection: Connection, draft: Draft, scope: Scope) -> Entry:
        """A new entry, or the one that the same idempotency key has saved before.

        The turn that a clarification is of says from then on by which one it was corrected.

        Raises:
            NotFound: the turn that it is of was erased, or the entry that it supersedes is not the person's own.
            InputError: it holds what is not kept.
        """
        draft = kept_draft(draft)
        known = connection.execute(_SAME, {"person": person_of(scope), "key": draft.idempotency_key}).scalar()
        if known is not None:
            return _with_turn(connection, read_entry(connection, own(entries, scope), entries.c.id == known), scope)
        if draft.turn and is_turn_erased(connection, draft.turn):
            raise NotFound("This was forgotten in the meantime, so nothing is kept of it.")
        return _with_turn(connection, self._save(connection, draft, scope), scope)

    def succeed(self, connection: Connection, old: Entry, changes: Mapping[str, str], scope: Scope) -> Entry:
        """A new entry that supersedes an old one, with some fields changed.

        Raises:
            NotFound: the old one no longer counts.
            InputError: it holds what is not kept, or another one says something else where it is to count from now on.
        """
        if old.status != Status.ACTIVE:
            raise NotFound("This was changed or taken back in the meantime.")
        draft = replace(succeeding(old), **changes)  # type: ignore[arg-type]  # they are fields of text
        if draft.only_in != old.only_in and self.conflicts.kindred(connection, draft, scope).first(Kin.REPLACED):
            raise InputError(_COUNTED_ALREADY)
        return self._save(connection, draft, scope, state_after_edit(connection, old))

    def retract(self, connection: Connection, entry: Entry, scope: Scope) -> None:
        """Take an entry back; where it counted, the one that it had superseded counts again."""
        self._set_status(connection, entry, Status.RETRACTED, EventKind.RETRACTED)
        if entry.status == Status.ACTIVE:
            self.conflicts.leave(connection, entry, scope)
            self._restore(connection, entry.supersedes, scope)

    def _save(self, connection: Connection, draft: Draft, scope: Scope, keys_by: str | None = None) -> Entry:
        check_private(draft.text)
        kindred = self.conflicts.kindred(connection, draft, scope)
        superseded, kept = self.conflicts.make_way(connection, draft, kindred, scope)
        entry_id = str(uuid.uuid4())
        sequence = self.ledger.append(connection, EventKind.SAVED, entry_id, person_of(scope))
        row = new_row(draft, entry_id, person_of(scope), sequence, self.ledger.now()) | {
            "supersedes": None if superseded is None else superseded.id,
            "key_state": keys_by or key_state(connection, draft, superseded if kept else None),
        }
        entry = insert_entry(connection, row, distinct((Key(draft.question), *draft.further_keys, *kept)))
        return self.conflicts.enter(connection, entry, kindred)

    def _restore(self, connection: Connection, entry_id: str | None, scope: Scope) -> None:
        for older in read_entries(connection, own(entries, scope), entries.c.id == entry_id):
            if older.status == Status.SUPERSEDED:
                self._set_status(connection, older, Status.ACTIVE, EventKind.RESTORED)
                self.conflicts.enter_again(connection, older, scope)

    def _set_status(self, connection: Connection, entry: Entry, status: Status, kind: EventKind) -> None:
        set_status(connection, entry.id, status)
        self.ledger.append(connection, kind, entry.id, entry.owner)
        if status is not Status.ACTIVE:
            end_offers(connection, self.ledger, [entry.id])


def changed_already(connection: Connection, entry: Entry, changes: Mapping[str, str]) -> Entry | None:
    """The entry that counts and is as these changes would make it: the entry itself, or the one that supersedes it."""
    newer = successor(connection, entry)
    if entry.status == Status.ACTIVE and _is_so(entry, changes):
        return entry
    return newer if newer is not None and _is_so(newer, changes) else None


def _with_turn(connection: Connection, entry: Entry, scope: Scope) -> Entry:
    """The entry, noted in the turn that it put right; one that is not kept, or damaged, keeps nothing from being saved.

    In the transaction of the entry, so that neither ever is without the other, and "Saved" waits for one commit.
    """
    if entry.turn and entry.kind is Kind.CLARIFICATION and entry.status is Status.ACTIVE:
        with suppress(NotFound, StoreError):
            mark_turn(connection, entry.turn, scope, {"corrected_by": entry.id})
    return entry


def _is_so(entry: Entry, changes: Mapping[str, str]) -> bool:
    return all(getattr(entry, name) == value for name, value in changes.items())
