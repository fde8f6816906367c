"""Contract of `Conversations`. A new implementation adds a fixture."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import pytest

from assistant.errors import NotFound
from assistant.ports import Conversations, Memory, TurnStore
from assistant.types import Reply, ReplyStatus, Scope, Turn, TurnState
from memory_store.ledger.database.schema import titles
from memory_store.ledger.ledger import Ledger
from memory_store.maintenance.erasure import Eraser
from memory_store.turns.turn_store import LedgerConversations, LedgerTurnStore
from tests.support.memory.store import ANN, BOB, clarification, ledger_memory

BEGAN = datetime(2026, 1, 2, tzinfo=UTC)


@dataclass(frozen=True)
class Books:
    conversations: Conversations
    turn_store: TurnStore
    memory: Memory
    ledger: Ledger

    def talk(self, conversation: str, *questions: str, scope: Scope = ANN, answer: str = "fast") -> list[Turn]:
        told = []
        for question in questions:
            number = len(self.turn_store.turns(conversation, scope))
            turn = Turn(
                f"{scope.person[:3]}-{conversation}-{number}", conversation, scope.person, question,
                created=BEGAN + timedelta(minutes=number), state=TurnState.ANSWERED,
                reply=Reply.of("", "a synonym", answer, ReplyStatus.OK),
            )  # fmt: skip
            self.turn_store.record(turn, scope)
            told.append(turn)
        return told

    def listed(self, search: str = "", scope: Scope = ANN) -> list[str]:
        return [summary.id for summary in self.conversations.conversations(scope, search)]

    def names_kept(self) -> int:
        with self.ledger.read() as connection:
            return len(connection.execute(titles.select()).all())


@pytest.fixture
def books(ledger: Ledger) -> Books:
    conversations = LedgerConversations(ledger, Eraser(ledger).forget_conversation)
    return Books(conversations, LedgerTurnStore(ledger), ledger_memory(ledger), ledger)


def test_newest_conversation_comes_first(books: Books) -> None:
    books.talk("c1", "What is akin to quick?", "And to brave?")
    books.talk("c2", "फूल का मतलब?")
    books.talk("c1", "One more")
    first, second = books.conversations.conversations(ANN)
    assert (first.id, first.title, first.named) == ("c1", "What is akin to quick?", False)
    assert (first.last, second.title) == (BEGAN + timedelta(minutes=2), "फूल का मतलब?")
    assert list(books.conversations.conversations(ANN, limit=1, offset=1)) == [second]


def test_name_stays_until_it_is_removed(books: Books) -> None:
    books.talk("c", "What is akin to quick?")
    books.conversations.rename("c", "Words' 100% \x00", ANN)
    books.talk("c", "One more")
    (summary,) = books.conversations.conversations(ANN)
    assert (summary.title, summary.named) == ("Words' 100%", True)
    books.conversations.rename("c", "", ANN)
    (summary,) = books.conversations.conversations(ANN)
    assert (summary.title, summary.named) == ("What is akin to quick?", False)


def test_search_finds_names_and_turns(books: Books) -> None:
    books.talk("c1", "What is akin to <Quick>?", answer="hasty")
    books.talk("c3", "first", "जल्दी का उल्टा?", "last")
    books.talk("c4", "anything")
    books.conversations.rename("c4", "ਨਾਮ", ANN)
    found = {"QUICK": ["c1"], "jaldi": ["c3"], "naam": ["c4"], "ਨਾਮ": ["c4"], "hasty": ["c1"], "%": [], "_": []}
    for search, expected in found.items():
        assert books.listed(search) == expected, search
    (summary,) = books.conversations.conversations(ANN, "jaldi")
    assert (summary.title, summary.found) == ("first", "जल्दी का उल्टा?")


def test_erasing_takes_turns_and_name_only(books: Books) -> None:
    turn, _ = books.talk("c", "What is akin to quick?", "one more")
    books.talk("other", "something else")
    books.conversations.rename("c", "Secret name", ANN)
    entry = books.memory.remember(replace(clarification(turn.question), turn=turn.id), ANN)
    receipt = books.conversations.erase("c", ANN)
    assert (receipt.erased["turns"], receipt.erased["titles"]) == (2, 1)
    assert books.turn_store.turns("c", ANN) == []
    assert books.names_kept() == 0
    assert books.memory.entry(entry.id, ANN).text == entry.text
    books.turn_store.record(turn, ANN)  # the answer was still streaming
    assert books.listed() == ["other"]


def test_name_goes_with_the_last_turn(books: Books) -> None:
    (turn,) = books.talk("c", "What is akin to quick?")
    books.conversations.rename("c", "A name", ANN)
    entry = books.memory.remember(replace(clarification(turn.question), turn=turn.id), ANN)
    books.memory.forget(entry.id, ANN)
    assert books.names_kept() == 0
    assert [summary.title for summary in books.conversations.conversations(ANN)] == [""]
    books.talk("c", "another question")
    assert [summary.title for summary in books.conversations.conversations(ANN)] == ["another question"]
    books.conversations.rename("c", "Another name", ANN)
    books.memory.forget_all(ANN)
    assert books.names_kept() == 0


def test_conversations_of_others_are_hidden(books: Books) -> None:
    books.talk("c", "a private question")
    books.conversations.rename("c", "a private name", ANN)
    assert books.listed(scope=BOB) == books.listed("private", BOB) == []
    for refused in (lambda: books.conversations.rename("c", "mine", BOB), lambda: books.conversations.erase("c", BOB)):
        with pytest.raises(NotFound):
            refused()
    books.talk("c", "the same id", scope=BOB)
    books.conversations.rename("c", "Bob's", BOB)
    books.conversations.erase("c", BOB)
    assert [summary.title for summary in books.conversations.conversations(ANN)] == ["a private name"]
