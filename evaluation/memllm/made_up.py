"""Very many triples, quickly: facts of a hundred each, and an embedder that makes up the vectors of their names."""

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from assistant.kinds import FACT, MOST_TRIPLES, Fact, Triple
from assistant.ports import Embedder
from assistant.types import Draft, Scope
from memory_store.store import Store

MADE_UP = "made up "
_PER_ENTITY = 10 / 3  # triples
_RELATIONS = 500
_AT_ONCE = 20  # facts


class MadeUpVectors:
    """The port `Embedder`: another one, with a random vector for each text that begins with `MADE_UP`."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name, self.fingerprint, self.dimension = embedder.name, embedder.fingerprint, embedder.dimension

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.random.default_rng(len(texts)).standard_normal((len(texts), self.dimension), dtype=np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        if real := [place for place, text in enumerate(texts) if not text.startswith(MADE_UP)]:
            vectors[real] = self._embedder.encode([texts[place] for place in real])
        return vectors


def made_up_triples(number: int, seed: int = 0) -> Iterator[Triple]:
    """So many triples of about a third as many things and some hundred relations."""
    chance = np.random.default_rng(seed)
    things = chance.integers(0, max(2, int(number / _PER_ENTITY)), (number, 2)).tolist()
    relations = chance.integers(0, _RELATIONS, number).tolist()
    for (subject, named), relation in zip(things, relations, strict=True):
        yield Triple(
            subject=f"{MADE_UP}thing {subject}",
            relation=f"{MADE_UP}relation {relation}",
            object=f"{MADE_UP}thing {named}",
        )


def fill(store: Store, triples: Iterator[Triple], scope: Scope) -> None:
    """Let facts of a person say all of these."""
    number = 0
    while some := list(islice(triples, _AT_ONCE * MOST_TRIPLES)):
        drafts = []
        for start in range(0, len(some), MOST_TRIPLES):
            number += 1
            body = Fact(text=f"{MADE_UP}fact {number}", triples=tuple(some[start : start + MOST_TRIPLES]))
            drafts.append(Draft(FACT, body.text, body, f"{MADE_UP}{number}"))
        store.memory.remember_all(drafts, scope)
    store.indexer.catch_up()
