"""A fact sheet without vectors: names are the same or are not. It goes through all facts of a person at each query."""

from collections.abc import Iterator
from dataclasses import dataclass

from assistant.kinds import FACT, Fact, Triple
from assistant.memllm.sheet import MOST_FOUND, Found, Outcome, Query, Row
from assistant.ports import OwnEntries
from assistant.reports.listing import EntryFilter
from assistant.types import Draft, Entry, Scope

_MOST = 10_000
_WIDE = frozenset({"is", "has"})


@dataclass(frozen=True, slots=True)
class PlainSheet:
    """Implements `FactSheet`."""

    memory: OwnEntries

    def has_any(self, scope: Scope) -> bool:
        return any(True for _ in self._rows(scope, ""))

    def read(self, query: Query, scope: Scope, conversation: str = "") -> Found:
        if query.relation in _WIDE:
            return Found(Outcome.TOO_WIDE)
        rows = [row for row in self._rows(scope, conversation) if _answers(row.triple, query)]
        if not rows:
            return Found(Outcome.NOTHING)
        return Found(Outcome.FOUND, rows) if len(rows) <= MOST_FOUND else Found(Outcome.TOO_MANY)

    def _rows(self, scope: Scope, conversation: str) -> Iterator[Row]:
        for entry in self.memory.find(scope, EntryFilter(kind=FACT.name), _MOST).entries:
            if not entry.resting and entry.counts_in(conversation) and isinstance(entry.body, Fact):
                yield from (Row(triple, entry, 1.0) for triple in entry.body.triples)


def _answers(triple: Triple, query: Query) -> bool:
    told = (triple.subject, triple.relation, triple.object)
    asked = (query.subject, query.relation, query.object)
    return all(not want or want.casefold() == said.casefold() for want, said in zip(asked, told, strict=True))


def told(*triples: str, text: str = "", only_in: str = "") -> Draft:
    """A fact with these triples, each written `subject | relation | object`."""
    parts = [Triple(**dict(zip(Triple.model_fields, each.split(" | "), strict=True))) for each in triples]
    said = text or ", ".join(each.replace(" | ", " ") for each in triples)
    body = Fact(text=said, triples=tuple(parts), only_in=only_in)
    return Draft(FACT, said, body, FACT.idempotency_key(said, body))


def kept(memory: OwnEntries, scope: Scope, *triples: str) -> list[Entry]:
    """A fact for each of these triples."""
    return [memory.remember(told(each), scope) for each in triples]
