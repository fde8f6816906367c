"""What becomes of a person's older entries when one comes or goes, inside the transaction that saves.

Who is kin to whom is decided elsewhere (`memory_store.kinship`); here it is looked up and carried out. A new entry
takes the place of the one that it replaces or merges with. An entry that counts gives a key with its context to those
beside it, and takes the examples of its question out, since that question was misunderstood; once it counts no more,
all that is as it was before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Connection,
    bindparam,
    case,
    func,
    insert,
    literal,
    select,
    union_all,
)

from assistant.errors import NotFound
from assistant.types import Draft, Entry, Key, KeyOrigin, Kind, Scope, Status
from memory_store.entries import add_keys, read_entries, read_entries_by_id, replace_keys, set_status
from memory_store.kinship import Kin, Kinship, Said
from memory_store.ledger import Ledger
from memory_store.lineage import head, successor
from memory_store.offers import end_offers
from memory_store.schema import EventKind, entries, forms
from memory_store.scoping import own, person_of

_MOST_KIN = 16  # entries compared that share a form: the same question first, then the newest
_NEWEST = 8  # entries compared in any case: people repeat themselves soon, and not always in comparable form
_ACTIVE = entries.c.status == Status.ACTIVE.value
_OF_TURN = select(entries.c.id).where(
    entries.c.owner == bindparam("owner"),
    entries.c.turn_id == bindparam("turn"),
    entries.c.kind == bindparam("kind"),
    _ACTIVE,
)
_INSERT_FORMS = insert(forms)


@dataclass(frozen=True, slots=True)
class Kindred:
    """The person's active entries that are kin to one of a kind, by id; those of the same question first, then newest.

    Args:
        forms: digests of its forms.
        relations: entries of its kind, with what they are to it.
        examples: examples of its question.
    """

    forms: Sequence[str]
    relations: Sequence[tuple[str, Kin]]
    examples: Sequence[str]

    def first(self, kin: Kin) -> str | None:
        return next((entry_id for entry_id, relation in self.relations if relation is kin), None)

    @property
    def beside(self) -> list[str]:
        return [entry_id for entry_id, relation in self.relations if relation is Kin.BESIDE]


@dataclass(frozen=True, slots=True)
class Conflicts:
    """Every method takes a connection that comes from `Ledger.write`.

    Args:
        ledger: where the entries are.
        kinship: who is kin to whom.
    """

    ledger: Ledger
    kinship: Kinship

    def kindred(self, connection: Connection, draft: Draft, scope: Scope) -> Kindred:
        """Who is kin to an entry that is about to be saved."""
        return self._kindred(connection, _said(draft), draft.kind, scope)

    def make_way(
        self, connection: Connection, draft: Draft, kindred: Kindred, scope: Scope
    ) -> tuple[Entry | None, tuple[Key, ...]]:
        """Supersede the entry in whose place a new one comes; return it, and those of its keys that the new one keeps.

        It is the one that the draft names, as it is now, or that of its turn; else one that says something else of the
        same question, or the same of the same kind of question.

        Raises:
            NotFound: the entry that the draft names is not the person's own.
        """
        older = _named(connection, draft, scope)
        nearest = kindred.first(Kin.REPLACED) or kindred.first(Kin.MERGED)
        if older is None and nearest is not None:
            # One that is damaged keeps nothing from being saved.
            older = next(iter(read_entries_by_id(connection, [nearest])), None)
        if older is None:
            return None, ()
        self._change(connection, older, Status.SUPERSEDED, EventKind.SUPERSEDED)
        older = self._without_its_contexts(connection, older, scope)
        merged = (older.id, Kin.MERGED) in kindred.relations
        return older, older.keys if merged else ()

    def enter(self, connection: Connection, entry: Entry, kindred: Kindred) -> Entry:
        """A new entry counts from now on. Returns it with the keys that it then has."""
        _insert_forms(connection, entry, kindred.forms)
        return self._take_place(connection, entry, kindred)

    def note_forms(self, connection: Connection, entry: Entry) -> None:
        """Let an entry that came from elsewhere, as it is, be found by those that are kin to it."""
        _insert_forms(connection, entry, self._forms(_said(entry)))

    def enter_again(self, connection: Connection, entry: Entry, scope: Scope) -> Entry:
        """An entry counts again. Returns it with the keys that it then has."""
        return self._take_place(connection, entry, self._kindred(connection, _said(entry), entry.kind, scope, entry.id))

    def leave(self, connection: Connection, entry: Entry, scope: Scope) -> None:
        """An entry, whose status is changed already, counts no more, and nothing has come in its place."""
        self._without_its_contexts(connection, entry, scope)
        if entry.kind is Kind.CLARIFICATION:
            self._bring_back_examples(connection, entry, scope)

    def _without_its_contexts(self, connection: Connection, entry: Entry, scope: Scope) -> Entry:
        """Take back the keys that an entry gave to those beside it and got from them; return it as it then is."""
        beside = self._beside(connection, entry, scope)
        for other in beside:
            given = {self._context(other, third) for third in self._beside(connection, other, scope)}
            self._without_contexts(connection, other, {self._context(other, entry)} - given)
        return self._without_contexts(connection, entry, {self._context(entry, other) for other in beside})

    def _bring_back_examples(self, connection: Connection, entry: Entry, scope: Scope) -> None:
        """Examples of its question that a clarification had taken out, where no newer one says that they are wrong."""
        standing = self._of_question(connection, entry, Kind.CLARIFICATION, scope, _ACTIVE)
        since = max((other.sequence for other in standing), default=0)
        taken_out = (entries.c.status == Status.SUPERSEDED.value, entries.c.sequence > since)
        for example in self._of_question(connection, entry, Kind.EXAMPLE, scope, *taken_out):
            if successor(connection, example) is None:
                self._change(connection, example, Status.ACTIVE, EventKind.RESTORED)

    def _take_place(self, connection: Connection, entry: Entry, kindred: Kindred) -> Entry:
        for other in self._read(connection, kindred.beside):
            self._with_context(connection, other, entry)
            entry = self._with_context(connection, entry, other)
        if entry.kind is Kind.CLARIFICATION:
            for example in self._read(connection, kindred.examples):
                if example.sequence < entry.sequence:
                    self._change(connection, example, Status.SUPERSEDED, EventKind.SUPERSEDED)
        return entry

    def _beside(self, connection: Connection, entry: Entry, scope: Scope) -> list[Entry]:
        return self._read(connection, self._kindred(connection, _said(entry), entry.kind, scope, entry.id).beside)

    def _read(self, connection: Connection, ids: Sequence[str]) -> list[Entry]:
        return read_entries_by_id(connection, ids, _ACTIVE) if ids else []

    def _kindred(self, connection: Connection, said: Said, kind: Kind, scope: Scope, but: str = "") -> Kindred:
        digests = self._forms(said)
        bound = {"owner": person_of(scope), "kind": kind.value, "question": digests[0], "forms": digests, "but": but}
        rows = {row.id: row for row in connection.execute(_KINDRED, bound)}.values()
        ordered = sorted(rows, key=lambda row: (-row.same, -row.sequence))
        relations = [
            (row.id, self.kinship.relation(said, Said(row.question, row.wrong_understanding, row.text)))
            for row in ordered
            if row.kind == kind.value and (row.only_in or "") == said.only_in
        ]
        # What counts in one conversation takes nothing out of the others.
        examples = [row.id for row in ordered if row.same and row.kind == Kind.EXAMPLE.value and not said.only_in]
        return Kindred(digests, [each for each in relations if each[1] is not Kin.STRANGER], examples)

    def _of_question(
        self, connection: Connection, entry: Entry, kind: Kind, scope: Scope, *conditions: ColumnElement[bool]
    ) -> list[Entry]:
        """The person's other entries of a kind with the same question."""
        form = self._forms(_said(entry))[0]
        ids = select(forms.c.entry_id).where(own(forms, scope), forms.c.form == form)
        wanted = (entries.c.id.in_(ids), entries.c.id != entry.id, entries.c.kind == kind.value)
        return read_entries(connection, own(entries, scope), *wanted, *conditions)

    def _with_context(self, connection: Connection, entry: Entry, other: Entry) -> Entry:
        context = self._context(entry, other)
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
        replace_keys(connection, entry.id, kept)
        self.ledger.append(connection, EventKind.KEYED, entry.id, entry.owner)
        return replace(entry, keys=kept)

    def _context(self, entry: Entry, other: Entry) -> str:
        return self.kinship.context(_said(entry), _said(other))

    def _change(self, connection: Connection, entry: Entry, status: Status, kind: EventKind) -> None:
        set_status(connection, entry.id, status)
        self.ledger.append(connection, kind, entry.id, entry.owner)
        if status is not Status.ACTIVE:
            end_offers(connection, self.ledger, [entry.id])

    def _forms(self, said: Said) -> list[str]:
        """The forms as digests, which are short however long a question is; that of the question first."""
        texts = dict.fromkeys(self.kinship.forms(said))
        within = f"only in {said.only_in}\0" if said.only_in else ""
        return [hashlib.sha256(f"{within}{text}".encode("utf-8", "surrogatepass")).hexdigest()[:32] for text in texts]


