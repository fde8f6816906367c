"""How an entry comes, is succeeded and goes, and what then becomes of the person's older ones, in one transaction.

How two relate is decided in `memory_store.memory.relation`. A new entry takes the place of the one that it replaces or
merges with. An entry that counts gives a key with its context to those beside it, and takes the examples of its
question out, since that was misunderstood; once it counts no more, all that is as it was before.
"""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from typing import cast

import sqlalchemy as sa

from assistant.errors import InputError, NotFound, NotSaid, StoreError, TooManyEntries
from assistant.kinds import MOST_TRIPLES, Place
from assistant.text.content_rules import check_private
from assistant.types import Draft, Entry, Key, Scope, Status
from memory_store.ledger.access import own, person_of
from memory_store.ledger.database.schema import EventKind, KeyState, entries, forms
from memory_store.ledger.entries import (
    ACTIVE,
    change_body,
    of_kinds,
    read_entries,
    read_entries_by_id,
    read_entry,
    replace_forerunner,
    save_entry,
    set_status,
)
from memory_store.ledger.erased_rows import erased_among
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.named_things import unnamed, with_named_only
from memory_store.ledger.rows import is_there, kept
from memory_store.ledger.versions import forerunners, head, successor
from memory_store.memory.related import Related, find_related
from memory_store.memory.relation import Relation, form_digests, kinds_of_other_values, relation_of
from memory_store.sharing.sharing import end_offers
from memory_store.turns.turns import mark_turn

_OWNER: sa.BindParameter[str] = sa.bindparam("owner")
_KIND: sa.BindParameter[str] = sa.bindparam("kind")
_SAME = sa.select(entries.c.id).where(entries.c.owner == _OWNER, entries.c.idempotency_key == sa.bindparam("key"))
_OF_TURN = sa.select(entries.c.id).where(
    entries.c.owner == _OWNER, entries.c.turn_id == sa.bindparam("turn"), entries.c.kind == _KIND, ACTIVE
)
_INSERT_FORMS = sa.insert(forms)


