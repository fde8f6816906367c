"""The fact sheet over ledger and index (MemLLM, section 3.1); implements the port `FactSheet`.

1. The ledger holds the triples with folded names. An exact match excludes others.
2. Otherwise, the index finds similar names. Without an embedder or index, only exact names are found.
3. A triple matches if the mean similarity of its two names is high enough (`_find_triples`) and its fact is readable
   (`read`).
4. The triples are also a table that the user sorts and searches (`lines`).
"""

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import sqlalchemy as sa

from assistant.errors import StoreError
from assistant.kinds import Fact, Triple
from assistant.papers.memllm.sheet import (
    EDIT,
    MOST_FOUND,
    Line,
    Lines,
    LookupOutcome,
    LookupResult,
    Order,
    Profile,
    Query,
    SheetPage,
)
from assistant.types import Scope
from memory_store.arrays import Floats
from memory_store.language.normalize import fold, fold_name, is_same_name
from memory_store.ledger.access import belongs_to, require_user
from memory_store.ledger.database.schema import NOBODY, NameRole, entries, triples
from memory_store.ledger.entries import ACTIVE
from memory_store.ledger.ledger import Ledger
from memory_store.ledger.rows import read_page, row_exists
from memory_store.memory.memory import LedgerMemory
from memory_store.memory.relation import read_sides
from memory_store.retrieval.retriever import QuestionVectors
from memory_store.vectors.index import VectorIndex

_TOO_WIDE = Path(__file__).with_name("lists") / "too_wide.toml"
_MOST_READ = 10 * MOST_FOUND  # triples whose facts are read: some are paused, or equal
_MOST_LOOKED_AT = 10_000  # triples; few of them match by both names
_MOST_THINGS, _MOST_RELATIONS = 64, 1_000  # similar names, each combined with each of the other role
_MOST_SIGNS = 200  # characters of a search
# Built once: every turn runs it.
_ANY = sa.select(triples.c.entry_id).where(triples.c.owner.in_(sa.bindparam("owners", expanding=True))).limit(1)

_log = logging.getLogger(__name__)

NearNames = Mapping[str, float]  # folded names to their cosine with the queried name


class _Match(NamedTuple):
    """A matching triple: its fact, its position there, and the mean similarity of its names."""

    entry_id: str
    position: int
    likeness: float


