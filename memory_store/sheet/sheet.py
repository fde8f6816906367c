"""The port `FactSheet` over ledger and index (MemLLM, section 3.1).

The ledger knows names by their form and holds the triples; the index knows which names are near. A name that is there
as it was asked for is the only one. Without an embedder, and while the index is down, no other is found.
"""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import sqlalchemy as sa

from assistant.errors import StoreError
from assistant.kinds import Fact, Triple
from assistant.papers.memllm.sheet import EDIT, MOST_FOUND, Found, Outcome, Profile, Query, Row
from assistant.types import Scope
from memory_store.arrays import Floats
from memory_store.language.normalize import form_of, same_name
from memory_store.ledger.access import person_of
from memory_store.ledger.database.schema import NOBODY, NameRole, names, triples
from memory_store.ledger.ledger import Ledger
from memory_store.memory.memory import LedgerMemory
from memory_store.memory.values import sides_in
from memory_store.retrieval.retriever import QuestionVectors
from memory_store.vectors.index import VectorIndex

_TOO_WIDE = Path(__file__).with_name("lists") / "too_wide.toml"
_MOST_READ = 10 * MOST_FOUND  # triples of which the facts are looked at: some rest, or say the same
_MOST_LOOKED_AT = 10_000  # triples, of which few are near enough by both names together
_MOST_THINGS = 64  # that are near enough, of which each is paired with each relation
_MOST_RELATIONS = 2_000  # of the things that are meant
# Built once: every turn asks whether there is any.
_READABLE = sa.select(names.c.id).where(names.c.owner.in_(sa.bindparam("owners", expanding=True)))
_ANY = _READABLE.limit(1)
_NAMED = _READABLE.where(names.c.form == sa.bindparam("form"), names.c.role == sa.bindparam("role"))

_log = logging.getLogger(__name__)

Near = Mapping[int, float]  # ids of names to their cosines with the one that was asked for


class _Match(NamedTuple):
    """A triple that may be meant: the place of it in what a fact says, and how near its names are."""

    entry_id: str
    position: int
    likeness: float


