"""Embedders that stand in for another, stores that switch between them, and what each of them would find."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy
import pytest
from numpy.typing import NDArray

from assistant.choose.gate import NOT_FITTED
from assistant.memllm.sheet import EDIT
from assistant.ports import Embedder
from assistant.sentences import Sentence
from assistant.types import Candidate, Question, Scope
from memory_store.embedding.embedder import EmbedderChoice
from memory_store.embedding.in_use import EmbedderInUse
from memory_store.embedding.standard import as_they_are
from memory_store.index.key_matrix import KeyMatrix, Query, known
from memory_store.index.switching import making
from memory_store.index.switching.partial_table import PartialTable
from memory_store.index.switching.serving import Serving
from memory_store.recall.recall import nearest
from memory_store.store import Store, Switching
from tests.support.memory.keys import wait_until
from tests.support.memory.store import ANN, PLAIN, LetterPairs, ledger_url, open_store, unlike

SECONDS = 60.0


class Letters(LetterPairs):
    """Letter pairs under another hash: the same text has a vector of its own in each. It can be held up.

    It counts the texts that it saw.
    """

    def __init__(self, name: str, dimension: int = 16, seconds: float = 0.0) -> None:
        super().__init__()
        self.name, self.fingerprint, self.dimension = name, f"letters {name}", dimension
        self.profile = EDIT
        self.seen: list[str] = []
        self.may_go_on = threading.Event()
        self.may_go_on.set()
        self._seconds = seconds  # that a text takes

    def encode(self, texts: Sequence[str]) -> NDArray[numpy.float32]:
        self.may_go_on.wait(SECONDS)
        time.sleep(self._seconds * len(texts))
        self.seen += texts
        return numpy.array([self._vector(text) for text in texts], dtype=numpy.float32).reshape(-1, self.dimension)

    def _vector(self, text: str) -> NDArray[numpy.float32]:
        vector = numpy.zeros(self.dimension, dtype=numpy.float32)
        padded = f"  {text}"
        for start in range(len(padded) - 1):
            pair = f"{self.name} {padded[start : start + 2]}".encode("utf-8", "replace")
            vector[zlib.crc32(pair) % self.dimension] += 1
        return vector / numpy.linalg.norm(vector)


NAMES = {"one": 16, "same": 16, "wide": 24}
"""Three embedders by name and length of a vector."""


def made(name: str) -> Letters:
    return Letters(name, NAMES[name])


def in_use(embedder: Letters) -> EmbedderInUse:
    choice = EmbedderChoice(embedder.name, embedder.fingerprint, embedder.dimension, Sentence("embedder.none"))
    return EmbedderInUse(choice, None, embedder, None, as_they_are, NOT_FITTED, embedder.profile, key_of(embedder))


def key_of(embedder: Embedder) -> str:
    return json.dumps([embedder.name, None])


def store_with(folder: Path, embedder: Embedder, *there: Letters, **named: Any) -> Store:
    """A store of an embedder, on a machine on which these are there as well."""

    def before(keys: Iterable[str]) -> list[EmbedderInUse]:
        known_here = {in_use(each).key: in_use(each) for each in there if each.name != embedder.name}
        return [known_here[key] for key in keys if key in known_here]

    profile = getattr(embedder, "profile", EDIT)
    switching = Switching(key_of(embedder), as_they_are, profile, before)
    index = str(folder / "index")
    return open_store(ledger_url(folder), index, embedder, PLAIN, switching=switching, **named)


def go_on(store: Store) -> bool:
    """One batch of the switch, in this thread; whether it is done."""
    store.indexer._go_on_switching()
    return store.indexer.serving is store.index


def switched(store: Store) -> None:
    """Wait until the embedder in use is what questions are compared by."""
    wait_until(lambda: store.indexer.serving is store.index and store.index.sequence >= 0, SECONDS)


def by(candidates: Iterable[Candidate], store: Store) -> str:
    """The name of the embedder that compared meanings; all candidates of a question have the same."""
    (name,) = {candidate.embedder for candidate in candidates}
    return name or store.embedder_name


def nearness(candidates: Iterable[Candidate]) -> dict[str, float]:
    """How near each entry is."""
    return {candidate.entry.id: candidate.scores["relevance"] for candidate in candidates}


def plainly(store: Store, question: str, person: Scope, embedder: LetterPairs) -> dict[str, float]:
    """What an embedder finds for a question where all texts are read from the ledger and embedded now."""
    keys = store.memory.keys(person)
    if not keys:
        return {}
    matrix = KeyMatrix(keys, embedder.encode([key.text for key in keys]))
    query = Query.read(question, PLAIN, known(embedder.encode([question])[0]))
    found = nearest([matrix], query)
    return {hit.entry_id: hit.relevance for hits in found.values() for hit in hits}


def assert_found_by_one(store: Store, question: str, person: Scope, there: Iterable[Letters]) -> str:
    """What is found is what one of the embedders finds alone, all of it; which that is."""
    found = store.recall(Question(question), person)
    if not found:
        assert store.memory.keys(person) == []
        return store.embedder_name
    name = by(found, store)
    (embedder,) = (each for each in there if each.name == name)
    assert nearness(found) == pytest.approx(plainly(store, question, person, embedder), abs=1e-4)
    assert all("meaning" in candidate.scores for candidate in found)
    return name


def switch_until_killed(folder: Path, moment: int) -> None:
    """In a process of its own: switch to another embedder, and be killed before or after a step of that.

    `moment` counts these. Something is saved in the middle.
    """
    making._BATCH = 4
    left = [moment]

    def deadly(step: Callable[..., object]) -> Callable[..., object]:
        def stepped(*arguments: object, **named: object) -> object:
            _count(left)
            outcome = step(*arguments, **named)
            _count(left)
            return outcome

        return stepped

    for owner, names in ((PartialTable, ("begin", "add", "replace", "finish")), (Serving, ("open", "switch", "_tidy"))):
        for name in names:
            setattr(owner, name, deadly(getattr(owner, name)))
    store = store_with(folder, made("same"), made("one"))
    store.indexer.catch_up()
    go_on(store)
    go_on(store)
    store.memory.remember(unlike("in the middle"), ANN)
    while not go_on(store):
        pass
    store.close()


def _count(left: list[int]) -> None:
    left[0] -= 1
    if left[0] < 0:
        os.kill(os.getpid(), signal.SIGKILL)
