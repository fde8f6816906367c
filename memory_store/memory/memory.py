"""Save, list, edit, retract and erase entries: the ports `Memory` and `KeyWork` over the ledger.

The queue of entries whose keys a model is to write is the column `key_state` of entries: an entry is queued when it is
saved, removed when it is erased, and skipped while it is superseded or retracted.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from sqlalchemy import Connection, case, delete, func, literal, or_, select

from assistant.errors import InputError, NotFound
from assistant.kinds import LONGEST_NAME, Fact, Place, Reach, Triple
from assistant.ports import WrittenKeys
from assistant.reports.listing import EntryFilter, EntryPage
from assistant.reports.upkeep import Receipt
from assistant.text.cleaning import check_text, clean_text
from assistant.text.content_rules import check_private
from assistant.types import Entry, Key, KeyOrigin, NewEntry, Scope, Status
from memory_store.ledger.access import belongs_to, bypass_index, is_readable, require_user
from memory_store.ledger.database.schema import EVIDENCE, SHARED, Condition, EventKind, KeyState, entries, events
from memory_store.ledger.entries import (
    ACTIVE,
    STORED,
    TextFilter,
    change_body,
    change_entry,
    find_head,
    find_history,
    load_entries,
    read_entries,
    read_entries_by_id,
    read_entry,
    show_to,
    write_keys,
)
from memory_store.ledger.erased_rows import find_erased
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.rows import IDS, OWNER, read_page, read_rows, row_exists
from memory_store.memory.entry_writer import EntryWriter
from memory_store.memory.relation import Relation, find_related

_SHORTEST_WORD = 3  # letters; nearly every text contains shorter words
_MOST_WORDS = 12
MOST_KEYS = 40  # of an entry, after a user changed its keys
_MOST_EARLIER = 4  # earlier entries that the model compares a new one with

_MAY_READ = or_(entries.c.owner == OWNER, entries.c.scope == SHARED)
_READABLE = STORED.where(entries.c.id.in_(IDS), bypass_index(_MAY_READ), ACTIVE)
_WAITING = (ACTIVE, entries.c.key_state == KeyState.WANTED.value)


@dataclass
class LedgerMemory:
    """Implements `Memory`, whose methods that erase are given, and the methods of the list of entries.

    Calls `changed` after each change that the index follows; it must return at once. `most` limits the entries per
    user; None for no limit.
    """

    _ledger: Ledger
    taken_along: Callable[[str | None, Scope], Mapping[str, int]]
    forget: Callable[[str, Scope], Receipt]
    forget_all: Callable[[Scope], Receipt]
    _changed: Callable[[], None] = lambda: None
    _most: int | None = None

    def remember(self, draft: NewEntry, scope: Scope) -> Entry:
        return self.remember_all([draft], scope)[0]

    def remember_all(self, drafts: Iterable[NewEntry], scope: Scope) -> list[Entry]:
        """Save all entries in one transaction."""
        with self._write(scope) as writer:
            return [writer.remember(draft) for draft in drafts]

    def entry(self, entry_id: str, scope: Scope) -> Entry:
        with self._ledger.read() as connection:
            return self._read(connection, entry_id, scope)

    def entries(self, scope: Scope, search: str = "", limit: int = 50, offset: int = 0) -> Sequence[Entry]:
        return self.find(scope, EntryFilter(search), limit, offset).entries

    def find(self, scope: Scope, wanted: EntryFilter, limit: int = 50, offset: int = 0) -> EntryPage:
        conditions = [belongs_to(entries, scope), ACTIVE]
        if search := wanted.search.strip():
            conditions.append(TextFilter(search).is_in_row())
        if wanted.start:
            conditions.append(entries.c.id.startswith(wanted.start, autoescape=True))
        if wanted.among is not None:
            conditions.append(entries.c.id.in_(wanted.among))
        exact = {entries.c.kind: wanted.kind, entries.c.turn_id: wanted.turn}
        conditions += (column == value for column, value in exact.items() if value is not None)
        newest = entries.c.sequence.desc()
        with self._ledger.read() as connection:
            rows, total = read_page(connection, STORED.where(*conditions), newest, limit=limit, offset=offset)
            return EntryPage(show_to(scope, connection, load_entries(connection, rows)), total)

    def earlier(self, entry_ids: Iterable[str], scope: Scope) -> Mapping[str, Sequence[Entry]]:
        with self._ledger.read() as connection:
            named = read_entries_by_id(connection, entry_ids, belongs_to(entries, scope))
            found = {entry.id: [*chain(*find_history(connection, entry, scope))] for entry in named}
            return {entry_id: earlier for entry_id, earlier in found.items() if earlier}

    def replace_keys(self, entry_id: str, old: Collection[str], new: Sequence[Key], scope: Scope) -> Entry:
        for key in new:
            check_private(key.text)
        with self._write(scope) as writer:
            entry = writer.read_own(entry_id, ACTIVE)
            after = replace_edited_keys(entry, old, new)
            if after == write_keys(entry.keys):
                return entry
            columns = {"found_under": after, "key_state": KeyState.BY_PERSON.value}
            return change_entry(writer.connection, entry, EventKind.KEYED, **columns)

    def edit(self, entry_id: str, text: str, scope: Scope) -> Entry:
        with self._write(scope) as writer:
            old = writer.read_own(entry_id)
            return writer.succeed(old, old.in_words(clean_text(text)))

    def set_triples(self, entry_id: str, triples: Sequence[Triple], scope: Scope, text: str = "") -> Entry:
        checked = [
            {side: check_text(name, LONGEST_NAME) for side, name in triple.model_dump().items()}
            for triple in dict.fromkeys(triples)
        ]
        with self._write(scope) as writer:
            old = writer.read_own(entry_id)
            if not isinstance(old.body, Fact):
                raise NotFound
            words = old.in_words(clean_text(text)) if text else {}
            return writer.succeed(old, {**words, "triples": checked})

    def set_reach(self, entry_id: str, reach: Reach, scope: Scope, conversation: str = "") -> Entry:
        if reach is Reach.CONVERSATION and not conversation:
            raise NotFound
        changes = {**reach.fields(conversation), "reach_chosen": True}
        with self._write(scope) as writer:
            entry = writer.read_own(entry_id)
            if entry.status != Status.ACTIVE or entry.only_in != changes["only_in"]:
                return writer.succeed(entry, changes)
            changed = change_body(writer.connection, entry, changes)
            return show_to(scope, writer.connection, [changed])[0]

    def current(self, entry_id: str, scope: Scope) -> Entry | None:
        with self._ledger.read() as connection:
            found = find_head(connection, is_readable(scope), entries.c.id == entry_id)
        return found if found is not None and scope.may_read(found) else None

    def kept(self, turn_id: str, scope: Scope) -> Entry | None:
        confirming = [kind.name for kind in self._ledger.kinds.values() if kind.confirms]
        of_turn = (belongs_to(entries, scope), entries.c.turn_id == turn_id, ACTIVE, entries.c.kind.in_(confirming))
        with self._ledger.read() as connection:
            return next(iter(read_entries(connection, *of_turn, limit=1)), None)

    def retract(self, entry_id: str, scope: Scope) -> Entry:
        with self._write(scope) as writer:
            entry = writer.read_own(entry_id)
            if entry.status != Status.RETRACTED:
                writer.retract(entry)
        return replace(entry, status=Status.RETRACTED)

    def beside(self, entry_id: str, scope: Scope) -> Sequence[Entry]:
        with self._ledger.read() as connection:
            entry = EntryWriter(connection, scope).read_own(entry_id)
            # Two active facts may contradict: the user kept both, or one of them was already superseded by another.
            relations = (Relation.BESIDE, *([Relation.REPLACED] if entry.kind.asserts else []))
            found = find_related(connection, scope, entry).all(*relations)
            return read_entries_by_id(connection, found, ACTIVE, belongs_to(entries, scope))

    def put(self, entry_id: str, place: Place, other_id: str, scope: Scope, why_both: str = "") -> Entry:
        check_private(why_both)
        changes = {"place_chosen": True, "why_both": why_both if place is Place.BESIDE else ""}
        with self._write(scope) as writer:
            entry = writer.set_place(writer.read_own(entry_id, ACTIVE), place, other_id)
            return change_body(writer.connection, entry, changes)

    def count(self, entry_id: str, event: str, turn_id: str, scope: Scope) -> None:
        if event not in EVIDENCE:
            raise InputError(f'"{event}" cannot be counted.')
        self._react(entry_id, EventKind(event), scope, turn_id)

    def pause(self, entry_id: str, scope: Scope) -> Entry:
        return self._react(entry_id, EventKind.PAUSED, scope, None, ACTIVE)

    def except_for(self, entry_id: str, turn_id: str, scope: Scope) -> Entry:
        return self._react(entry_id, EventKind.EXCEPTED, scope, turn_id, ACTIVE)

    def resume(self, entry_id: str, scope: Scope, turn_id: str | None = None) -> Entry:
        return self._react(entry_id, EventKind.USED_AGAIN, scope, turn_id, ACTIVE)

    def by_words(self, words: Collection[str], scope: Scope, limit: int) -> list[str]:
        """Return the ids of active entries that the user may read, by the number of folded words they contain.

        Among equals, newest first. Needs no index, so it also answers while the index is rebuilt, behind or down.
        """
        telling = [word for word in dict.fromkeys(words) if len(word) >= _SHORTEST_WORD][:_MOST_WORDS]
        has = [entries.c.search_text.contains(word, autoescape=True) for word in telling]
        having = sum((case((each, 1), else_=0) for each in has), literal(0))
        query = select(entries.c.id).where(ACTIVE).order_by(having.desc(), entries.c.sequence.desc()).limit(limit)
        with self._ledger.read() as connection:
            some = (query.where(whose) for whose in (belongs_to(entries, scope), entries.c.scope == SHARED))
            return list(dict.fromkeys(found for each in some for found in connection.execute(each).scalars()))

    def is_empty(self, scope: Scope) -> bool:
        """Return True if the user can read no active entry."""
        with self._ledger.read() as connection:
            return not row_exists(connection, entries.c.id, is_readable(scope), ACTIVE)

    def entries_by_id(self, ids: Iterable[str], scope: Scope) -> Mapping[str, Entry]:
        """Return the active, intact entries with these ids that the user may read, by id."""
        with self._ledger.read() as connection:
            found = load_entries(connection, read_rows(connection, _READABLE, ids, owner=require_user(scope)))
            return {entry.id: entry for entry in show_to(scope, connection, found)}

    def _react(
        self, entry_id: str, kind: EventKind, scope: Scope, turn_id: str | None, *conditions: Condition
    ) -> Entry:
        """Record that a user did something with an entry: once per turn and kind, as the last time applies."""
        with self._ledger.write() as connection:
            entry = self._read(connection, entry_id, scope, *conditions)
            if turn_id and find_erased(connection, [turn_id]):
                raise NotFound
            same = (events.c.entry_id == entry_id, events.c.turn_id == turn_id, events.c.kind == kind.value)
            connection.execute(delete(events).where(belongs_to(events, scope), *same))
            self._ledger.append(connection, kind, [(entry_id, turn_id)], require_user(scope))
            return show_to(scope, connection, [entry])[0]

    def _read(self, connection: Connection, entry_id: str, scope: Scope, *conditions: Condition) -> Entry:
        entry = read_entry(connection, is_readable(scope), entries.c.id == entry_id, *conditions)
        for shown in show_to(scope, connection, [entry]):
            return shown
        raise NotFound

    @contextmanager
    def _write(self, scope: Scope) -> Iterator[EntryWriter]:
        """Open a transaction for changes that the index follows."""
        with self._ledger.write() as connection:
            yield EntryWriter(connection, scope, self._most)
        self._changed()


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
            return EntryWriter(connection, Scope(entry.owner)).find_earlier(entry, _MOST_EARLIER)

    def written(self, entry_id: str, written: WrittenKeys) -> bool:
        with self._ledger.write() as connection:
            entry = _is_waiting(connection, entry_id)
            now = {each.id: each for each in read_entries_by_id(connection, [each.id for each in written.seen])}
            is_same = (now[each.id].wrong_understanding == each.wrong_understanding for each in written.seen)
            if entry is None or len(now) < len(written.seen) or not all(is_same):
                return False
            own_keys = (key for key in entry.keys if key.origin is not KeyOrigin.MODEL)
            found_under = write_keys((*own_keys, *written.keys))
            columns: dict[str, Any] = {"found_under": found_under, "key_state": KeyState.WRITTEN.value}
            # A shared copy stays as the curator accepted it, and reach and places as the user chose them.
            places = {} if entry.shared or entry.body.place_chosen else written.places
            if not entry.shared:
                in_view = [each.id for each in written.seen if each.id != entry.id]
                changes: dict[str, object] = {"title": written.title, "in_view": in_view}
                if written.reach is not None and not (entry.body.reach_chosen or entry.only_in):
                    changes |= written.reach.fields("")
                columns["body"] = entry.body.changed(changes).stored()
            entry = change_entry(connection, entry, EventKind.KEYED, **columns)
            for other, place in places.items():
                with suppress(NotFound):
                    entry = EntryWriter(connection, Scope(entry.owner)).set_place(entry, place, other)
        self._changed()
        return True


def replace_edited_keys(entry: Entry, old: Collection[str], new: Sequence[Key]) -> list[dict[str, str]]:
    """Return the keys of an entry, as stored, after the user replaced the keys with the texts `old` by `new`.

    Raises InputError for the question, which stays a key, and NotFound if one in `old` is missing.
    """
    if entry.question in old:
        raise InputError("key.is_question")
    known = {key.text for key in entry.keys}
    kept = [key for key in entry.keys if key.text not in old]
    if not known.issuperset(old):
        if known.issuperset(key.text for key in new):
            return write_keys(kept)
        raise NotFound("key.meanwhile")
    # A changed key keeps its place in the list.
    place = next((place for place, key in enumerate(entry.keys) if key.text in old), len(entry.keys))
    changed = write_keys((*kept[:place], *new, *kept[place:]))
    if len(changed) > max(MOST_KEYS, len(entry.keys)):
        raise InputError("key.too_many", count=MOST_KEYS)
    return changed


def _is_waiting(connection: Connection, entry_id: str) -> Entry | None:
    return next(iter(read_entries(connection, *_WAITING, entries.c.id == entry_id)), None)
