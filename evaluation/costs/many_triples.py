"""A store with very many triples, quickly: facts of a hundred each, with vectors that are made cheaply."""

from collections.abc import Iterator
from contextlib import closing
from itertools import islice

import numpy as np

from assistant.kinds import FACT, MOST_TRIPLES, Fact, Triple
from assistant.ports import Embedder
from assistant.settings import Settings
from assistant.types import Draft, Scope
from evaluation.costs.speed import CheapVectors
from memory_store.language.word_translation import READINGS
from memory_store.store import open_store

ENTITY, RELATION = "made up thing", "made up relation"
_PER_ENTITY = 10 / 3  # triples
_RELATIONS = 500
_PER_COMMIT = 20  # facts
_CENTRES = 200
_LETTERS = "bdfgklmnpr"


def made_up_triples(number: int, seed: int = 0) -> Iterator[Triple]:
    """So many triples of about a third as many things and some hundred relations."""
    chance = np.random.default_rng(seed)
    things = chance.integers(0, max(2, int(number / _PER_ENTITY)), (number, 2)).tolist()
    for (subject, named), relation in zip(things, chance.integers(0, _RELATIONS, number).tolist(), strict=True):
        yield Triple(subject=f"{ENTITY} {subject}", relation=f"{RELATION} {relation}", object=f"{ENTITY} {named}")


def fill(settings: Settings, number: int, embedder: Embedder, person: Scope, seed: int = 0) -> None:
    """Let facts of a person say so many triples, in the ledger and in the index of an embedder."""
    centres = [f"{ENTITY} {place}" for place in range(_CENTRES)]
    cheap = CheapVectors(embedder, centres)
    drafts = _drafts(made_up_triples(number, seed))
    with closing(open_store(settings.ledger, settings.index, cheap, READINGS)) as store:
        while some := list(islice(drafts, _PER_COMMIT)):
            store.memory.remember_all(some, person)
        store.indexer.catch_up()


def _drafts(triples: Iterator[Triple]) -> Iterator[Draft]:
    number = 0
    while some := tuple(islice(triples, MOST_TRIPLES)):
        number += 1
        # Facts that differ in a number contradict each other.
        text = f"made up {''.join(f'{_LETTERS[int(digit)]}a' for digit in str(number))}"
        yield Draft(FACT, text, Fact(text=text, triples=some), text)