@dataclass(frozen=True, slots=True)
class Saving:
    """A person's entries, `most` at most, in one transaction of `Ledger.write`."""

    connection: sa.Connection
    ledger: Ledger
    scope: Scope
    most: int | None = None

    def remember(self, draft: Draft) -> Entry:
        """A new entry, or the one that the same idempotency key has saved before; see the port `Memory`."""
        draft = replace(draft, **kept({each.name: getattr(draft, each.name) for each in fields(draft)}))
        bound = {"owner": person_of(self.scope), "key": draft.idempotency_key}
        if (known := self.connection.execute(_SAME, bound).scalar()) is not None:
            return self._noted_in_turn(read_entry(self.connection, own(entries, self.scope), entries.c.id == known))
        if draft.turn and erased_among(self.connection, [draft.turn]):
            raise NotFound("entry.forgotten")
        return self._noted_in_turn(self._save(draft))

    def succeed(self, old: Entry, changes: Mapping[str, object]) -> Entry:
        """A new entry that supersedes an old one, with some fields changed. Raises NotFound or InputError."""
        if old.status != Status.ACTIVE:
            raise NotFound("entry.changed")
        body = with_named_only(old.body).changed({**changes, "replaced": ()})
        # What was told out of the blue has its own words for a question.
        is_own = old.kind.asserts and old.question == old.shown
        question = str(getattr(body, old.kind.shown)) if is_own else old.question
        further = tuple(key for key in old.keys if key.text != old.question)
        draft = Draft(old.kind, question, body, str(uuid.uuid4()), old.turn, old.model, further, supersedes=old.id)
        if draft.only_in != old.only_in and find_related(self.connection, self.scope, draft).all(Relation.REPLACED):
            raise InputError("entry.another_counts")
        state = self._key_state(old)
        entry = self._save(draft, KeyState.WANTED.value if state == KeyState.WRITTEN else state, old)
        # Edited words say nothing of what their triples had replaced: that stays as it is.
        is_set = bool(changes.get("triples")) or ("triples" in changes and old.kind.shown not in changes)
        if is_set and _gives_up(old, entry):
            self._bring_back_not_replaced(entry)
        return entry

    def retract(self, entry: Entry) -> None:
        """Take an entry back; where it counted, the one that it had superseded counts again."""
        self._set_status(entry, Status.RETRACTED, EventKind.RETRACTED)
        if entry.status != Status.ACTIVE:
            return
        self.leave(entry)
        for older in read_entries(self.connection, own(entries, self.scope), entries.c.id == entry.supersedes):
            if older.status == Status.SUPERSEDED:
                self._set_status(older, Status.ACTIVE, EventKind.RESTORED)
                self._supersede_confirmed(older, find_related(self.connection, self.scope, older, older.id))
        self._bring_back_replaced(entry)

    def put(self, entry: Entry, place: Place, other_id: str) -> Entry:
        """Say what an active entry is to an earlier one; see the port `Memory`. Raises NotFound."""
        older = read_entry(self.connection, own(entries, self.scope), entries.c.id == other_id)
        came_instead = older.id in {entry.supersedes, *entry.body.replaced}
        if came_instead and place is Place.INSTEAD:
            return entry
        if not (_is_forerunner(older, entry) if came_instead else _may_be_put(entry, place, older)):
            raise NotFound
        replaced = [other for other in entry.body.replaced if other != older.id]
        if place is Place.INSTEAD and entry.supersedes:
            replaced += self._supersede_also(entry, [older.id])
        elif place is Place.INSTEAD:
            self._supersede(older)
            entry = replace_forerunner(self.connection, self.ledger, entry, older.id)
        elif came_instead:
            self._bring_back(older)
            entry = read_entry(self.connection, entries.c.id == entry.id)
        apart = [other for other in entry.body.apart if other != older.id]
        apart += [older.id] if place is Place.APART else []
        changes: dict[str, object] = {"apart": apart, "replaced": replaced}
        if place is Place.INSTEAD or came_instead:
            changes["one_valued"] = kinds_of_other_values(entry, older) if place is Place.INSTEAD else ()
        entry = change_body(self.connection, self.ledger, entry, changes)
        self.connection.execute(sa.delete(forms).where(forms.c.entry_id == entry.id))
        self._insert_forms(entry, form_digests(entry))
        self._supersede_confirmed(entry, find_related(self.connection, self.scope, entry, entry.id))
        return entry

    def earlier(self, entry: Entry, most: int) -> list[Entry]:
        """What the person said before of the same thing: what the entry came in place of, then what still counts."""
        forerunner = [entries.c.id == entry.supersedes, entries.c.status == Status.SUPERSEDED.value]
        found = read_entries(self.connection, own(entries, self.scope), *forerunner) if entry.supersedes else []
        related = find_related(self.connection, self.scope, entry, entry.id, through=entry.sequence)
        counting = self._active([*related.all(Relation.BESIDE), *related.near])
        replaced = [each for each in found if relation_of(entry, each) is not Relation.DUPLICATE]
        return [*(older for older in replaced if _is_forerunner(older, entry)), *counting][:most]

    def leave(self, entry: Entry) -> None:
        """An entry, whose status is changed already, counts no more, and nothing has come in its place."""
        if entry.kind.corrects:
            self._bring_back_confirmed(entry)

    def _save(self, draft: Draft, key_state: str | None = None, old: Entry | None = None) -> Entry:
        for text in draft.texts:
            check_private(text)
        if dropped := unnamed(draft.body):
            raise NotSaid(dropped[0].line)
        if any(len(getattr(draft.body, name)) > MOST_TRIPLES for name in draft.kind.drawn):
            raise InputError("import.items", field="triples", count=MOST_TRIPLES)
        self._check_number()
        related = find_related(self.connection, self.scope, draft)
        superseded = self._supersede(old or self._in_place_of(draft, related))
        if superseded and draft.kind.asserts and not draft.body.place_chosen:
            others = [other for other in related.all(Relation.REPLACED) if other != superseded.id]
            also = self._supersede_also(superseded, others)
            draft = replace(draft, body=draft.body.changed({"replaced": also}))
        is_again = superseded is not None and (superseded.id, Relation.DUPLICATE) in related.relations
        kept = superseded.keys if superseded and is_again else ()
        if superseded and is_again and old is None:
            draft = _with_drawn(draft, superseded)
        if superseded and kept and self._key_state(superseded) == KeyState.BY_PERSON:
            key_state = key_state or KeyState.BY_PERSON.value
        columns = {
            "supersedes": superseded.id if superseded else None,
            "key_state": key_state or (KeyState.WANTED.value if draft.wants_keys else None),
        }
        found_under = distinct((Key(draft.question), *draft.further_keys, *kept))
        entry = save_entry(self.connection, self.ledger, draft, person_of(self.scope), found_under, **columns)
        self._insert_forms(entry, related.forms)
        self._supersede_confirmed(entry, related)
        return entry

    def _insert_forms(self, entry: Entry, digests: Iterable[str]) -> None:
        rows = [{"entry_id": entry.id, "owner": entry.owner, "form": form} for form in digests]
        self.connection.execute(_INSERT_FORMS, rows)

    def _check_number(self) -> None:
        """Raises TooManyEntries where there is no room for one more."""
        last = sa.select(entries.c.id).where(own(entries, self.scope)).limit(1).offset((self.most or 1) - 1)
        if self.most and self.connection.execute(last).first() is not None:
            raise TooManyEntries(self.most)

    def _in_place_of(self, draft: Draft, related: Related) -> Entry | None:
        """The entry in whose place a new one comes.

        It is the one that the draft names, as it is now, or that of its turn; else one that says something else of the
        same question, or the same of the same kind of question. Raises NotFound where the one named is not theirs.
        """
        older = self._named(draft)
        if older is None and (nearest := related.all(Relation.REPLACED, Relation.DUPLICATE)):
            # One that is damaged keeps nothing from being saved.
            older = next(iter(read_entries_by_id(self.connection, nearest[:1])), None)
        return older

    def _supersede(self, older: Entry | None) -> Entry | None:
        """Supersede an entry, and return it."""
        if older is None:
            return None
        self._set_status(older, Status.SUPERSEDED, EventKind.SUPERSEDED)
        return older

    def _supersede_also(self, newest: Entry, ids: Sequence[str]) -> list[str]:
        """Supersede entries beside the newest of these; each goes to the end of its line, where there is room for it.

        In a line each is older than the one before it. Of the others, only who replaced them knows. Returns their ids.
        """
        replaced = self._active(ids)
        for older in replaced:
            self._supersede(older)
            newest = read_entry(self.connection, entries.c.id == newest.id)
            last = [newest, *forerunners(self.connection, [newest], self.scope).get(newest.id, [])][-1]
            if older.sequence < last.sequence and last.supersedes is None:
                replace_forerunner(self.connection, self.ledger, last, older.id)
        return [older.id for older in replaced]

    def _bring_back_replaced(self, entry: Entry) -> None:
        """Let those count again that an entry which counts no more had superseded beside another one."""
        for older in self._superseded(entry.body.replaced):
            self._bring_back(older)

    def _bring_back_not_replaced(self, entry: Entry) -> None:
        """Let those count again that a fact replaced by a value that it gives no more."""
        versions = forerunners(self.connection, [entry], self.scope).get(entry.id, [])
        for older in self._superseded([name for version in versions for name in version.body.replaced]):
            if relation_of(entry, older) is not Relation.REPLACED:
                self._bring_back(older)

    def _superseded(self, ids: Sequence[str]) -> list[Entry]:
        return read_entries_by_id(self.connection, ids, entries.c.status == Status.SUPERSEDED.value) if ids else []

    def _bring_back(self, older: Entry) -> None:
        for newer in read_entries(self.connection, own(entries, self.scope), entries.c.supersedes == older.id):
            replace_forerunner(self.connection, self.ledger, newer, None)
        self._set_status(older, Status.ACTIVE, EventKind.RESTORED)

    def _named(self, draft: Draft) -> Entry | None:
        """The entry that the draft names, as it is now, or the one that put its turn right."""
        if draft.supersedes is not None:
            named = (own(entries, self.scope), entries.c.id == draft.supersedes)
            if not is_there(self.connection, entries.c.id, *named):
                raise NotFound
            # What counts in one conversation takes the place of nothing that counts in all.
            if (found := head(self.connection, *named)) is not None and draft.only_in in {"", found.only_in}:
                return found
        if not draft.kind.corrects or not draft.turn:
            return None
        bound = {"owner": person_of(self.scope), "turn": draft.turn, "kind": draft.kind.name}
        ids = self.connection.execute(_OF_TURN, bound).scalars().all()
        noted = read_entries(self.connection, entries.c.id.in_(ids)) if ids else []
        return next((entry for entry in noted if entry.only_in == draft.only_in), None)

    def _supersede_confirmed(self, entry: Entry, related: Related) -> None:
        """Supersede the answers that were confirmed before an entry that says they are wrong."""
        older = self._active(related.confirmed) if entry.kind.corrects else []
        for confirmed in older:
            if confirmed.sequence < entry.sequence:
                self._set_status(confirmed, Status.SUPERSEDED, EventKind.SUPERSEDED)

    def _bring_back_confirmed(self, entry: Entry) -> None:
        """What an entry that corrects had taken out, where no newer one says that it is wrong."""
        corrects = of_kinds(self.connection, lambda kind: kind.corrects)
        standing = self._of_question(entry, corrects, ACTIVE)
        since = max((other.sequence for other in standing), default=0)
        taken_out = (entries.c.status == Status.SUPERSEDED.value, entries.c.sequence > since)
        confirms = of_kinds(self.connection, lambda kind: kind.confirms)
        for confirmed in self._of_question(entry, confirms, *taken_out):
            if successor(self.connection, confirmed) is None:
                self._set_status(confirmed, Status.ACTIVE, EventKind.RESTORED)

    def _of_question(self, entry: Entry, *conditions: sa.ColumnElement[bool]) -> list[Entry]:
        form = form_digests(entry)[0]
        ids = sa.select(forms.c.entry_id).where(own(forms, self.scope), forms.c.form == form)
        named = (entries.c.id.in_(ids), entries.c.id != entry.id)
        return read_entries(self.connection, own(entries, self.scope), *named, *conditions)

    def beside(self, entry: Entry) -> list[Entry]:
        """Those that say something else of the same question as an entry, or of a word in it."""
        related = find_related(self.connection, self.scope, entry, entry.id)
        # Of facts that both count, none replaces the other: the person let them, or there was no room.
        return self._active(related.all(Relation.BESIDE, *([Relation.REPLACED] if entry.kind.asserts else [])))

    def _active(self, ids: Sequence[str]) -> list[Entry]:
        return read_entries_by_id(self.connection, ids, ACTIVE) if ids else []

    def _set_status(self, entry: Entry, status: Status, kind: EventKind) -> None:
        set_status(self.connection, self.ledger, entry.id, status)
        self.ledger.append(self.connection, kind, entry.id, entry.owner)
        if status is not Status.ACTIVE:
            end_offers(self.connection, self.ledger, [entry.id])

    def _key_state(self, entry: Entry) -> str | None:
        query = sa.select(entries.c.key_state).where(entries.c.id == entry.id)
        return cast("str | None", self.connection.execute(query).scalar_one())

    def _noted_in_turn(self, entry: Entry) -> Entry:
        """The entry, noted in the turn that it put right; one that is not kept, or damaged, prevents no saving.

        In the transaction of the entry, so that neither ever is without the other, and "Saved" waits for one commit.
        """
        if entry.turn and entry.kind.corrects and entry.status is Status.ACTIVE:
            with suppress(NotFound, StoreError):
                mark_turn(self.connection, entry.turn, self.scope, {"corrected_by": entry.id})
        return entry


