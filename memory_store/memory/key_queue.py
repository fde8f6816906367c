"""Which entries still wait for a model to write their keys (the port `KeyWork`), and how a person changes keys.

The work is a column of the entry, `key_state`: it is there from the moment the entry is saved, goes with it when it is
erased, and waits with it while it is superseded or taken back.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from sqlalchemy import Connection, select

from assistant.errors import InputError, NotFound
from assistant.types import Draft, Entry, Key, KeyOrigin, Status
from memory_store.entries import read_entries, replace_keys
from memory_store.ledger import Ledger
from memory_store.schema import EventKind, KeyState, entries

MOST_KEYS = 40
"""An entry has at most so many keys after a person changed them."""

_WAITING = (entries.c.status == Status.ACTIVE.value, entries.c.key_state == KeyState.WANTED.value)


class LedgerKeyWork:
    """Implements `KeyWork` over the ledger.

    Args:
        ledger: where entries are kept.
        changed: called after keys were written; must return at once and never raise.
    """

    def __init__(self, ledger: Ledger, changed: Callable[[], None]) -> None:
        self._ledger = ledger
        self._changed = changed

    def wanting(self) -> Sequence[str]:
        """Ids of the active entries that wait for keys, oldest first."""
        with self._ledger.read() as connection:
            query = select(entries.c.id).where(*_WAITING).order_by(entries.c.sequence)
            return list(connection.execute(query).scalars())

    def wants(self, entry_id: str) -> Entry | None:
        """The entry, if it is active, intact and still waits for keys."""
        with self._ledger.read() as connection:
            return _waiting(connection, entry_id)

    def written(self, entry_id: str, keys: Sequence[Key]) -> bool:
        """Put these in the place of the keys that a model wrote before; the entry then waits no more.

        Raises:
            StoreError: it is not saved.
        """
        with self._ledger.write() as connection:
            entry = _waiting(connection, entry_id)
            if entry is None:
                return False
            kept = (key for key in entry.keys if key.origin is not KeyOrigin.MODEL)
            replace_keys(connection, entry_id, distinct((*kept, *keys)), KeyState.WRITTEN)
            self._ledger.append(connection, EventKind.KEYED, entry_id, entry.owner)
        self._changed()
        return True


def changed_by_hand(entry: Entry, old: Collection[str], new: Sequence[Key]) -> tuple[Key, ...]:
    """The keys of an entry after a person put `new` in the place of those whose texts are `old`.

    Raises:
        InputError: there would be too many, or `old` names the question.
        NotFound: a key in `old` is not there, unless everything in `new` is already.
    """
    if entry.question in old:
        raise InputError("It is always found under its own question.")
    known = {key.text for key in entry.keys}
    if not known.issuperset(old):
        if known.issuperset(key.text for key in new):
            return tuple(key for key in entry.keys if key.text not in old)
        raise NotFound("This was changed or removed in the meantime.")
    place = next((place for place, key in enumerate(entry.keys) if key.text in old), len(entry.keys))
    before, after = entry.keys[:place], entry.keys[place:]
    changed = distinct((*before, *new, *(key for key in after if key.text not in old)))
    if len(changed) > max(MOST_KEYS, len(entry.keys)):
        raise InputError(f"This has {MOST_KEYS} wordings already. Please remove one first.")
    return changed


def distinct(found_under: Iterable[Key]) -> tuple[Key, ...]:
    """The keys without those whose text another one has before them."""
    first: dict[str, Key] = {}
    for key in found_under:
        first.setdefault(key.text, key)
    return tuple(first.values())


def key_state(connection: Connection, draft: Draft, merged: Entry | None = None) -> str | None:
    """Who is to write the keys of a new entry: a model, if wanted, but not over what a person changed.

    Args:
        connection: comes from `Ledger.write`.
        draft: the new entry.
        merged: the older entry whose keys it keeps, if any.
    """
    if merged is not None and _state(connection, merged) == KeyState.BY_PERSON:
        return KeyState.BY_PERSON.value
    return KeyState.WANTED.value if draft.wants_keys else None


def state_after_edit(connection: Connection, old: Entry) -> str | None:
    """Who is to write the keys of an edited entry: the model again, if it was, but not over what a person changed."""
    state = _state(connection, old)
    return KeyState.WANTED.value if state == KeyState.WRITTEN else state


def _state(connection: Connection, entry: Entry) -> str | None:
    state: str | None = connection.execute(select(entries.c.key_state).where(entries.c.id == entry.id)).scalar_one()
    return state


def _waiting(connection: Connection, entry_id: str) -> Entry | None:
    return next(iter(read_entries(connection, *_WAITING, entries.c.id == entry_id)), None)
