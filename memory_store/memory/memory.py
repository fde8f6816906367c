"""Save, list, edit, retract and erase entries: the port `Memory` over the ledger."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from sqlalchemy import case, delete, literal, select

from assistant.errors import InputError, NotFound
from assistant.kinds import LONGEST_NAME, Fact, Place, Reach, Triple
from assistant.reports.listing import EntryFilter, EntryPage
from assistant.reports.upkeep import Receipt
from assistant.text.cleaning import checked, storable
from assistant.text.content_rules import check_private
from assistant.types import Draft, Entry, Key, Scope, Status
from memory_store.ledger.access import own, person_of, readable
from memory_store.ledger.database.schema import EVIDENCE, SHARED, EventKind, KeyState, entries, events, searchable
from memory_store.ledger.entries import (
    ACTIVE,
    change_body,
    of_kinds,
    read_entries,
    read_entries_by_id,
    read_entry,
    replace_keys,
)
from memory_store.ledger.erased_rows import erased_among
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.reactions import with_reactions
from memory_store.ledger.rows import is_there
from memory_store.ledger.versions import forerunners, head, with_replaced
from memory_store.memory.entry_cache import EntryCache
from memory_store.memory.key_queue import changed_by_hand
from memory_store.memory.listing import find
from memory_store.memory.saving import Saving

_SHORTEST_WORD = 3  # letters; nearly every text contains shorter words
_MOST_WORDS = 12


class Erases(Protocol):
    """Methods of `Memory` that erase."""

    def taken_along(self, entry_id: str | None, scope: Scope) -> Mapping[str, int]: ...

    def forget(self, entry_id: str, scope: Scope) -> Receipt: ...

    def forget_all(self, scope: Scope) -> Receipt: ...


@dataclass
class LedgerMemory:
    """Implements `Memory`. Calls `changed` after each change that the index follows; it must return at once.

    `most` limits the entries per user; None for no limit.
    """

    _ledger: Ledger
    _erasing: Erases
    _changed: Callable[[], None] = lambda: None
    _most: int | None = None

    def __post_init__(self) -> None:
        self.entries_by_id = EntryCache(self._ledger).by_id
        self.taken_along, self.forget = self._erasing.taken_along, self._erasing.forget
        self.forget_all = self._erasing.forget_all

    def remember(self, draft: Draft, scope: Scope) -> Entry:
        return self.remember_all([draft], scope)[0]

    def remember_all(self, drafts: Iterable[Draft], scope: Scope) -> list[Entry]:
        """Save all entries in one transaction."""
        with self._ledger.write() as connection:
            saving = Saving(connection, self._ledger, scope, self._most)
            saved = [saving.remember(draft) for draft in drafts]
        self._changed()
        return saved

    def entry(self, entry_id: str, scope: Scope) -> Entry:
        with self._ledger.read() as connection:
            entry = read_entry(connection, readable(scope), entries.c.id == entry_id)
            if not scope.may_read(entry):
                raise NotFound
            return with_reactions(connection, [entry], scope)[0]

    def entries(self, scope: Scope, search: str = "", limit: int = 50, offset: int = 0) -> Sequence[Entry]:
        return self.find(scope, EntryFilter(search), limit, offset).entries

    def find(self, scope: Scope, wanted: EntryFilter, limit: int = 50, offset: int = 0) -> EntryPage:
        with self._ledger.read() as connection:
            return find(connection, scope, wanted, limit, offset)

    def earlier(self, entry_ids: Iterable[str], scope: Scope) -> Mapping[str, Sequence[Entry]]:
        with self._ledger.read() as connection:
            named = read_entries_by_id(connection, entry_ids, own(entries, scope))
            older = forerunners(connection, named, scope)
            lines = (with_replaced(connection, [entry, *older.get(entry.id, ())], scope) for entry in named)
            return {entry.id: earlier for entry, *earlier in lines if earlier}

    def replace_keys(self, entry_id: str, old: Collection[str], new: Sequence[Key], scope: Scope) -> Entry:
        for key in new:
            check_private(key.text)
        with self._ledger.write() as connection:
            entry = read_entry(connection, own(entries, scope), entries.c.id == entry_id, ACTIVE)
            after = changed_by_hand(entry, old, new)
            if after != entry.keys:
                entry = replace_keys(connection, self._ledger, entry, after, KeyState.BY_PERSON)
        self._changed()
        return entry

    def edit(self, entry_id: str, text: str, scope: Scope) -> Entry:
        check_private(text)
        return self._succeed(entry_id, lambda old: old.in_words(storable(text)), scope)

    def set_triples(self, entry_id: str, triples: Sequence[Triple], scope: Scope, text: str = "") -> Entry:
        check_private(text)
        told = [
            {side: checked(name, LONGEST_NAME) for side, name in triple.model_dump().items()}
            for triple in dict.fromkeys(triples)
        ]

        def changes(old: Entry) -> Mapping[str, object]:
            if not isinstance(old.body, Fact):
                raise NotFound
            return {**(old.in_words(storable(text)) if text else {}), "triples": told}

        return self._succeed(entry_id, changes, scope)

    def set_reach(self, entry_id: str, reach: Reach, scope: Scope, conversation: str = "") -> Entry:
        if reach is Reach.CONVERSATION and not conversation:
            raise NotFound
        changes = {**reach.fields(conversation), "reach_chosen": True}
        with self._ledger.write() as connection:
            entry = read_entry(connection, own(entries, scope), entries.c.id == entry_id)
            if entry.status == Status.ACTIVE and entry.only_in == changes["only_in"]:
                changed = change_body(connection, self._ledger, entry, changes)
                return with_reactions(connection, [changed], scope)[0]
        return self._succeed(entry_id, lambda _: changes, scope)

    def current(self, entry_id: str, scope: Scope) -> Entry | None:
        with self._ledger.read() as connection:
            found = head(connection, readable(scope), entries.c.id == entry_id)
        return found if found is not None and scope.may_read(found) else None

    def kept(self, turn_id: str, scope: Scope) -> Entry | None:
        of_turn = (own(entries, scope), entries.c.turn_id == turn_id, ACTIVE)
        with self._ledger.read() as connection:
            confirms = of_kinds(connection, lambda kind: kind.confirms)
            return next(iter(read_entries(connection, *of_turn, confirms, limit=1)), None)

    def retract(self, entry_id: str, scope: Scope) -> Entry:
        with self._ledger.write() as connection:
            entry = read_entry(connection, own(entries, scope), entries.c.id == entry_id)
            if entry.status == Status.RETRACTED:
                return entry
            Saving(connection, self._ledger, scope).retract(entry)
        self._changed()
        return replace(entry, status=Status.RETRACTED)

    def beside(self, entry_id: str, scope: Scope) -> Sequence[Entry]:
        with self._ledger.read() as connection:
            entry = read_entry(connection, own(entries, scope), entries.c.id == entry_id)
            return Saving(connection, self._ledger, scope).beside(entry)

    def put(self, entry_id: str, place: Place, other_id: str, scope: Scope, why_both: str = "") -> Entry:
        check_private(why_both)
        why_both = why_both if place is Place.BESIDE else ""
        with self._ledger.write() as connection:
            entry = read_entry(connection, own(entries, scope), entries.c.id == entry_id, ACTIVE)
            entry = Saving(connection, self._ledger, scope).put(entry, place, other_id)
            entry = change_body(connection, self._ledger, entry, {"place_chosen": True, "why_both": why_both})
        self._changed()
        return entry

    def count(self, entry_id: str, event: str, turn_id: str, scope: Scope) -> None:
        if event not in EVIDENCE:
            raise InputError(f'"{event}" is nothing that can be counted.')
        kind = EventKind(event)
        with self._ledger.write() as connection:
            is_known = is_there(connection, entries.c.id, readable(scope), entries.c.id == entry_id)
            if not is_known or erased_among(connection, [turn_id]):
                raise NotFound
            same = (events.c.entry_id == entry_id, events.c.turn_id == turn_id, events.c.kind == kind.value)
            if not is_there(connection, events.c.sequence, *same):
                self._ledger.append(connection, kind, entry_id, person_of(scope), turn_id)

    def pause(self, entry_id: str, scope: Scope) -> Entry:
        return self._limited(entry_id, EventKind.PAUSED, scope)

    def except_for(self, entry_id: str, turn_id: str, scope: Scope) -> Entry:
        return self._limited(entry_id, EventKind.EXCEPTED, scope, turn_id)

    def resume(self, entry_id: str, scope: Scope, turn_id: str | None = None) -> Entry:
        return self._limited(entry_id, EventKind.USED_AGAIN, scope, turn_id)

    def by_words(self, words: Collection[str], scope: Scope, limit: int) -> list[str]:
        """Return the ids of active entries that the user may read, by the number of folded words they contain.

        Among equals, newest first. Needs no index, so it also answers while the index is rebuilt, behind or down.
        """
        telling = [word for word in dict.fromkeys(words) if len(word) >= _SHORTEST_WORD][:_MOST_WORDS]
        has = [searchable.c.text.contains(word, autoescape=True) for word in telling]
        having = sum((case((each, 1), else_=0) for each in has), literal(0))
        query = select(entries.c.id).join(searchable, searchable.c.entry_id == entries.c.id).where(ACTIVE)
        query = query.order_by(having.desc(), entries.c.sequence.desc()).limit(limit)
        with self._ledger.read() as connection:
            some = (query.where(whose) for whose in (own(entries, scope), entries.c.scope == SHARED))
            return list(dict.fromkeys(found for each in some for found in connection.execute(each).scalars()))

    def is_empty(self, scope: Scope) -> bool:
        """Return True if the user can read no active entry."""
        with self._ledger.read() as connection:
            return not is_there(connection, entries.c.id, readable(scope), ACTIVE)

    def _limited(self, entry_id: str, kind: EventKind, scope: Scope, turn_id: str | None = None) -> Entry:
        """Record that the user pauses, excludes or resumes an entry, unless nothing changes."""
        with self._ledger.write() as connection:
            before = read_entry(connection, readable(scope), entries.c.id == entry_id, ACTIVE)
            if not scope.may_read(before) or (turn_id and erased_among(connection, [turn_id])):
                raise NotFound
            known = with_reactions(connection, [before], scope)[0]
            is_paused, is_free = known.resting, not (known.resting or known.not_for)
            if (kind is EventKind.PAUSED and is_paused) or (kind is EventKind.USED_AGAIN and is_free):
                return known
            if turn_id:  # one event per entry, turn and kind: replace an earlier one, so that the last one applies
                same = (events.c.entry_id == entry_id, events.c.turn_id == turn_id, events.c.kind == kind.value)
                connection.execute(delete(events).where(own(events, scope), *same))
            self._ledger.append(connection, kind, entry_id, person_of(scope), turn_id)
            return with_reactions(connection, [before], scope)[0]

    def _succeed(self, entry_id: str, changing: Callable[[Entry], Mapping[str, object]], scope: Scope) -> Entry:
        """Save a new version of an entry with the changes that `changing` returns."""
        with self._ledger.write() as connection:
            old = read_entry(connection, own(entries, scope), entries.c.id == entry_id)
            entry = Saving(connection, self._ledger, scope, self._most).succeed(old, changing(old))
        self._changed()
        return entry