def _with_drawn(draft: Draft, said_before: Entry) -> Draft:
    """What is said once more in the same words, with what had been drawn from them where it brings nothing of that."""
    drawn = {field: getattr(said_before.body, field) for field in draft.kind.drawn}
    brings = any(getattr(draft.body, field) for field in draft.kind.drawn)
    return draft if brings else replace(draft, body=with_named_only(draft.body.changed(drawn)))


def _is_forerunner(older: Entry, entry: Entry) -> bool:
    """Whether an entry came in the place of another one, which it does not only put in other words."""
    return older.status is Status.SUPERSEDED and (older.turn, older.question) != (entry.turn, entry.question)


def _gives_up(old: Entry, entry: Entry) -> bool:
    """Whether a fact says something of things no more."""
    return not {*getattr(old.body, "triples", ())} <= {*getattr(entry.body, "triples", ())}


def _may_be_put(entry: Entry, place: Place, older: Entry) -> bool:
    """Whether one that still counts may come to be this to an entry: but for facts, each takes the place of one."""
    is_other = older.id != entry.id and (older.kind, older.only_in) == (entry.kind, entry.only_in)
    is_free = entry.supersedes is None or entry.kind.asserts or place is not Place.INSTEAD
    return older.status is Status.ACTIVE and older.sequence < entry.sequence and is_other and is_free


def changed_already(connection: sa.Connection, entry: Entry, changes: Mapping[str, object]) -> Entry | None:
    """The entry that counts and is as these changes would make it: the entry itself, or the one that supersedes it."""
    known = entry if entry.status == Status.ACTIVE else successor(connection, entry)
    return known if known is not None and known.body == known.body.changed(changes) else None


def distinct(found_under: Iterable[Key]) -> tuple[Key, ...]:
    """The keys without those whose text another one has before them."""
    first: dict[str, Key] = {}
    for key in found_under:
        first.setdefault(key.text, key)
    return tuple(first.values())
