"""Sharing in the loop: what others get of an accepted offer in their prompts, and that it ends with their next turn."""

import json
from collections.abc import Callable

import pytest

from assistant.types import Entry, Question, Scope, Turn
from memory_store.language.word_translation import READINGS
from memory_store.retrieval.retriever import MOST_CANDIDATES, MOST_SHARED, IndexRetriever
from memory_store.store import Store
from tests.support.memory.loop import CERTAIN, RIGHT, WRONG, Loop
from tests.support.memory.sharing import CURATOR, RULES, end_sharing
from tests.support.memory.store import clarification
from ui.page.conversation.views import turn_view

ANN, BOB, CARL = Scope("ann-who-must-not-be-named"), Scope("bob"), Scope("carl")
QUESTION, MEANT = "What is akin to quick?", "I want a synonym"
MANY = [RIGHT] * 12
NOT_INDEXED = [False, True]


def loop_on(store: Store, *replies: str, from_ledger: bool = False) -> Loop:
    return Loop(store, *(replies or MANY), gate=CERTAIN, catch_up=(lambda: False) if from_ledger else None)


def shared(store: Store, question: str = QUESTION, text: str = MEANT, key: str = "") -> tuple[Entry, str]:
    """An entry of Ann's of which everyone has a copy, and the id of its offer."""
    entry = store.memory.remember(clarification(question, text, key), ANN)
    sharing = store.sharing(RULES)
    return entry, sharing.accept(sharing.offer(entry.id, ANN).id, sharing.curator(CURATOR)).id


def from_memory(turn: Turn) -> list[str]:
    return [decision.entry.text for decision in turn.from_memory]


@pytest.mark.parametrize("from_ledger", NOT_INDEXED)
def test_accepted_entry_names_nobody(store: Store, from_ledger: bool) -> None:
    loop = loop_on(store, WRONG, *MANY, from_ledger=from_ledger)
    loop.clarify(loop.ask(QUESTION, scope=ANN), MEANT, ANN)
    (entry,) = store.memory.entries(ANN)
    sharing = store.sharing(RULES)
    offer = sharing.offer(entry.id, ANN)
    assert from_memory(loop.ask("What is akin to happy?", "before", BOB)) == []

    sharing.accept(offer.id, sharing.curator(CURATOR))
    turn = loop.ask("What is akin to enormous?", "b", BOB)
    assert from_memory(turn) == [MEANT]
    assert loop.spliced() == {"clarification": [MEANT]}
    prompt = "\n".join(message.content for message in loop.model.asked[-1])
    assert "someone else, for everyone" in prompt
    seen = json.dumps(turn_view(turn), default=str)
    assert '"shared": true' in seen
    for told in (prompt, seen, repr(turn)):
        assert ANN.person not in told
        assert entry.id not in told
        assert CURATOR.person not in told


ENDS = [("withdraw", False), ("withdraw", True), ("decline", True), ("forget", False), ("edit", False)]


@pytest.mark.promise("withdrawn-is-gone")
@pytest.mark.parametrize(("how", "from_ledger"), ENDS)
def test_ended_sharing_ends_with_the_next_turn(store: Store, how: str, from_ledger: bool) -> None:
    entry, offer = shared(store)
    loop = loop_on(store, from_ledger=from_ledger)
    for number in range(2):  # the second time from what is held in memory
        assert from_memory(loop.ask(f"What is akin to {('enormous', 'happy')[number]}?", f"b{number}", BOB)) == [MEANT]
    end_sharing(store, how, entry, offer)
    turn = loop.ask("What is akin to sad?", "b2", BOB)
    assert turn.decisions == ()
    assert loop.spliced() == {}
    # Nothing of it stays in what Bob sees of his earlier turns, either.
    earlier = [turn_view(turn) for number in range(2) for turn in loop.assistant.turns(f"b{number}", BOB)]
    assert MEANT not in json.dumps(earlier, default=str)


@pytest.mark.parametrize("from_ledger", NOT_INDEXED)
def test_shared_entries_take_no_room_of_own(store: Store, from_ledger: bool) -> None:
    named = "harbour melon crane bank lamp river stone cloud pepper window ladder basket candle hammer violin"
    words = named.split()
    for word in words:
        shared(store, f"what is akin to {word} ?", f"everyone means {word}")
    for number, word in enumerate(words[:MOST_CANDIDATES]):
        store.memory.remember(clarification(f"tell me about {word} and akin things", f"bob means {number}"), BOB)
    wait: Callable[[], bool] = (lambda: False) if from_ledger else store.indexer.wait_until_current
    found = IndexRetriever(store.index, store.memory, READINGS, None, wait)(Question("what is akin to enormous ?"), BOB)
    assert sum(candidate.entry.shared for candidate in found) == MOST_SHARED
    assert sum(candidate.entry.owner == BOB.person for candidate in found) == MOST_CANDIDATES
