"""What becomes of a person's older entries when one comes or goes, inside the transaction that saves.

Who is kin to whom is decided elsewhere (`memory_store.kinship`); here it is looked up and carried out. A new entry
takes the place of the one that it replaces or merges with. An entry that counts gives a key with its context to those
beside it, and takes the examples of its question out, since that question was misunderstood; once it counts no more,
all that is as it was before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

from sqlalchemy import ColumnElement, Connection, case, func, insert, select

from assistant.errors import NotFound
from assistant.types import Draft, Entry, Key, KeyOrigin, Kind, Scope, Status
from memory_store.entries import add_keys, read_entries, read_entries_by_id, set_keys, set_status
from memory_store.kinship import Kin, Kinship, Said
from memory_store.ledger import Ledger
from memory_store.lineage import head, successor
from memory_store.schema import EventKind, entries, forms
from memory_store.scoping import own

_MOST_KIN = 16  # entries compared that share a form: the same question first, then the newest
_NEWEST = 8  # entries compared in any case: people repeat themselves soon, and not always in comparable form
_ACTIVE = entries.c.status == Status.ACTIVE.value


@dataclass(frozen=True, slots=True)
class Conflicts:
    """Every method takes a connection that comes from `Ledger.write`.

    Args:
        ledger: where the entries are.
        kinship: who is kin to whom.
    """

    ledger: Ledger
    kinship: Kinship

    def make_way(self, connection: Connection, draft: Draft, scope: Scope) -> tuple[Entry | None, tuple[Key, ...]]:
        """Supersede the entry in whose place a new one comes; return it, and those of its keys that the new one keeps.

        It is the one that the draft names, as it is now, or that of its turn; else one that says something else of the
        same question, or the same of the same kind of question.

        Raises:
            NotFound: the entry that the draft names is not the person's own.
        """
        said = Said(draft.question, draft.wrong_understanding, draft.text)
        older = _named(connection, draft, scope) or self._taken_place_of(connection, said, draft.kind, scope)
        if older is None:
            return None, ()
        self._change(connection, older, Status.SUPERSEDED, EventKind.SUPERSEDED)
        older = self.leave(connection, older, scope)
        return older, older.keys if self.kinship.relation(said, _said(older)) is Kin.MERGED else ()

    def enter(self, connection: Connection, entry: Entry, scope: Scope) -> Entry:
        """An entry counts from now on, for the first time or again. Returns it with the keys that it then has."""
        known = set(connection.execute(select(forms.c.form).where(forms.c.entry_id == entry.id)).scalars())
        new = [form for form in self._forms(_said(entry)) if form not in known]
        if new:
            rows = [{"entry_id": entry.id, "owner": entry.owner, "form": form} for form in new]
            connection.execute(insert(forms), rows)
        for other in self._beside(connection, entry, scope):
            self._with_context(connection, other, entry)
            entry = self._with_context(connection, entry, other)
        if entry.kind is Kind.CLARIFICATION:
            older = (_ACTIVE, entries.c.sequence < entry.sequence)
            for example in self._of_question(connection, entry, Kind.EXAMPLE, scope, *older):
                self._change(connection, example, Status.SUPERSEDED, EventKind.SUPERSEDED)
        return entry

    def leave(self, connection: Connection, entry: Entry, scope: Scope) -> Entry:
        """An entry, whose status is changed already, counts no more. Returns it with the keys that it then has."""
        beside = self._beside(connection, entry, scope)
        for other in beside:
            given = {
                self.kinship.context(_said(other), _said(third)) for third in self._beside(connection, other, scope)
            }
            self._without_contexts(connection, other, {self.kinship.context(_said(other), _said(entry))} - given)
        entry = self._without_contexts(
            connection, entry, {self.kinship.context(_said(entry), _said(other)) for other in beside}
        )
        if entry.kind is Kind.CLARIFICATION:
            self._bring_back_examples(connection, entry, scope)
        return entry

    def _bring_back_examples(self, connection: Connection, entry: Entry, scope: Scope) -> None:
        """Examples of its question that a clarification had taken out, where no newer one says that they are wrong."""
        standing = self._of_question(connection, entry, Kind.CLARIFICATION, scope, _ACTIVE)
        since = max((other.sequence for other in standing), default=0)
        taken_out = (entries.c.status == Status.SUPERSEDED.value, entries.c.sequence > since)
        for example in self._of_question(connection, entry, Kind.EXAMPLE, scope, *taken_out):
            if successor(connection, example) is None:
                self._change(connection, example, Status.ACTIVE, EventKind.RESTORED)

    def _taken_place_of(self, connection: Connection, said: Said, kind: Kind, scope: Scope) -> Entry | None:
        found: dict[Kin, str] = {}
        for kin, entry_id in self._kin(connection, said, kind, scope):
            found.setdefault(kin, entry_id)
        nearest = found.get(Kin.REPLACED) or found.get(Kin.MERGED)
        # One that is damaged keeps nothing from being saved.
        return next(iter(read_entries_by_id(connection, [nearest])), None) if nearest else None

    def _beside(self, connection: Connection, entry: Entry, scope: Scope) -> list[Entry]:
        kin = self._kin(connection, _said(entry), entry.kind, scope, entries.c.id != entry.id)
        ids = [entry_id for relation, entry_id in kin if relation is Kin.BESIDE]
        return read_entries_by_id(connection, ids) if ids else []

    def _kin(
        self, connection: Connection, said: Said, kind: Kind, scope: Scope, *conditions: ColumnElement[bool]
    ) -> Iterator[tuple[Kin, str]]:
        """The person's active entries of a kind that are kin to what is said: the same question first, then newest."""
        wanted = (own(entries, scope), entries.c.kind == kind.value, _ACTIVE, *conditions)
        columns = (entries.c.id, entries.c.question, entries.c.wrong_understanding, entries.c.text)
        digests = self._forms(said)
        same_question = func.max(case((forms.c.form == digests[0], 1), else_=0))
        sharing = (
            select(*columns)
            .join(forms, forms.c.entry_id == entries.c.id)
            .where(own(forms, scope), forms.c.form.in_(digests), *wanted)
            .group_by(*columns, entries.c.sequence)
            .order_by(same_question.desc(), entries.c.sequence.desc())
            .limit(_MOST_KIN)
        )
        newest = select(*columns).where(*wanted).order_by(entries.c.sequence.desc()).limit(_NEWEST)
        rows = {row.id: row for query in (sharing, newest) for row in connection.execute(query)}
        for row in rows.values():
            relation = self.kinship.relation(said, Said(row.question, row.wrong_understanding, row.text))
            if relation is not Kin.STRANGER:
                yield relation, row.id

    def _of_question(
        self, connection: Connection, entry: Entry, kind: Kind, scope: Scope, *conditions: ColumnElement[bool]
    ) -> list[Entry]:
        """The person's other entries of a kind with the same question."""
        form = self._forms(_said(entry))[0]
        ids = select(forms.c.entry_id).where(own(forms, scope), forms.c.form == form)
        wanted = (entries.c.id.in_(ids), entries.c.id != entry.id, entries.c.kind == kind.value)
        return read_entries(connection, own(entries, scope), *wanted, *conditions)

    def _with_context(self, connection: Connection, entry: Entry, other: Entry) -> Entry:
        context = self.kinship.context(_said(entry), _said(other))
        if not context or context in {key.text for key in entry.keys}:
            return entry
        key = Key(context, KeyOrigin.RULE)
        add_keys(connection, entry.id, [key])
        self.ledger.append(connection, EventKind.KEYED, entry.id, entry.owner)
        return replace(entry, keys=(*entry.keys, key))

    def _without_contexts(self, connection: Connection, entry: Entry, contexts: set[str]) -> Entry:
        kept = tuple(key for key in entry.keys if key.origin is not KeyOrigin.RULE or key.text not in contexts)
        if kept == entry.keys:
            return entry
        set_keys(connection, entry.id, kept)
        self.ledger.append(connection, EventKind.KEYED, entry.id, entry.owner)
        return replace(entry, keys=kept)

    def _change(self, connection: Connection, entry: Entry, status: Status, kind: EventKind) -> None:
        set_status(connection, entry.id, status)
        self.ledger.append(connection, kind, entry.id, entry.owner)

    def _forms(self, said: Said) -> list[str]:
        """The forms as digests, which are short however long a question is; that of the question first."""
        texts = dict.fromkeys(self.kinship.forms(said))
        return [hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32] for text in texts]


def _named(connection: Connection, draft: Draft, scope: Scope) -> Entry | None:
    """The entry that the draft names, as it is now, or the clarification of its turn."""
    if draft.supersedes is not None:
        named = (own(entries, scope), entries.c.id == draft.supersedes)
        if connection.execute(select(entries.c.id).where(*named)).first() is None:
            raise NotFound
        if (found := head(connection, *named)) is not None:
            return found
    if draft.kind is not Kind.CLARIFICATION or not draft.turn:
        return None
    of_turn = (own(entries, scope), entries.c.turn_id == draft.turn, entries.c.kind == draft.kind.value, _ACTIVE)
    return next(iter(read_entries(connection, *of_turn)), None)


def _said(entry: Entry) -> Said:
    return Said(entry.question, entry.wrong_understanding, entry.text)