def _named(connection: Connection, draft: Draft, scope: Scope) -> Entry | None:
    """The entry that the draft names, as it is now, or the clarification of its turn."""
    if draft.supersedes is not None:
        named = (own(entries, scope), entries.c.id == draft.supersedes)
        if connection.execute(select(entries.c.id).where(*named)).first() is None:
            raise NotFound
        # What counts in one conversation takes the place of nothing that counts in all.
        if (found := head(connection, *named)) is not None and draft.only_in in {"", found.only_in}:
            return found
    if draft.kind is not Kind.CLARIFICATION or not draft.turn:
        return None
    of_turn = connection.execute(_OF_TURN, {"owner": person_of(scope), "turn": draft.turn, "kind": draft.kind.value})
    noted = read_entries(connection, entries.c.id.in_(ids)) if (ids := of_turn.scalars().all()) else []
    return next((entry for entry in noted if entry.only_in == draft.only_in), None)


def _insert_forms(connection: Connection, entry: Entry, digests: Sequence[str]) -> None:
    connection.execute(
        _INSERT_FORMS, [{"entry_id": entry.id, "owner": entry.owner, "form": digest} for digest in digests]
    )


def _said(entry: Entry | Draft) -> Said:
    return Said(entry.question, entry.wrong_understanding, entry.text, entry.only_in)


