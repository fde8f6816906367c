"""Save, change and retract an entry, such as a correction, and update the user's older entries, in one transaction.

`memory_store.memory.relation` decides how two entries relate. A new entry supersedes one that it replaces or repeats,
and a clarification supersedes the examples of its question. Retracting it makes them active again.
"""

import uuid
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, replace

import sqlalchemy as sa

from assistant.errors import InputError, NotFound, NotSaid, StoreError
from assistant.kinds import MOST_TRIPLES, Place
from assistant.text.content_rules import check_private
from assistant.types import Entry, Key, NewEntry, Scope, Status
from memory_store.ledger.access import belongs_to, require_user
from memory_store.ledger.database.schema import Condition, EventKind, KeyState, entries, forms, offers
from memory_store.ledger.entries import (
    ACTIVE,
    SUPERSEDED,
    change_body,
    change_entry,
    drop_unnamed,
    find_head,
    find_history,
    find_successor,
    find_unnamed,
    read_entries,
    read_entries_by_id,
    read_entry,
    save_entry,
)
from memory_store.ledger.erased_rows import find_erased
from memory_store.ledger.rows import make_storable, row_exists
from memory_store.memory.relation import RelatedEntries, Relation, find_related, relation_of
from memory_store.sharing.sharing import end_offers
from memory_store.turns.turn_store import mark_turn

_EVENTS = {
    Status.ACTIVE: EventKind.RESTORED,
    Status.SUPERSEDED: EventKind.SUPERSEDED,
    Status.RETRACTED: EventKind.RETRACTED,
}


