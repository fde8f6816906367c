"""Retriever and gate together, on the real store."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from assistant.gate.gate import FittedGate
from assistant.types import Action, Candidate, Entry, Scope
from memory_store.embedding.embedder import BUNDLED, SentenceEmbedder, choose_embedder
from memory_store.language.word_translation import READINGS
from memory_store.retrieval.retriever import MOST_CANDIDATES
from memory_store.store import Store
from tests.support.memory.store import ANN, LetterPairs, clarification, ledger_url, open_store, recall_on

RecallText = Callable[[str, Scope], Sequence[Candidate]]


def opened(folder: Path, embedder: LetterPairs | SentenceEmbedder | None) -> Store:
    return open_store(ledger_url(folder), str(folder / "index"), embedder, READINGS)


@pytest.fixture
def store(tmp_path: Path, embedder: LetterPairs) -> Store:
    return opened(tmp_path, embedder)


@pytest.fixture
def recall(store: Store, embedder: LetterPairs) -> RecallText:
    return recall_on(store, embedder, READINGS)


def save(store: Store, question: str, text: str = "I meant something else") -> Entry:
    return store.memory.remember(clarification(question, text, f"{question} {text}"), ANN)


def used(recall: RecallText, question: str) -> list[str]:
    decisions = FittedGate.from_file()(recall(question, ANN), ANN)
    return [decision.entry.id for decision in decisions if decision.action is Action.USE]


def test_paused_entries_take_no_room(store: Store, recall: RecallText) -> None:
    for number in range(MOST_CANDIDATES + 4):
        entry = save(store, f"what is the price of item {number}", f"in rupees {number}")
        store.memory.pause(entry.id, ANN)
    others = {save(store, f"which river is longest in land {number}", f"by water {number}").id for number in range(9)}
    found = [candidate.entry for candidate in recall("what is the price of item 5", ANN)]
    assert {entry.id for entry in found if not entry.resting} == others


def test_spelling_finds_without_an_embedder(store: Store, recall: RecallText, embedder: LetterPairs) -> None:
    entry = save(store, "what is akin to quick ?")
    store.indexer.catch_up()
    embedder.is_down = True
    assert used(recall, "what is akin to brave ?") == [entry.id]


def test_meaning_finds_other_words(tmp_path: Path) -> None:
    embedder = SentenceEmbedder(choose_embedder(BUNDLED))
    embedder.start()
    store = opened(tmp_path, embedder)
    entry = save(store, "How much money do I owe you?", "in dollars")
    save(store, "Which river is the longest?", "in India")
    candidates = recall_on(store, embedder, READINGS)("What's the total of the bill", ANN)
    assert max(candidates, key=lambda found: found.scores["meaning"]).entry.id == entry.id
