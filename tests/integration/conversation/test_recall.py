"""Recall and gate together, on the real store."""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from assistant.gate.gate import FittedGate
from assistant.kinds import CLARIFICATION, EXAMPLE
from assistant.types import Action, Candidate, Decision, Entry, Scope
from memory_store.embedding.embedder import BUNDLED, SentenceEmbedder, choose_embedder
from memory_store.language.word_translation import READINGS
from memory_store.retrieval.retriever import MOST_CANDIDATES, MOST_EXAMPLES
from memory_store.store import Store
from tests.support.memory.store import LetterPairs, clarification, example, open_store, recall_on

ANN, BOB = Scope("ann"), Scope("bob")
COLOURS = ("green", "scarlet", "amber")

RecallText = Callable[[str, Scope], Sequence[Candidate]]


def opened(folder: Path, embedder: LetterPairs | SentenceEmbedder | None) -> Store:
    return open_store(f"sqlite:///{folder / 'ledger.db'}", str(folder / "index"), embedder, READINGS)


@pytest.fixture
def store(tmp_path: Path, embedder: LetterPairs) -> Store:
    return opened(tmp_path, embedder)


@pytest.fixture
def recall(store: Store, embedder: LetterPairs) -> RecallText:
    return recall_on(store, embedder, READINGS)


def save(store: Store, question: str, text: str, scope: Scope = ANN) -> Entry:
    return store.memory.remember(clarification(question, text, f"{question} {text}"), scope)


def keep(store: Store, question: str) -> Entry:
    draft = example(question, "a synonym", "a word")
    return store.memory.remember(draft, ANN)


def used(recall: RecallText, question: str, scope: Scope = ANN) -> list[str]:
    decisions: list[Decision] = list(FittedGate.from_file()(recall(question, scope), scope))
    return [decision.entry.id for decision in decisions if decision.action is Action.USE]


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("what is akin to quick ?", "What's akin to enormous?"),
        ("quick jaisa koi shabd batao", "enormous jaisa shabd btao"),
        ("quick jaisa koi shabd batao", "enormous जैसा शब्द बताओ"),
        ("quick varga koi shabad dasso", "vadda ਵਰਗਾ ਸ਼ਬਦ ਦੱਸੋ"),
        ("ਗਰਮ ਦਾ ਉਲਟਾ ਦੱਸੋ", "thanda da ulta dasso"),
        ("हल्का का विलोम बताइए", "mushkil ka vilom bataiye"),
        ("cold के सामने क्या है", "rich ke saamne kya hai"),
        ("happy ਵਰਗਾ ਸ਼ਬਦ ਦੱਸੋ", "angry varga koi shabad dasna"),
    ],
)
def test_after_one_correction_a_different_question_of_the_same_kind_uses_it(
    store: Store, recall: RecallText, stored: str, asked: str
) -> None:
    save(store, "who won the football last night?", "football means soccer")
    entry = save(store, stored, "I meant something else")
    assert used(recall, asked) == [entry.id]


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("what is like quick ?", "what is unlike quick ?"),
        ("quick ka ulta kya hai", "quick ka matlab kya hai"),
        ("quick jaisa koi shabd batao", "mere jaisa koi ladka batao"),
        ("what's the damage?", "what's the time?"),
        ("happy ਵਰਗਾ ਸ਼ਬਦ ਦੱਸੋ", "koi shabad dasso"),
        ("what is akin to quick ?", "who wrote Ramcharitmanas"),
    ],
)
def test_a_look_alike_does_not(store: Store, recall: RecallText, stored: str, asked: str) -> None:
    save(store, stored, "I meant something else")
    assert used(recall, asked) == []


def test_only_what_still_counts_is_found(store: Store, recall: RecallText) -> None:
    first = save(store, "what is akin to quick ?", "I want an antonym")
    second = store.memory.edit(first.id, "I want a synonym", ANN)
    assert used(recall, "what is akin to brave ?") == [second.id]
    store.memory.forget(second.id, ANN)
    assert second.id not in {candidate.entry.id for candidate in recall("what is akin to brave ?", ANN)}


def test_an_entry_stands_once_under_its_nearest_key(store: Store, recall: RecallText) -> None:
    entry = save(store, "what is akin to quick ?", "I want a synonym")
    (candidate,) = recall("what is akin to quick ?", ANN)
    assert (candidate.entry.id, candidate.key.text) == (entry.id, "what is akin to quick ?")
    assert candidate.scores["way"] == candidate.scores["its_question"] == 1.0
    assert {"near", "meaning", "letters", "relevance"} <= candidate.scores.keys()
    assert {"own", "helped", "helped_like"} <= candidate.scores.keys()
    assert all(0.0 <= score <= 1.0 for score in candidate.scores.values())


def test_there_are_at_most_a_few_dozen_candidates(store: Store, recall: RecallText) -> None:
    for number in range(MOST_CANDIDATES + 10):
        save(store, f"what is the price of item {number}", f"in rupees {number}")
    assert len(recall("what is the price of item 5", ANN)) == MOST_CANDIDATES


def test_confirmed_examples_take_no_room_from_clarifications(store: Store, recall: RecallText) -> None:
    wanted = [save(store, f"what is a word for the colour {colour}", f"in {colour}") for colour in COLOURS]
    for number in range(MOST_CANDIDATES + MOST_EXAMPLES):
        keep(store, f"what is akin to number {number} ?")
    before = [found.entry for found in recall("what is akin to blue ?", ANN) if found.entry.kind is CLARIFICATION]
    assert {entry.id for entry in before} == {entry.id for entry in wanted}
    for number in range(MOST_CANDIDATES):
        save(store, f"which item has the price {number}", f"in rupees {number}")
    found = recall("what is akin to blue ?", ANN)
    kinds = Counter(candidate.entry.kind for candidate in found)
    assert kinds == {CLARIFICATION: MOST_CANDIDATES, EXAMPLE: MOST_EXAMPLES}
    assert [candidate.scores["relevance"] for candidate in found] == sorted(
        (candidate.scores["relevance"] for candidate in found), reverse=True
    )


def test_entries_that_rest_take_no_room(store: Store, recall: RecallText) -> None:
    for number in range(MOST_CANDIDATES + 4):
        entry = save(store, f"what is the price of item {number}", f"in rupees {number}")
        store.memory.pause(entry.id, ANN)
    others = {save(store, f"which river is longest in land {number}", f"by water {number}").id for number in range(9)}
    found = [candidate.entry for candidate in recall("what is the price of item 5", ANN)]
    assert {entry.id for entry in found if not entry.resting} == others


def test_without_an_embedder_spelling_still_finds(store: Store, embedder: LetterPairs) -> None:
    entry = save(store, "what is akin to quick ?", "I want a synonym")
    store.indexer.catch_up()
    embedder.is_down = True
    assert used(recall_on(store, embedder, READINGS), "what is akin to brave ?") == [entry.id]
    (candidate,) = recall_on(store, None, READINGS)("what is akin to brave ?", ANN)
    assert "meaning" not in candidate.scores


def test_meaning_finds_what_shares_no_words(tmp_path: Path) -> None:
    embedder = SentenceEmbedder(choose_embedder(BUNDLED))
    embedder.start()
    store = opened(tmp_path, embedder)
    entry = save(store, "How much money do I owe you?", "in dollars")
    save(store, "Which river is the longest?", "in India")
    candidates = recall_on(store, embedder, READINGS)("What's the total of the bill", ANN)
    scores = {candidate.entry.id: candidate.scores["meaning"] for candidate in candidates}
    assert max(scores, key=lambda entry_id: scores[entry_id]) == entry.id