@dataclass(frozen=True, slots=True)
class EntryWriter:
    """Changes to one user's entries, `most` at most, in one transaction of `Ledger.write`."""

    connection: sa.Connection
    scope: Scope
    most: int | None = None

    def read_own(self, entry_id: str, *conditions: Condition) -> Entry:
        """Return an entry of the user that meets all conditions. Raises NotFound or DamagedEntry."""
        return read_entry(self.connection, belongs_to(entries, self.scope), entries.c.id == entry_id, *conditions)

    def remember(self, draft: NewEntry) -> Entry:
        """Save a new entry, or return the one with the same idempotency key; see the port `Memory`.

        The corrected turn is linked in the same transaction, for consistency and to wait for one commit only. A
        missing or damaged turn does not prevent saving.
        """
        draft = replace(draft, **make_storable({each.name: getattr(draft, each.name) for each in fields(draft)}))
        same = (belongs_to(entries, self.scope), entries.c.idempotency_key == draft.idempotency_key)
        if row_exists(self.connection, entries.c.id, *same):
            entry = read_entry(self.connection, *same)
        elif draft.turn and find_erased(self.connection, [draft.turn]):
            raise NotFound("entry.forgotten")
        else:
            entry = self._save(draft)
        if entry.turn and entry.kind.corrects and entry.status is Status.ACTIVE:
            with suppress(NotFound, StoreError):
                mark_turn(self.connection, entry.turn, self.scope, {"corrected_by": entry.id})
        return entry

    def succeed(self, old: Entry, changes: Mapping[str, object]) -> Entry:
        """Save a new version of an entry with changed fields; return the existing one if it is the same.

        Raises NotFound or InputError.
        """
        known = old if old.status is Status.ACTIVE else find_successor(self.connection, old)
        if known is not None and known.body == known.body.changed(changes):
            return known
        if old.status is not Status.ACTIVE:
            raise NotFound("entry.changed")
        body = drop_unnamed(old.body).changed({**changes, "replaced": ()})
        # A fact told without a question has its own text as the question.
        is_own = old.kind.asserts and old.question == old.shown
        question = str(getattr(body, old.kind.shown)) if is_own else old.question
        further = tuple(key for key in old.keys if key.text != old.question)
        draft = NewEntry(old.kind, question, body, str(uuid.uuid4()), old.turn, old.model, further, supersedes=old.id)
        if draft.only_in != old.only_in and find_related(self.connection, self.scope, draft).all(Relation.REPLACED):
            raise InputError("entry.another_counts")
        entry = self._save(draft, old)
        # An edited text without triples does not show which entries it replaces, so nothing is restored.
        is_set = bool(changes.get("triples")) or ("triples" in changes and old.kind.shown not in changes)
        if is_set and not {*getattr(old.body, "triples", ())} <= {*getattr(entry.body, "triples", ())}:
            _, replaced = find_history(self.connection, entry, self.scope)
            others = [other for other in replaced if other.id not in entry.body.replaced]
            self.reactivate(other.id for other in others if relation_of(entry, other) is not Relation.REPLACED)
        return entry

    def retract(self, entry: Entry) -> None:
        """Retract an entry. If it was active, restore what it had superseded."""
        self._set_status(entry, Status.RETRACTED)
        if entry.status is Status.ACTIVE:
            for older in self._read(SUPERSEDED, filter(None, [entry.supersedes])):
                self._set_status(older, Status.ACTIVE)
            self.reactivate(entry.body.replaced)

    def set_place(self, entry: Entry, place: Place, other_id: str) -> Entry:
        """Set the place of an active entry relative to an earlier one; see the port `Memory`. Raises NotFound."""
        older = self.read_own(other_id)
        came_instead = older.id in {entry.supersedes, *entry.body.replaced}
        if came_instead and place is Place.INSTEAD:
            return entry
        is_other = older.id != entry.id and (older.kind, older.only_in) == (entry.kind, entry.only_in)
        is_free = entry.supersedes is None or entry.kind.asserts or place is not Place.INSTEAD  # facts replace several
        is_allowed = older.status is Status.ACTIVE and older.sequence < entry.sequence and is_other and is_free
        if not (_is_forerunner(older, entry) if came_instead else is_allowed):
            raise NotFound
        replaced = [other for other in entry.body.replaced if other != older.id]
        if place is Place.INSTEAD:
            self._set_status(older, Status.SUPERSEDED)
            if entry.supersedes:
                replaced.append(older.id)
            else:
                entry = change_entry(self.connection, entry, EventKind.REACHED, supersedes=older.id)
        elif came_instead:
            self.reactivate([older.id])
            entry = self.read_own(entry.id)
        apart = [*(other for other in entry.body.apart if other != older.id), *[older.id] * (place is Place.APART)]
        return change_body(self.connection, entry, {"apart": apart, "replaced": replaced})

    def find_earlier(self, entry: Entry, most: int) -> list[Entry]:
        """Return the user's earlier entries on the topic: first the replaced one, then active ones."""
        related = find_related(self.connection, self.scope, entry, through=entry.sequence)
        replaced = [
            older
            for older in self._read(SUPERSEDED, filter(None, [entry.supersedes]))
            if _is_forerunner(older, entry) and relation_of(entry, older) is not Relation.DUPLICATE
        ]
        return [*replaced, *self._read(ACTIVE, [*related.all(Relation.BESIDE), *related.near])][:most]

    def _save(self, draft: NewEntry, old: Entry | None = None) -> Entry:
        """Save a new entry, as a version of `old` if given."""
        owner = require_user(self.scope)
        for text in draft.texts:
            check_private(text)
        if dropped := find_unnamed(draft.body):
            raise NotSaid(dropped[0].line)
        if any(len(getattr(draft.body, name)) > MOST_TRIPLES for name in draft.kind.drawn):
            raise InputError("import.items", field="triples", count=MOST_TRIPLES)
        mine = sa.select(entries.c.id).where(belongs_to(entries, self.scope))
        if self.most and self.connection.execute(mine.limit(1).offset(self.most - 1)).first() is not None:
            raise InputError("entry.too_many", most=self.most)
        related = find_related(self.connection, self.scope, draft)
        superseded = old or self._find_superseded(draft, related)
        key_state, same = KeyState.WANTED.value if draft.wants_keys else None, tuple[Key, ...]()
        replaced = self._read(ACTIVE, related.confirmed if draft.kind.corrects else ())
        if superseded:
            self._set_status(superseded, Status.SUPERSEDED)
            state = self.connection.execute(
                sa.select(entries.c.key_state).where(entries.c.id == superseded.id)
            ).scalar_one()
            if old:
                key_state = KeyState.WANTED.value if state == KeyState.WRITTEN else state
            if draft.kind.asserts and not draft.body.place_chosen:
                others = related.all(Relation.REPLACED)
                replaced += self._read(ACTIVE, (other for other in others if other != superseded.id))
            if (superseded.id, Relation.DUPLICATE) in related.relations:
                same = superseded.keys
                # A repeated fact without triples inherits the earlier triples.
                if old is None and not any(getattr(draft.body, field) for field in draft.kind.drawn):
                    drawn = {field: getattr(superseded.body, field) for field in draft.kind.drawn}
                    draft = replace(draft, body=drop_unnamed(draft.body.changed(drawn)))
                if state == KeyState.BY_PERSON:
                    key_state = state
        for other in replaced:
            self._set_status(other, Status.SUPERSEDED)
        if replaced:
            draft = replace(draft, body=draft.body.changed({"replaced": [other.id for other in replaced]}))
        found_under = (Key(draft.question), *draft.further_keys, *same)
        columns = {"supersedes": superseded.id if superseded else None, "key_state": key_state}
        entry = save_entry(self.connection, draft, owner, found_under, **columns)
        rows = [{"entry_id": entry.id, "owner": owner, "form": form} for form in related.forms]
        self.connection.execute(sa.insert(forms), rows)
        return entry

    def _find_superseded(self, draft: NewEntry, related: RelatedEntries) -> Entry | None:
        """Return the entry that a new one supersedes, if any.

        In this order: the current version of the entry that the draft names; the one of its turn; the first related
        one that it replaces or repeats. Raises NotFound if the named entry is not the user's.
        """
        if draft.supersedes is not None:
            named = (belongs_to(entries, self.scope), entries.c.id == draft.supersedes)
            if not row_exists(self.connection, entries.c.id, *named):
                raise NotFound
            # An entry for one conversation supersedes nothing that applies everywhere.
            if (found := find_head(self.connection, *named)) is not None and draft.only_in in {"", found.only_in}:
                return found
        if draft.kind.corrects and draft.turn:
            of_turn = (entries.c.turn_id == draft.turn, entries.c.kind == draft.kind.name, ACTIVE)
            for stored in read_entries(self.connection, belongs_to(entries, self.scope), *of_turn):
                if stored.only_in == draft.only_in:
                    return stored
        nearest = related.all(Relation.REPLACED, Relation.DUPLICATE)[:1]
        return next(iter(self._read(ACTIVE, nearest)), None)  # a damaged entry must not prevent saving

    def reactivate(self, ids: Iterable[str]) -> None:
        """Make superseded entries active, and unlink the entries that superseded them."""
        for older in self._read(SUPERSEDED, ids):
            is_newer = (belongs_to(entries, self.scope), entries.c.supersedes == older.id)
            for newer in read_entries(self.connection, *is_newer):
                change_entry(self.connection, newer, EventKind.REACHED, supersedes=None)
            self._set_status(older, Status.ACTIVE)

    def _read(self, status: Condition, ids: Iterable[str]) -> list[Entry]:
        return read_entries_by_id(self.connection, ids, status, belongs_to(entries, self.scope))

    def _set_status(self, entry: Entry, status: Status) -> None:
        change_entry(self.connection, entry, _EVENTS[status], status=status.value)
        if status is not Status.ACTIVE:
            end_offers(self.connection, offers.c.entry_id == entry.id)


def _is_forerunner(older: Entry, entry: Entry) -> bool:
    """Return True if `older` was superseded by another statement, not by a rewording of itself."""
    is_same = (older.turn, older.question) == (entry.turn, entry.question)
    return older.status is Status.SUPERSEDED and older.kind == entry.kind and not is_same
