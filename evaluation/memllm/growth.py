"""What a sheet of very many triples costs: a read beside embedding its two names, an edit beside a save, its vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median
from uuid import uuid4

import sqlalchemy as sa

from assistant.kinds import FACT, Fact, Triple
from assistant.memllm.sheet import Query
from assistant.ports import Embedder
from assistant.types import Draft
from evaluation.costs.timing import clocked
from evaluation.costs.many_triples import MADE_UP, fill, made_up_triples
from evaluation.memllm.reading import READER
from memory_store.ledger.database.schema import names
from memory_store.ledger.database.schema import triples as there
from memory_store.store import Store

_TIMES = 40


@dataclass(frozen=True, slots=True)
class Cost:
    """Medians; times in ms."""

    vectors: float  # of names, by triple
    embedding: float  # of two names that were not embedded before
    read_named: float  # of a thing by its very name, and a relation in other words
    read_near: float  # of a thing and a relation, both in other words
    save: float  # of an entry of another kind
    edit: float  # of a triple: a fact that takes the place of an earlier one


def grow(store: Store, embedder: Embedder, triples: int, seed: int) -> Cost:
    """Add so many made-up triples to a store, and measure."""
    fill(store, made_up_triples(triples, seed), READER)
    return Cost(
        _rows(store, names) / _rows(store, there),
        _median(lambda: embedder.encode([_new(), _new()])),
        _median(lambda: store.sheet.read(Query(_known(), _new(), ""), READER)),
        _median(lambda: store.sheet.read(Query(_new(), _new(), ""), READER)),
        _median(lambda: store.memory.remember(_other(), READER)),
        _median(_editing(store).__next__),
    )


def _rows(store: Store, table: sa.Table) -> int:
    with store.ledger.read() as connection:
        return connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()


def _median(call: Callable[[], object]) -> float:
    return median(clocked(call)[1] for _ in range(_TIMES))


def _new() -> str:
    return f"what was asked {uuid4().hex[:8]}"


def _known() -> str:
    return next(made_up_triples(1)).subject


def _other() -> Draft:
    text = f"{MADE_UP}{uuid4().hex}"
    return Draft(FACT, text, Fact(text=text), text)


def _editing(store: Store) -> Iterator[None]:
    """Tells where people work, and then of each where else."""
    people = [uuid4().hex for _ in range(_TIMES)]
    for place in ("here", "elsewhere"):
        for person in people:
            triple = Triple(subject=f"{MADE_UP}{person}", relation="works in", object=place)
            text = f"{MADE_UP}{person} works {place}"
            store.memory.remember(Draft(FACT, text, Fact(text=text, triples=(triple,)), text), READER)
            if place != "here":
                yield
