"""What very many triples cost: a read beside embedding its two names, an edit beside a save, and their vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from uuid import uuid4

from assistant.kinds import Triple
from assistant.papers.memllm.sheet import Query
from assistant.ports import Embedder
from evaluation.costs.filling import ENTITY, fill_with_triples
from evaluation.costs.timing import clocked
from evaluation.memllm.reading import READER
from evaluation.store_filling import fact_draft, settings_in
from memory_store.language.word_translation import READINGS
from memory_store.store import Store, open_store

_TIMES = 40


@dataclass(frozen=True, slots=True)
class Cost:
    """Medians; times in ms."""

    embedding: float  # of two names that were not embedded before
    read_named: float  # of a thing by its very name, and a relation in other words
    read_near: float  # of a thing and a relation, both in other words
    save: float  # of an entry of another kind
    edit: float  # of a triple: a fact that takes the place of an earlier one


def measured(folder: Path, triples: int, embedder: Embedder) -> Cost:
    """Fill a new store in this folder, and measure."""
    settings = settings_in(folder)
    fill_with_triples(settings, triples, embedder, READER)
    with closing(open_store(settings.ledger, settings.index, embedder, READINGS)) as store:
        store.indexer.catch_up()
        return _measured(store, embedder)


def _measured(store: Store, embedder: Embedder) -> Cost:
    # What is read for the first time is held in memory from then on.
    store.sheet.read(Query(_new(), _new(), ""), READER)
    return Cost(
        _median(lambda: embedder.encode([_new(), _new()])),
        _median(lambda: store.sheet.read(Query(f"{ENTITY} 0", _new(), ""), READER)),
        _median(lambda: store.sheet.read(Query(_new(), _new(), ""), READER)),
        _median(lambda: store.memory.remember(fact_draft(f"told {uuid4().hex}"), READER)),
        _median(_editing(store).__next__),
    )


def _median(call: Callable[[], object]) -> float:
    return median(clocked(call)[1] for _ in range(_TIMES))


def _new() -> str:
    return f"what was asked {uuid4().hex[:8]}"


def _editing(store: Store) -> Iterator[None]:
    """Tells where people work, and then of each where else."""
    people = [uuid4().hex for _ in range(_TIMES)]
    for place in ("here", "elsewhere"):
        for person in people:
            triple = Triple(subject=person, relation="works in", object=place)
            store.memory.remember(fact_draft(f"{person} works {place}", triple), READER)
            if place != "here":
                yield
