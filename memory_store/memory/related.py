"""Which of a person's entries that count relate to another: looked up by the forms that they share, and the newest."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from assistant.errors import DamagedEntry
from assistant.kinds import Content, Kinds
from assistant.types import Scope
from memory_store.ledger.access import person_of
from memory_store.ledger.database.schema import entries, forms
from memory_store.ledger.entries import ACTIVE, content_of
from memory_store.ledger.rows import kinds_of
from memory_store.memory.relation import Relation, Said, forms_of, relation_of

_MOST_RELATED = 16  # entries compared that share a form: the same question first, then the newest
_EVER = 2**62  # no sequence number comes after it
_MOST_NEWEST = 8  # entries compared in any case: people repeat themselves soon, and not always in comparable form

_OWNER: sa.BindParameter[str] = sa.bindparam("owner")
_KIND: sa.BindParameter[str] = sa.bindparam("kind")
# Active entries of a person that share a form, and the newest of a kind, however they are worded.
_SAID = [entries.c[name] for name in ("id", "sequence", "kind", "question", "body")]
_COUNTING = (
    *(entries.c.owner == _OWNER, ACTIVE, entries.c.id != sa.bindparam("but")),
    entries.c.sequence <= sa.bindparam("through"),
)
_IS_SAME = sa.case((forms.c.form == sa.bindparam("question"), 1), else_=0)
_FORMED = (
    sa.select(forms.c.entry_id, sa.func.max(_IS_SAME).label("same"))
    .where(forms.c.owner == _OWNER, forms.c.form.in_(sa.bindparam("forms", expanding=True)))
    .group_by(forms.c.entry_id)
    .subquery()
)
_SHARING = (
    sa.select(*_SAID, _FORMED.c.same)
    .join(_FORMED, _FORMED.c.entry_id == entries.c.id)
    .where(*_COUNTING)
    .order_by(_FORMED.c.same.desc(), entries.c.sequence.desc())
    .limit(_MOST_RELATED)
)
_NEWEST = (
    sa.select(*_SAID, sa.literal(0).label("same"))
    .where(*_COUNTING, entries.c.kind == _KIND)
    .order_by(entries.c.sequence.desc())
    .limit(_MOST_NEWEST)
)
# The newest come first, so that of an entry that is found twice the row is kept that knows what they share.
_RELATED = sa.union_all(sa.select(_NEWEST.subquery()), sa.select(_SHARING.subquery()))


@dataclass(frozen=True, slots=True)
class Related:
    """The person's active entries that relate to one of a kind, by id; those of its question first, then the newest."""

    forms: Sequence[str]  # digests of its own
    relations: Sequence[tuple[str, Relation]]  # what entries of its kind are to it
    confirmed: Sequence[str]  # what confirms an answer to its question

    def all(self, *wanted: Relation) -> list[str]:
        return [entry_id for relation in wanted for entry_id, found in self.relations if found is relation]


def find_related(
    connection: sa.Connection,
    scope: Scope,
    entry: Content,
    but: str = "",
    *,
    besides: Container[str] = (),
    through: int = _EVER,
) -> Related:
    """What relates to an entry, or to one that is about to be saved, `but` an entry of this id.

    What is known to stand `besides` it, and what came after `through` in the order of all changes, is left out.
    """
    said, digests = said_of(entry), form_digests(entry)
    bound = {"owner": person_of(scope), "kind": entry.kind.name, "but": but, "through": through}
    found = connection.execute(_RELATED, {**bound, "question": digests[0], "forms": digests})
    rows = {row.id: row for row in found}.values()
    ordered = sorted(rows, key=lambda row: (-row.same, -row.sequence))
    kinds = kinds_of(connection)
    relations = [
        (row.id, relation_of(said, other))
        for row in ordered
        if row.kind == entry.kind.name and row.id not in besides and (other := _said_in(row, kinds))
        if other.only_in == said.only_in
    ]
    confirming = [row.id for row in ordered if row.same and row.kind in kinds and kinds[row.kind].confirms]
    # What counts in one conversation takes nothing out of the others.
    confirmed = [] if entry.only_in else confirming
    return Related(digests, [each for each in relations if each[1] is not Relation.UNRELATED], confirmed)


def form_digests(entry: Content) -> Sequence[str]:
    """Digests of its forms, which are short however long a question is; that of the question first."""
    texts = dict.fromkeys(forms_of(said_of(entry)))
    within = f"only in {entry.only_in}\0" if entry.only_in else ""
    return [hashlib.sha256(f"{within}{text}".encode("utf-8", "surrogatepass")).hexdigest()[:32] for text in texts]


def said_of(entry: Content) -> Said:
    return Said(entry.question, entry.wrong_understanding, entry.text, entry.only_in)


def _said_in(row: sa.Row[Any], kinds: Kinds) -> Said | None:
    """What a row says; None where it is damaged, which keeps nothing from being saved."""
    try:
        return said_of(content_of(row._mapping, kinds))
    except DamagedEntry:
        return None