@dataclass
class LedgerFactSheet:
    """The triples of the facts that count, compared by a `profile` that suits the embedder behind the vectors.

    `wait_until_current` waits until what was just saved is in the index.
    """

    _ledger: Ledger
    _memory: LedgerMemory
    _index: VectorIndex
    _vectors: QuestionVectors
    _wait_until_current: Callable[[], bool] = lambda: True
    profile: Profile = EDIT  # what people told is looked up in other words than theirs (`evaluation run memllm`)

    def has_any(self, scope: Scope) -> bool:
        try:
            with self._ledger.read() as connection:
                return connection.execute(_ANY, {"owners": _owners(scope)}).first() is not None
        except StoreError as error:
            _log.warning("The fact sheet could not be asked: %s", error)
            return False

    def names_per_triple(self) -> float:
        """How many names, each with a vector, there are for each triple, of everybody."""
        with self._ledger.read() as connection:
            named, told = (
                connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
                for table in (names, triples)
            )
        return float(named / told) if told else 0.0

    def read(self, query: Query, scope: Scope, conversation: str = "") -> Found:
        given, is_open = ("subject", "object") if query.subject else ("object", "subject")
        if (is_open, form_of(query.relation)) in sides_in(_TOO_WIDE):
            return Found(Outcome.TOO_WIDE)
        matches = self._matches(query, given, scope)
        if len(matches) > _MOST_READ:
            return Found(Outcome.TOO_MANY)
        rows = self._rows(matches, scope, conversation)
        rows = [row for row in rows if same_name(getattr(row.triple, given), query.entity)] or rows
        if len(rows) > MOST_FOUND:
            return Found(Outcome.TOO_MANY)
        return Found(Outcome.FOUND, rows) if rows else Found(Outcome.NOTHING)

    def _matches(self, query: Query, given: str, scope: Scope) -> Sequence[_Match]:
        """The triples that are meant; at most one more than are read."""
        with self._ledger.read() as connection:
            things = _exactly(connection, NameRole.ENTITY, query.entity, scope)
            relations = _exactly(connection, NameRole.RELATION, query.relation, scope)
            if things and relations and (found := _told(connection, given, things, relations)):
                return found
        wanted = [query.relation] if things else [query.entity, query.relation]
        least = self.profile
        *of_thing, of_relation = self._vectors(*wanted)
        things = things or _nearest(self._near(NameRole.ENTITY, of_thing[0], least.entity, scope))
        near = self._near(NameRole.RELATION, of_relation, least.relation, scope) if things else {}
        with self._ledger.read() as connection:
            if found := _told(connection, given, things, relations, least.mean):
                return found
            used = _relations_of(connection, given, things)
            return _told(connection, given, things, {name: near[name] for name in used & near.keys()}, least.mean)

    def _near(self, role: NameRole, vector: Floats | None, least: float, scope: Scope) -> Near:
        """The names that a profile takes for the one with this vector."""
        if vector is None:
            return {}
        try:
            self._wait_until_current()
            return self._index.names(role, vector, least, scope)
        except StoreError as error:
            _log.warning("Only names as they are written are found: %s", error)
            return {}

    def _rows(self, matches: Sequence[_Match], scope: Scope, conversation: str) -> list[Row]:
        """What counts here of it, own first, then the likeliest, then the newest; what says the same once."""
        entries = self._memory.entries_by_id({match.entry_id for match in matches}, scope)
        rows = [
            Row(entry.body.triples[match.position], entry, match.likeness)
            for match in matches
            if (entry := entries.get(match.entry_id)) is not None and isinstance(entry.body, Fact)
            if not entry.resting and entry.only_in in {"", conversation}
        ]
        rows.sort(key=lambda row: (row.entry.shared, -row.likeness, -row.entry.sequence))
        first: list[Row] = []
        for row in rows:
            if not any(_say_the_same(row.triple, one.triple) for one in first):
                first.append(row)
        return first


def _told(connection: sa.Connection, given: str, things: Near, relations: Near, least: float = 1.0) -> list[_Match]:
    """The triples of these things and relations that are near enough together."""
    pairs = {
        (thing, relation): likeness
        for thing, nearness in things.items()
        for relation, near in relations.items()
        if (likeness := (nearness + near) / 2) >= least
    }
    some = sa.select(triples.c.entry_id, triples.c.position, triples.c[given], triples.c.relation)
    asked = (triples.c[given].in_({thing for thing, _ in pairs}), triples.c.relation.in_({one for _, one in pairs}))
    rows = connection.execute(some.where(*asked).limit(_MOST_LOOKED_AT)) if pairs else ()
    meant = (_Match(*row[:2], pairs[pair]) for row in rows if (pair := (row[2], row[3])) in pairs)
    return list(islice(meant, _MOST_READ + 1))


def _nearest(things: Near) -> Near:
    return dict(sorted(things.items(), key=lambda one: -one[1])[:_MOST_THINGS])


def _say_the_same(one: Triple, other: Triple) -> bool:
    return all(map(same_name, one.model_dump().values(), other.model_dump().values()))


def _owners(scope: Scope) -> list[str]:
    """Whose names the person may read: those of their own facts, and of shared ones."""
    return [person_of(scope), NOBODY]


def _exactly(connection: sa.Connection, role: NameRole, name: str, scope: Scope) -> Near:
    is_it = {"owners": _owners(scope), "form": form_of(name), "role": role.value}
    return dict.fromkeys(connection.execute(_NAMED, is_it).scalars(), 1.0)


def _relations_of(connection: sa.Connection, given: str, things: Collection[int]) -> set[int]:
    """The relations in which things stand."""
    query = sa.select(triples.c.relation).where(triples.c[given].in_(things)).distinct()
    return set(connection.execute(query.limit(_MOST_RELATIONS)).scalars()) if things else set()
