"""Queue of entries whose keys a model is to write (the port `KeyWork`), and changes of keys by users.

The queue is the column `key_state` of entries: an entry is queued when it is saved, removed when it is erased, and
skipped while it is superseded or retracted.
"""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress

from sqlalchemy import Connection, func, select

from assistant.errors import InputError, NotFound
from assistant.ports import WrittenKeys
from assistant.types import Entry, Key, KeyOrigin, Scope
from memory_store.ledger.database.schema import KeyState, entries
from memory_store.ledger.entries import ACTIVE, change_body, read_entries, read_entries_by_id, replace_keys
from memory_store.ledger.ledger import Ledger
from memory_store.memory.entry_writer import EntryWriter, deduplicate_keys

MOST_KEYS = 40  # of an entry, after a user changed its keys
_MOST_EARLIER = 4  # earlier entries that the model compares a new one with

_WAITING = (ACTIVE, entries.c.key_state == KeyState.WANTED.value)


class LedgerKeyWork:
    """Implements `KeyWork`. Calls `changed` after keys were written; it must return at once and never raise."""

    def __init__(self, ledger: Ledger, changed: Callable[[], None]) -> None:
        self._ledger = ledger
        self._changed = changed

    def wanting(self) -> Sequence[str]:
        with self._ledger.read() as connection:
            of_person = func.row_number().over(partition_by=entries.c.owner, order_by=entries.c.sequence)
            query = select(entries.c.id).where(*_WAITING).order_by(of_person, entries.c.sequence)
            return list(connection.execute(query).scalars())

    def wants(self, entry_id: str) -> Entry | None:
        with self._ledger.read() as connection:
            return _is_waiting(connection, entry_id)

    def earlier(self, entry: Entry) -> Sequence[Entry]:
        if entry.shared:
            return []
        with self._ledger.read() as connection:
            return EntryWriter(connection, self._ledger, Scope(entry.owner)).find_earlier(entry, _MOST_EARLIER)

    def written(self, entry_id: str, written: WrittenKeys) -> bool:
        with self._ledger.write() as connection:
            entry = _is_waiting(connection, entry_id)
            if entry is None or not _is_current(connection, written.seen):
                return False
            own_keys = (key for key in entry.keys if key.origin is not KeyOrigin.MODEL)
            found_under = deduplicate_keys((*own_keys, *written.keys))
            entry = replace_keys(connection, self._ledger, entry, found_under, KeyState.WRITTEN)
            if not entry.shared:  # a shared copy stays as the curator accepted it
                self._change(connection, entry, written)
        self._changed()
        return True

    def _change(self, connection: Connection, entry: Entry, written: WrittenKeys) -> None:
        """Save the title, reach and place that a model wrote, unless the user chose or changed them meanwhile."""
        in_view = [each.id for each in written.seen if each.id != entry.id]
        changes: dict[str, object] = {"title": written.title, "in_view": in_view}
        if written.reach is not None and not (entry.body.reach_chosen or entry.only_in):
            changes |= written.reach.fields("")
        entry = change_body(connection, self._ledger, entry, changes)
        saving = EntryWriter(connection, self._ledger, Scope(entry.owner))
        for other, place in () if entry.body.place_chosen else written.places.items():
            with suppress(NotFound):
                entry = saving.set_place(entry, place, other)


def replace_edited_keys(entry: Entry, old: Collection[str], new: Sequence[Key]) -> tuple[Key, ...]:
    """Return the keys of an entry after the user replaced the keys with the texts `old` by `new`.

    Raises InputError or NotFound, as `Memory.replace_keys`.
    """
    if entry.question in old:
        raise InputError("key.is_question")
    known = {key.text for key in entry.keys}
    kept = tuple(key for key in entry.keys if key.text not in old)
    if not known.issuperset(old):
        if known.issuperset(key.text for key in new):
            return kept
        raise NotFound("key.meanwhile")
    # A changed key keeps its place in the list.
    place = next((place for place, key in enumerate(entry.keys) if key.text in old), len(entry.keys))
    changed = deduplicate_keys((*kept[:place], *new, *kept[place:]))
    if len(changed) > max(MOST_KEYS, len(entry.keys)):
        raise InputError("key.too_many", count=MOST_KEYS)
    return changed


def _is_current(connection: Connection, seen: Sequence[Entry]) -> bool:
    """Return True if all entries in the model's prompt still exist with the same misunderstanding."""
    known = {each.id: each for each in read_entries_by_id(connection, [each.id for each in seen])}
    return all(each.id in known and known[each.id].wrong_understanding == each.wrong_understanding for each in seen)


def _is_waiting(connection: Connection, entry_id: str) -> Entry | None:
    return next(iter(read_entries(connection, *_WAITING, entries.c.id == entry_id)), None)
