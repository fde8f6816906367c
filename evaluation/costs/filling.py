"""Stores with very much in them, quickly: memories and triples of made-up words, with vectors that are made cheaply.

Embedding a million texts would take an hour, and only the time of searching counts. What is found by meaning in such a
store is of no interest; what is asked of it is embedded as always.
"""

import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from assistant.kinds import Triple
from assistant.limits import DEFAULT_LIMITS
from assistant.ports import Embedder
from assistant.settings import Settings
from assistant.types import Draft, Scope
from evaluation.cases import Stored
from evaluation.costs.synthetic import questions
from evaluation.store_filling import draft_of, fact_draft
from memory_store.embedding.reading import MemoryEmbedder
from memory_store.language.word_translation import READINGS
from memory_store.store import open_store

ENTITY, RELATION = "made up thing", "made up relation"
_MEMORIES_PER_COMMIT = 4_000
_NOISE = 0.5  # length of what is added to a vector of length 1
_PER_ENTITY = 10 / 3  # triples
_PER_FACT = 20  # triples: a fact names all that they are about
_RELATIONS = 500
_FACTS_PER_COMMIT = 100
_CENTRES = 200


class CheapVectors:
    """An embedder in the place of a real one while the index is filled: quick, repeatable, vectors like real ones.

    They lie a little way off those of `centres`, for which alone the real one is asked.
    """

    def __init__(self, embedder: Embedder, centres: Sequence[str]) -> None:
        self.name = embedder.name
        self.fingerprint = embedder.fingerprint
        self.dimension = embedder.dimension
        self._centres = embedder.encode(centres)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), dimension); the same text in the same batch has the same vector."""
        hashes = [zlib.crc32(text.encode("utf-8", "replace")) for text in texts]
        noise = np.random.default_rng(hashes).standard_normal((len(texts), self.dimension), dtype=np.float32)
        noise *= _NOISE / np.sqrt(self.dimension)
        vectors = self._centres[[number % len(self._centres) for number in hashes]] + noise
        unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


def cheap_vectors(embedder: Embedder, seed: int) -> CheapVectors:
    """Those in the place of this embedder, around made-up questions."""
    return CheapVectors(embedder, list(islice(questions(seed - 1), _CENTRES)))


def fill(settings: Settings, memories: Sequence[Stored], embedder: Embedder | None, seed: int) -> None:
    """Save memories of one person as the app saves them."""
    cheap = cheap_vectors(MemoryEmbedder(embedder), seed) if embedder else None
    with closing(open_store(settings.ledger, settings.index, cheap, READINGS)) as store:
        for start in range(0, len(memories), _MEMORIES_PER_COMMIT):
            some = memories[start : start + _MEMORIES_PER_COMMIT]
            drafts = [draft_of(one, start + place, DEFAULT_LIMITS) for place, one in enumerate(some)]
            store.memory.remember_all(drafts, Scope(some[0].owner))
        store.indexer.rebuild()


def made_up_triples(number: int, seed: int = 0) -> Iterator[Triple]:
    """So many triples of about a third as many things and some hundred relations."""
    chance = np.random.default_rng(seed)
    things = chance.integers(0, max(2, int(number / _PER_ENTITY)), (number, 2)).tolist()
    for (subject, named), relation in zip(things, chance.integers(0, _RELATIONS, number).tolist(), strict=True):
        yield Triple(subject=f"{ENTITY} {subject}", relation=f"{RELATION} {relation}", object=f"{ENTITY} {named}")


def fill_with_triples(settings: Settings, number: int, embedder: Embedder, person: Scope, seed: int = 0) -> None:
    """Let facts of a person say so many triples, twenty each, in the ledger and in the index of an embedder."""
    cheap = CheapVectors(embedder, [f"{ENTITY} {place}" for place in range(_CENTRES)])
    drafts = _facts(made_up_triples(number, seed))
    with closing(open_store(settings.ledger, settings.index, cheap, READINGS)) as store:
        while some := list(islice(drafts, _FACTS_PER_COMMIT)):
            store.memory.remember_all(some, person)
        store.indexer.catch_up()


def _facts(triples: Iterator[Triple]) -> Iterator[Draft]:
    while some := tuple(islice(triples, _PER_FACT)):
        yield fact_draft("; ".join(f"{one.subject} {one.relation} {one.object}" for one in some), *some)