def _kindred_query() -> CompoundSelect[Any]:
    """Active entries of a person that share a form, and the newest of a kind, however they are worded."""
    columns = (entries.c.id, entries.c.sequence, entries.c.kind, entries.c.question, entries.c.text)
    said = (*columns, entries.c.wrong_understanding, entries.c.only_in)
    counting = (entries.c.owner == bindparam("owner"), _ACTIVE, entries.c.id != bindparam("but"))
    found = (
        select(forms.c.entry_id, func.max(case((forms.c.form == bindparam("question"), 1), else_=0)).label("same"))
        .where(forms.c.owner == bindparam("owner"), forms.c.form.in_(bindparam("forms", expanding=True)))
        .group_by(forms.c.entry_id)
        .subquery()
    )
    sharing = (
        select(*said, found.c.same)
        .join(found, found.c.entry_id == entries.c.id)
        .where(*counting)
        .order_by(found.c.same.desc(), entries.c.sequence.desc())
        .limit(_MOST_KIN)
    )
    newest = (
        select(*said, literal(0).label("same"))
        .where(*counting, entries.c.kind == bindparam("kind"))
        .order_by(entries.c.sequence.desc())
        .limit(_NEWEST)
    )
    # The newest come first, so that of an entry that is found twice the row is kept that knows what they share.
    return union_all(select(newest.subquery()), select(sharing.subquery()))


_KINDRED = _kindred_query()