@dataclass
class LedgerFactSheet:
    """The triples of active facts; `profile` has the similarity thresholds for the embedder.

    `wait_until_current` waits for the indexer.
    """

    _ledger: Ledger
    _memory: LedgerMemory
    _index: VectorIndex
    _vectors: QuestionVectors
    _wait_until_current: Callable[[], bool] = lambda: True
    profile: Profile = EDIT  # users ask for facts in other words than they told them (`evaluation run memllm`)

    def has_any(self, scope: Scope) -> bool:
        try:
            with self._ledger.read() as connection:
                return connection.execute(_ANY, {"owners": _owners(scope)}).first() is not None
        except StoreError as error:
            _log.warning("The fact sheet could not be searched: %s", error)
            return False

    def read(self, query: Query, scope: Scope, conversation: str = "") -> LookupResult:
        """Run a lookup (see the port). Order: own facts, then by similarity, then newest; equal triples once."""
        side, is_open = ("subject", "object") if query.subject else ("object", "subject")
        if (is_open, fold_name(query.relation)) in read_sides(_TOO_WIDE):
            return LookupResult(LookupOutcome.TOO_WIDE)
        matches = self._matches(query, side, scope)
        if len(matches) > _MOST_READ:
            return LookupResult(LookupOutcome.TOO_MANY)
        facts = self._memory.entries_by_id({match.entry_id for match in matches}, scope)
        found = [
            Line(entry.body.triples[match.position], entry, match.likeness)
            for match in matches
            if (entry := facts.get(match.entry_id)) is not None and isinstance(entry.body, Fact)
            if not entry.resting and entry.only_in in {"", conversation}
        ]
        found = [line for line in found if is_same_name(getattr(line.triple, side), query.entity)] or found
        rows: list[Line] = []
        for line in sorted(found, key=lambda line: (line.entry.shared, -line.likeness, -line.entry.sequence)):
            said = line.triple.model_dump().values()
            if not any(all(map(is_same_name, said, row.triple.model_dump().values())) for row in rows):
                rows.append(line)
        if len(rows) > MOST_FOUND:
            return LookupResult(LookupOutcome.TOO_MANY)
        return LookupResult(LookupOutcome.FOUND, rows) if rows else LookupResult(LookupOutcome.NOTHING)

    def _matches(self, query: Query, side: str, scope: Scope) -> Sequence[_Match]:
        """Return the matching triples, at most `_MOST_READ` + 1."""
        things: NearNames = {fold_name(query.entity): 1.0}
        relations: NearNames = {fold_name(query.relation): 1.0}
        is_named = sa.or_(*(triples.c[each].in_(things) for each in ("subject", "object")))
        with self._ledger.read() as connection:
            if found := _find_triples(connection, scope, side, things, relations):
                return found
            is_known = row_exists(connection, triples.c.entry_id, triples.c.owner.in_(_owners(scope)), is_named)
        least, wanted = self.profile, [query.relation] if is_known else [query.entity, query.relation]
        *of_thing, of_relation = self._vectors(*wanted)
        if not is_known:
            things = self._near(NameRole.ENTITY, of_thing[0], least.entity, scope, _MOST_THINGS)
        near = self._near(NameRole.RELATION, of_relation, least.relation, scope, _MOST_RELATIONS) if things else {}
        with self._ledger.read() as connection:
            exact = _find_triples(connection, scope, side, things, relations, least.mean)
            return exact or _find_triples(connection, scope, side, things, near, least.mean)

    def _near(self, role: NameRole, vector: Floats | None, least: float, scope: Scope, most: int) -> NearNames:
        """Return the `most` nearest names with at least the cosine `least` with a vector."""
        if vector is None:
            return {}
        try:
            self._wait_until_current()
            return dict(Counter(self._index.names(role, vector, least, scope)).most_common(most))
        except StoreError as error:
            _log.warning("Only exact names are found: %s", error)
            return {}

    def lines(self, scope: Scope, wanted: Lines, limit: int | None = None, offset: int = 0) -> SheetPage:
        conditions = [belongs_to(triples, scope), ACTIVE]
        if search := wanted.search.strip()[:_MOST_SIGNS]:
            part = fold(search) or search
            conditions.append(
                sa.or_(*(triples.c[side].contains(part, autoescape=True) for side in Triple.model_fields))
            )
        if wanted.of:
            form = fold_name(wanted.of)
            conditions.append(sa.or_(triples.c.subject == form, triples.c.object == form))
        rows = sa.select(triples.c.entry_id, triples.c.position).join(entries).where(*conditions)
        with self._ledger.read() as connection:
            found, total = read_page(connection, rows, *_order(wanted), limit=limit, offset=offset)
        facts = self._memory.entries_by_id({row.entry_id for row in found}, scope)
        said = ((facts[row.entry_id], row.position) for row in found if row.entry_id in facts)
        return SheetPage([Line(fact.body.triples[at], fact) for fact, at in said if isinstance(fact.body, Fact)], total)


def _owners(scope: Scope) -> list[str]:
    """Return the owners whose names a user may read: the user, and nobody for shared facts."""
    return [require_user(scope), NOBODY]


def _find_triples(
    connection: sa.Connection, scope: Scope, side: str, things: NearNames, relations: NearNames, least: float = 1.0
) -> list[_Match]:
    """Return the triples of these things and relations whose mean similarity is at least `least`."""
    if not things or not relations:
        return []
    query = sa.select(triples.c.entry_id, triples.c.position, triples.c[side], triples.c.relation)
    named = (triples.c[side].in_(things), triples.c.relation.in_(relations))
    rows = connection.execute(query.where(triples.c.owner.in_(_owners(scope)), *named).limit(_MOST_LOOKED_AT))
    pairs = (_Match(*row[:2], (things[row[2]] + relations[row[3]]) / 2) for row in rows)
    return list(islice((match for match in pairs if match.likeness >= least), _MOST_READ + 1))


def _order(wanted: Lines) -> list[sa.ColumnElement[object]]:
    newest_first = [entries.c.sequence.desc(), triples.c.position]
    if wanted.order is Order.SINCE:
        return [entries.c.sequence, triples.c.position] if wanted.backwards else newest_first
    form = triples.c[wanted.order.value]
    return [form.desc() if wanted.backwards else form.asc(), *newest_first]
