"""Find a user's entries that relate to a given one: those with a shared digest, and some of the newest."""

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from assistant.errors import DamagedEntry
from assistant.kinds import Content, Fact
from assistant.types import Entry, Scope, Status
from memory_store.ledger.access import bypass_index, require_user
from memory_store.ledger.database.schema import entries, forms, triples
from memory_store.ledger.entries import ACTIVE, parse_content
from memory_store.ledger.rows import kinds_of
from memory_store.memory.relation import (
    Relation,
    find_one_valued,
    group_by_slot,
    hash_fingerprint,
    hash_fingerprints,
    is_same_topic,
    one_value_fingerprint,
    relation_of,
)

_MOST_SHARING = 32  # rows of entries with a shared digest; the same question first, then the newest
_MOST_NEWEST = 8  # newest entries, always compared: users repeat themselves soon, and in other words
_EVER = 2**62  # higher than any sequence number

_OWNER: sa.BindParameter[str] = sa.bindparam("owner")
_FORMS: sa.BindParameter[Sequence[str]] = sa.bindparam("forms", expanding=True)
_SAID = [entries.c[name] for name in ("id", "sequence", "kind", "question", "body")]
_COUNTING = sa.and_(
    *(entries.c.owner == _OWNER, ACTIVE, entries.c.id != sa.bindparam("but")),
    entries.c.sequence <= sa.bindparam("through"),
)
_COUNTS = bypass_index(_COUNTING)  # for entries found by id
_IS_SAME = sa.case((forms.c.form == sa.bindparam("question"), 1), else_=0).label("same")
_SHARING = (
    sa.select(*_SAID, _IS_SAME)
    .join(forms, forms.c.entry_id == entries.c.id)
    .where(forms.c.owner == _OWNER, forms.c.form.in_(_FORMS), _COUNTS)
    .order_by(_IS_SAME.desc(), (entries.c.sequence + 0).desc())  # + 0 keeps the planner from an index
    .limit(_MOST_SHARING)
)
_NEWEST = (
    sa.select(*_SAID, sa.literal(0).label("same"))
    .where(_COUNTING, entries.c.kind == sa.bindparam("kind"))
    .order_by(entries.c.sequence.desc())
    .limit(_MOST_NEWEST)
)
_ONE_VALUE = (
    sa.select(forms.c.form)
    .join(entries, entries.c.id == forms.c.entry_id)
    .where(forms.c.owner == _OWNER, forms.c.form.in_(_FORMS))
    .where(entries.c.status != Status.RETRACTED.value)
)
_OF_SLOTS = (
    sa.select(*_SAID, sa.literal(0).label("same"))
    .join(triples, triples.c.entry_id == entries.c.id)
    .where(triples.c.owner == _OWNER, triples.c.relation.in_(_FORMS), _COUNTS)
    .where(sa.or_(triples.c.subject.in_(_FORMS), triples.c.object.in_(_FORMS)))
    .order_by((entries.c.sequence + 0).desc())
    .limit(_MOST_SHARING)
)


@dataclass(frozen=True, slots=True)
class RelatedEntries:
    """Ids of the user's active entries related to an entry; same question first, then newest."""

    forms: Sequence[str]  # digests of the entry
    relations: Sequence[tuple[str, Relation]]  # of entries of the same type
    near: Sequence[str]  # entries of the same type on the same topic; a model may relate them
    confirmed: Sequence[str]  # confirmed answers to the same question

    def all(self, *wanted: Relation) -> list[str]:
        """Return the ids of entries with one of these relations."""
        return [entry_id for relation in wanted for entry_id, found in self.relations if found is relation]


def find_related(connection: sa.Connection, scope: Scope, entry: Content, through: int = _EVER) -> RelatedEntries:
    """Return the user's entries related to an entry, saved or not, up to the sequence number `through`."""
    digests, but = hash_fingerprints(entry), entry.id if isinstance(entry, Entry) else ""
    bound: dict[str, object] = {"owner": require_user(scope), "but": but, "through": through}
    found = [*connection.execute(_NEWEST, {**bound, "kind": entry.kind.name})]
    learnt = frozenset[str]()
    if isinstance(entry.body, Fact) and entry.body.triples and not entry.body.denied:
        learnt = _find_learnt_kinds(connection, entry.body, require_user(scope))
        named = {name for slot in find_one_valued(entry.body, learnt) for name in (slot.thing, slot.relation)}
        found += connection.execute(_OF_SLOTS, {**bound, "forms": sorted(named)}) if named else []
    # Keep the row that knows about the same question if an entry was found several times.
    sharing = connection.execute(_SHARING, {**bound, "question": digests[0], "forms": digests}).all()
    rows = {row.id: row for row in (*found, *reversed(sharing))}.values()
    ordered = sorted(rows, key=lambda row: (-row.same, -row.sequence))
    kinds = kinds_of(connection)
    kind = "" if entry.kind.quotes and not entry.kind.keyed else entry.kind.name
    relations, near = list[tuple[str, Relation]](), list[str]()
    for row in ordered:
        if row.kind != kind or row.id in entry.body.apart:
            continue
        try:
            other = parse_content(row._mapping, kinds)
        except DamagedEntry:  # must not prevent saving
            continue
        if other.only_in != entry.only_in or but in other.body.apart:
            continue
        relation = relation_of(entry, other, learnt)
        if relation is not Relation.UNRELATED:
            relations.append((row.id, relation))
        elif is_same_topic(entry, other):
            near.append(row.id)
    confirming = [row.id for row in ordered if row.same and row.kind in kinds and kinds[row.kind].confirms]
    # An entry with the reach of one conversation does not affect examples elsewhere.
    return RelatedEntries(digests, relations, near, [] if entry.only_in else confirming)


def _find_learnt_kinds(connection: sa.Connection, said: Fact, owner: str) -> frozenset[str]:
    """Return the kinds of a fact's slots that the user treats as having one value."""
    digests = {hash_fingerprint(one_value_fingerprint(slot.kind)): slot.kind for slot in group_by_slot(said.triples)}
    known = connection.execute(_ONE_VALUE, {"owner": owner, "forms": list(digests)}).scalars()
    return frozenset({*said.one_valued, *(digests[form] for form in known)})
