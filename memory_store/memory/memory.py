"""The port `Memory` over the ledger: remember, list, edit, retract, forget."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from sqlalchemy import ColumnElement, Connection, select

from assistant.content_rules import check_private
from assistant.errors import InputError, NotFound
from assistant.finding import Found, Wanted
from assistant.receipts import Receipt
from assistant.types import Draft, Entry, Key, Kind, Scope, Status
from memory_store.conflicts import Conflicts
from memory_store.entries import (
    add_keys,
    read_entries,
    read_entry,
    replace_keys,
)
from memory_store.erasing import Erasing
from memory_store.finding import find
from memory_store.kept_entries import KeptEntries
from memory_store.kept_text import keepable
from memory_store.key_work import changed_by_hand, distinct
from memory_store.kinship import PHRASING, Kinship
from memory_store.ledger import Ledger
from memory_store.lineage import forerunners, head
from memory_store.lookup import IndexedKey, Readings, indexed_keys
from memory_store.reactions import is_turn_erased, with_reactions
from memory_store.saving import Saving, changed_already
from memory_store.schema import COUNTED, EventKind, KeyState, entries, events
from memory_store.scoping import only_readable_entries, own, person_of, readable

_ACTIVE = entries.c.status == Status.ACTIVE.value


def nothing() -> None:
    """What happens after a change where nobody waits for it."""


class LedgerMemory:
    """Entries in the ledger.

    Args:
        ledger: where they are kept.
        readings: how texts are made comparable.
        changed: called after each change that the index follows; must return at once and never raise.
        erasing: forgets; None for one that knows the ledger only.
        kinship: compares a new entry with older ones, inside the transaction that saves it.
    """

    def __init__(
        self,
        ledger: Ledger,
        readings: Readings,
        changed: Callable[[], None] = nothing,
        erasing: Erasing | None = None,
        kinship: Kinship = PHRASING,
    ) -> None:
        self._ledger = ledger
        self._saving = Saving(ledger, Conflicts(ledger, kinship))
        self._readings = readings
        self._kept = KeptEntries(ledger)
        self._changed = changed
        self._erasing = erasing or Erasing(ledger, kinship=kinship)

    def remember(self, draft: Draft, scope: Scope) -> Entry:
        """Save an entry. When this returns, it survives a power cut. The same idempotency key saves once.

        Where `draft.supersedes` was itself superseded meanwhile, the entry that did so is superseded instead. Where it
        was taken back, or none is named, a clarification supersedes the one that its turn has, if any: a turn never
        has two that count. Else it may still take the place of another one of the person's own, or give and get a key
        (`memory_store.kinship`).

        Raises:
            NotFound: the entry that it supersedes is not the person's own.
            InputError: it holds what is not kept (`assistant.content_rules`).
            StoreError: it is not saved.
        """
        return self.remember_all([draft], scope)[0]

    def remember_all(self, drafts: Iterable[Draft], scope: Scope) -> list[Entry]:
        """Save many entries at once: all of them, or none. Otherwise as `remember`.

        Raises:
            NotFound: an entry that one of them supersedes is not the person's own.
            InputError: one of them holds what is not kept.
            StoreError: none is saved.
        """
        with self._ledger.write() as connection:
            saved = [self._saving.remember(connection, draft, scope) for draft in drafts]
        self._changed()
        return saved

    def entry(self, entry_id: str, scope: Scope) -> Entry:
        """One entry that the person may read, whatever its status, with what they did with it.

        Raises:
            NotFound: there is none.
            DamagedEntry: its checksum is wrong.
        """
        with self._ledger.read() as connection:
            return with_reactions(connection, [_one(connection, entry_id, scope)], scope)[0]

    def entries(self, scope: Scope, search: str = "", limit: int = 50, offset: int = 0) -> Sequence[Entry]:
        """The person's own active entries, newest first; with `search`, those that contain it, in any script."""
        return self.find(scope, Wanted(search), limit, offset).entries

    def find(self, scope: Scope, wanted: Wanted, limit: int = 50, offset: int = 0) -> Found:
        """Those of the person's own active entries that are wanted, newest first, and how many there are in all."""
        with self._ledger.read() as connection:
            return find(connection, scope, wanted, limit, offset)

    def earlier(self, entry_ids: Iterable[str], scope: Scope) -> Mapping[str, Sequence[Entry]]:
        """What entries of the person's own said before, by id, newest first; those that were never changed are missing.

        Only what a `retract` would bring back, one after the other.
        """
        with self._ledger.read() as connection:
            return forerunners(connection, entry_ids, scope)

    def add_keys(self, entry_id: str, found_under: Sequence[Key], scope: Scope) -> Entry:
        """Let an entry be found under further texts as well; those it has already are passed over.

        Raises:
            NotFound: the entry is not the person's own, or no longer active.
            StoreError: it is not saved.
        """
        with self._ledger.write() as connection:
            entry = read_entry(connection, own(entries, scope), entries.c.id == entry_id, _ACTIVE)
            known = {key.text for key in entry.keys}
            new = [key for key in distinct(found_under) if key.text not in known]
            if not new:
                return entry
            add_keys(connection, entry_id, new)
            self._ledger.append(connection, EventKind.KEYED, entry_id, entry.owner)
        self._changed()
        return replace(entry, keys=(*entry.keys, *new))

    def replace_keys(self, entry_id: str, old: Collection[str], new: Sequence[Key], scope: Scope) -> Entry:
        """Change by hand under which texts an entry is found; from then on no model writes keys for it.

        Raises:
            NotFound: the entry is not the person's own or no longer active, or a key in `old` is not there.
            InputError: there would be too many keys, one holds what is not kept, or `old` names the question.
            StoreError: it is not saved.
        """
        for key in new:
            check_private(key.text)
        with self._ledger.write() as connection:
            entry = read_entry(connection, own(entries, scope), entries.c.id == entry_id, _ACTIVE)
            after = changed_by_hand(entry, old, new)
            if after == entry.keys:
                return entry
            replace_keys(connection, entry_id, after, KeyState.BY_PERSON)
            self._ledger.append(connection, EventKind.KEYED, entry_id, entry.owner)
        self._changed()
        return replace(entry, keys=after)

    def edit(self, entry_id: str, text: str, scope: Scope) -> Entry:
        """Replace what was said by other words: a new entry that supersedes the old one.

        All keys stay. Where a model wrote some, it is asked for new ones, which then take the place of those.

        Raises:
            NotFound: the entry is not the person's own, or no longer active.
            InputError: the words hold what is not kept.
        """
        return self._succeeded(entry_id, {"text": keepable(text)}, scope)

    def widen(self, entry_id: str, scope: Scope) -> Entry:
        """Let what counts in one conversation count in all: a new entry that supersedes the old one, as in `edit`.

        Raises:
            NotFound: the entry is not the person's own, or no longer active.
            InputError: another one, which counts in all, says something else of the same question.
        """
        return self._succeeded(entry_id, {"only_in": ""}, scope)

    def current(self, entry_id: str, scope: Scope) -> Entry | None:
        """The active entry that an entry has become: itself, or what superseded it.

        None where it was taken back or erased, or is damaged or not for this person to read.
        """
        with self._ledger.read() as connection:
            found = head(connection, readable(scope), entries.c.id == entry_id)
        return found if found is not None and scope.may_read(found) else None

    def kept(self, turn_id: str, scope: Scope) -> Entry | None:
        """The active example that a turn of the person's was kept as, if any."""
        of_turn = (own(entries, scope), entries.c.turn_id == turn_id, entries.c.kind == Kind.EXAMPLE.value, _ACTIVE)
        with self._ledger.read() as connection:
            return next(iter(read_entries(connection, *of_turn, limit=1)), None)

    def retract(self, entry_id: str, scope: Scope) -> Entry:
        """Stop using an entry, and bring back the one that it had superseded, if any. Twice is the same as once.

        Raises:
            NotFound: the entry is not the person's own.
        """
        with self._ledger.write() as connection:
            entry = read_entry(connection, own(entries, scope), entries.c.id == entry_id)
            if entry.status == Status.RETRACTED:
                return entry
            self._saving.retract(connection, entry, scope)
        self._changed()
        return replace(entry, status=Status.RETRACTED)

    def forget(self, entry_id: str, scope: Scope) -> Receipt:
        """Erase an entry and everything made of it: its history, its keys, the turns that gave or used it.

        Raises:
            NotFound: the entry is not the person's own.
            StoreError: nothing is erased.
        """
        return self._erasing.forget(entry_id, scope)

    def forget_all(self, scope: Scope) -> Receipt:
        """Erase everything of a person: entries, turns, and what they did.

        Raises:
            StoreError: nothing is erased.
        """
        return self._erasing.forget_all(scope)

    def count(self, entry_id: str, event: str, turn_id: str, scope: Scope) -> None:
        """Record that an entry was `used`, `helped` or `hurt` in a turn; each once per turn, whoever asks twice.

        Raises:
            NotFound: the person may not read the entry, or the turn was erased.
            InputError: there is no such event.
        """
        if event not in COUNTED:
            raise InputError(f'"{event}" is nothing that can be counted.')
        kind = EventKind(event)
        with self._ledger.write() as connection:
            _require(connection, readable(scope), entries.c.id == entry_id)
            if is_turn_erased(connection, turn_id):
                raise NotFound
            same = (events.c.entry_id == entry_id, events.c.turn_id == turn_id, events.c.kind == kind.value)
            if connection.execute(select(events.c.sequence).where(*same)).first() is None:
                self._ledger.append(connection, kind, entry_id, person_of(scope), turn_id)

    def use_again(self, entry_id: str, scope: Scope) -> Entry:
        """Let an entry that rests be used again: what helped and hurt counts anew. One that is in use stays as it is.

        Raises:
            NotFound: the entry is not the person's own, or no longer active.
            StoreError: it is not saved.
        """
        with self._ledger.write() as connection:
            entry = read_entry(connection, own(entries, scope), entries.c.id == entry_id, _ACTIVE)
            if not entry.resting:
                return entry
            self._ledger.append(connection, EventKind.USED_AGAIN, entry_id, entry.owner)
        return replace(entry, helped=0, hurt=0)

    def entries_by_id(self, ids: Iterable[str], scope: Scope) -> Mapping[str, Entry]:
        """Those of the entries named that count for the person, by id, with what the person did with them.

        They are active, intact, readable by the person, and do not rest.

        Raises:
            StoreError: the ledger cannot be read.
        """
        return self._kept.by_id(ids, scope)

    def keys(self, scope: Scope) -> Sequence[IndexedKey]:
        """All texts of active entries that the person may read: what recall searches while the index is down."""
        with self._ledger.read() as connection:
            found = read_entries(connection, readable(scope), _ACTIVE)
        return [key for entry in only_readable_entries(found, scope) for key in indexed_keys(entry, self._readings)]

    def last_change(self) -> int:
        """Sequence number of the last change of any entry; while it stays the same, so does what `keys` returns."""
        return self._ledger.last_change()

    def is_empty(self, scope: Scope) -> bool:
        """Whether there is no active entry that the person may read, so that nothing can be recalled."""
        with self._ledger.read() as connection:
            query = select(entries.c.id).where(readable(scope), _ACTIVE).limit(1)
            return connection.execute(query).first() is None

    def _succeeded(self, entry_id: str, changes: Mapping[str, str], scope: Scope) -> Entry:
        """The entry as it is changed. Whoever asks twice gets what the first time made."""
        with self._ledger.write() as connection:
            old = read_entry(connection, own(entries, scope), entries.c.id == entry_id)
            if (same := changed_already(connection, old, changes)) is not None:
                return same
            entry = self._saving.succeed(connection, old, changes, scope)
        self._changed()
        return entry


def _one(connection: Connection, entry_id: str, scope: Scope) -> Entry:
    entry = read_entry(connection, readable(scope), entries.c.id == entry_id)
    if not scope.may_read(entry):
        raise NotFound
    return entry


def _require(connection: Connection, *conditions: ColumnElement[bool]) -> None:
    """Raise NotFound where no entry, whole or damaged, meets all conditions."""
    if connection.execute(select(entries.c.id).where(*conditions)).first() is None:
        raise NotFound
