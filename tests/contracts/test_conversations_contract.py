"""Contract of `LedgerConversations`."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from assistant.errors import NotFound
from assistant.types import Reply, ReplyStatus, Scope, Turn, TurnState
from memory_store.ledger.database.schema import titles
from memory_store.store import Store
from tests.support.memory.store import ANN, BOB, clarification

BEGAN = datetime(2026, 1, 2, tzinfo=UTC)


def talk(store: Store, conversation: str, *questions: str, scope: Scope = ANN, answer: str = "fast") -> list[Turn]:
    begun = len(store.turn_store.turns(conversation, scope))
    told = [
        Turn(
            f"{scope.person[:3]}-{conversation}-{number}", conversation, scope.person, question,
            created=BEGAN + timedelta(minutes=number), state=TurnState.ANSWERED,
            reply=Reply.of("", "a synonym", answer, ReplyStatus.OK),
        )
        for number, question in enumerate(questions, begun)
    ]  # fmt: skip
    for turn in told:
        store.turn_store.record(turn, scope)
    return told


def listed(store: Store, search: str = "", scope: Scope = ANN) -> list[str]:
    return [summary.id for summary in store.conversations.conversations(scope, search)]


def names_kept(store: Store) -> int:
    with store.ledger.read() as connection:
        return len(connection.execute(titles.select()).all())


def test_newest_conversation_comes_first(any_store: Store) -> None:
    talk(any_store, "c1", "What is akin to quick?", "And to brave?")
    talk(any_store, "c2", "फूल का मतलब?")
    talk(any_store, "c1", "One more")
    first, second = any_store.conversations.conversations(ANN)
    assert (first.id, first.title, first.named) == ("c1", "What is akin to quick?", False)
    assert (first.last, second.title) == (BEGAN + timedelta(minutes=2), "फूल का मतलब?")
    assert list(any_store.conversations.conversations(ANN, limit=1, offset=1)) == [second]


def test_name_stays_until_it_is_removed(any_store: Store) -> None:
    talk(any_store, "c", "What is akin to quick?")
    any_store.conversations.rename("c", "Words' 100% \x00", ANN)
    talk(any_store, "c", "One more")
    (summary,) = any_store.conversations.conversations(ANN)
    assert (summary.title, summary.named) == ("Words' 100%", True)
    any_store.conversations.rename("c", "", ANN)
    (summary,) = any_store.conversations.conversations(ANN)
    assert (summary.title, summary.named) == ("What is akin to quick?", False)


def test_search_finds_names_and_turns(any_store: Store) -> None:
    talk(any_store, "c1", "What is akin to <Quick>?", answer="hasty")
    talk(any_store, "c3", "first", "जल्दी का उल्टा?", "last")
    talk(any_store, "c4", "anything")
    any_store.conversations.rename("c4", "ਨਾਮ", ANN)
    found = {"QUICK": ["c1"], "jaldi": ["c3"], "naam": ["c4"], "ਨਾਮ": ["c4"], "hasty": ["c1"], "%": [], "_": []}
    for search, expected in found.items():
        assert listed(any_store, search) == expected, search
    (summary,) = any_store.conversations.conversations(ANN, "jaldi")
    assert (summary.title, summary.found) == ("first", "जल्दी का उल्टा?")


def test_erasing_takes_turns_and_name_only(any_store: Store) -> None:
    turn, _ = talk(any_store, "c", "What is akin to quick?", "one more")
    talk(any_store, "other", "something else")
    any_store.conversations.rename("c", "Secret name", ANN)
    entry = any_store.memory.remember(replace(clarification(turn.question), turn=turn.id), ANN)
    receipt = any_store.conversations.erase("c", ANN)
    assert receipt.erased == {"turns": 2}
    assert any_store.turn_store.turns("c", ANN) == []
    assert names_kept(any_store) == 0
    assert any_store.memory.entry(entry.id, ANN).text == entry.text
    any_store.turn_store.record(turn, ANN)  # the answer was still streaming
    assert listed(any_store) == ["other"]


def test_name_goes_with_the_last_turn(any_store: Store) -> None:
    (turn,) = talk(any_store, "c", "What is akin to quick?")
    any_store.conversations.rename("c", "A name", ANN)
    entry = any_store.memory.remember(replace(clarification(turn.question), turn=turn.id), ANN)
    any_store.memory.forget(entry.id, ANN)
    assert names_kept(any_store) == 0
    assert [summary.title for summary in any_store.conversations.conversations(ANN)] == [""]
    talk(any_store, "c", "another question")
    assert [summary.title for summary in any_store.conversations.conversations(ANN)] == ["another question"]
    any_store.conversations.rename("c", "Another name", ANN)
    any_store.memory.forget_all(ANN)
    assert names_kept(any_store) == 0


def test_conversations_of_others_are_hidden(any_store: Store) -> None:
    talk(any_store, "c", "a private question")
    any_store.conversations.rename("c", "a private name", ANN)
    assert listed(any_store, scope=BOB) == listed(any_store, "private", BOB) == []
    with pytest.raises(NotFound):
        any_store.conversations.rename("c", "mine", BOB)
    with pytest.raises(NotFound):
        any_store.conversations.erase("c", BOB)
    talk(any_store, "c", "the same id", scope=BOB)
    any_store.conversations.rename("c", "Bob's", BOB)
    any_store.conversations.erase("c", BOB)
    assert [summary.title for summary in any_store.conversations.conversations(ANN)] == ["a private name"]
