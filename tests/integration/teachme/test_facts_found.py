"""Facts are found by what they say, in room of their own, and only those that count for the person who asks."""

from collections import Counter
from collections.abc import Callable, Sequence

import pytest

from assistant.gate.gate import FittedGate
from assistant.kinds import CLARIFICATION, EXAMPLE, FACT
from assistant.papers.teachme.facts import fact
from assistant.types import Action, Candidate, Entry, Question, Scope, Turn
from memory_store.language.word_translation import READINGS
from memory_store.retrieval.retriever import MOST_CANDIDATES, MOST_EXAMPLES, MOST_FACTS, MOST_SHARED, IndexRetriever
from memory_store.store import Store
from tests.support.memory.sharing import CURATOR, RULES
from tests.support.memory.store import clarification, example, recall_on

pytestmark = pytest.mark.promise("facts-answer-elsewhere", "own-facts-come-first")

ANN, BOB = Scope("ann"), Scope("bob")
SHIP = "my brother Harman serves in the merchant navy"

RecallText = Callable[[str, Scope], Sequence[Candidate]]


@pytest.fixture
def recall(store: Store) -> RecallText:
    return recall_on(store, None, READINGS)


def tell(store: Store, text: str, scope: Scope = ANN, told_at: str = "") -> Entry:
    return store.memory.remember(fact(Turn("", "", scope.person, ""), text, told_at=told_at), scope)


def offered(found: Sequence[Candidate]) -> list[str]:
    decisions = FittedGate.from_file()(found, ANN)
    return [decision.entry.shown for decision in decisions if decision.action is Action.OFFER]


def test_fact_is_found_in_other_words_and_scripts(store: Store, recall: RecallText) -> None:
    entry = tell(store, SHIP)
    for asked in ("what does Harman do?", "ਹਰਮਨ ਕੀ ਕਰਦਾ ਹੈ", "Is Harman home for the wedding?"):
        (found,) = recall(asked, ANN)
        assert (found.entry.id, found.key.text) == (entry.id, SHIP)
        assert offered([found]) == [SHIP]
    assert offered(recall("how do I bake bread without yeast", ANN)) == []


def test_fact_is_found_by_the_question_it_was_told_at(store: Store, recall: RecallText) -> None:
    for number in range(MOST_FACTS + 3):
        tell(store, f"I should bring {number} lamps to the office")
    tell(store, "nuts make Aarav ill", told_at="what should I bring on Sunday?")
    assert offered(recall("What should I bring on Sunday?", ANN))[0] == "nuts make Aarav ill"


def test_no_kind_takes_room_from_another(store: Store, recall: RecallText) -> None:
    for number in range(MOST_CANDIDATES + 2):
        store.memory.remember(clarification(f"what is the price of item {number}", f"in rupees {number}"), ANN)
        store.memory.remember(example(f"what is the price of thing {number}"), ANN)
        tell(store, f"the price of item {number} is {number} rupees")
    kinds = Counter(each.entry.kind.name for each in recall("what is the price of item 5", ANN))
    assert kinds == {CLARIFICATION.name: MOST_CANDIDATES, EXAMPLE.name: MOST_EXAMPLES, FACT.name: MOST_FACTS}


@pytest.mark.parametrize("from_ledger", [False, True])
def test_own_facts_come_before_shared_and_no_others(store: Store, from_ledger: bool) -> None:
    sharing = store.sharing(RULES)
    for text in ("Harman is a sailor", "Harman sails a large ship", "Harman sails to Goa", "Harman sails alone"):
        sharing.accept(sharing.offer(tell(store, text, BOB).id, BOB).id, sharing.curator(CURATOR))
    tell(store, "Harman is Bob's neighbour", BOB)
    own = [tell(store, "Harman is a sailor in the navy").shown, tell(store, "Harman is no sailor").shown]
    wait: Callable[[], bool] = (lambda: False) if from_ledger else store.indexer.wait_until_current
    recall = IndexRetriever(store.index, store.memory, READINGS, None, wait)
    of_ann, of_bob = (recall(Question("is Harman a sailor?"), scope) for scope in (ANN, BOB))
    assert {each.entry.shown for each in of_ann if not each.entry.shared} == set(own)
    assert sum(each.entry.shared for each in of_ann) == MOST_SHARED
    assert "Harman is Bob's neighbour" in {each.entry.shown for each in of_bob}
    shown = offered(of_ann)
    assert set(shown[: len(own)]) == set(own)
