"""The app with an embedder behind an API: found by meaning, by surface form while the server is down, and back soon."""

import time
from collections.abc import Callable, Iterator

import pytest

from assistant.types import Question, Scope, TurnState
from tests.support.memory.loop import last
from tests.support.memory.store import LetterPairs
from tests.support.servers import faults
from tests.support.servers.chat_server import ChatServer
from tests.support.servers.embeddings import embeddings, no_numbers, of_dimension
from tests.support.servers.faults import Fault
from ui.server.services import Services

ME = Scope("ann")
SECONDS = 60.0
QUESTION, MEANT = "What is akin to quick?", "I meant a word with the same meaning"
FAULTS = {  # the others are in tests/integration/model/test_remote_embedder.py
    "401": faults.refused_key,
    "slow": faults.no_response,
    "wrong dimension": of_dimension(7),
    "NaN": no_numbers(LetterPairs().dimension),
}


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(embeddings(LetterPairs().encode)) as server:
        yield server


@pytest.fixture
def services(composed: Callable[..., Services], server: ChatServer) -> Services:
    told = {"NOTED_EMBEDDER": "openai/any", "NOTED_EMBEDDER_API_BASE": server.url, "NOTED_EMBEDDER_API_KEY": "sk-own"}
    services = composed(told)
    services.start()
    return services


def meaning(services: Services) -> float | None:
    """Of the one entry with its own question, as recall tells it."""
    (found,) = services.parts.recall(Question(QUESTION), ME)
    return found.scores.get("meaning")


def wait_for_meaning(services: Services) -> float:
    began = time.monotonic()
    while (found := meaning(services)) is None:
        assert time.monotonic() < began + SECONDS
        time.sleep(0.2)
    return found


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_costs_the_meaning_and_it_is_back_within_a_minute(
    name: str, services: Services, server: ChatServer
) -> None:
    turn = last(services.assistant.ask(QUESTION, ME))
    list(services.assistant.clarify(turn.id, MEANT, ME))
    assert wait_for_meaning(services) > 0.1
    fault: Fault = FAULTS[name]
    working, server.answer = server.answer, lambda _body: fault
    assert meaning(services) is None
    again = last(services.assistant.ask(QUESTION, ME))
    assert again.state is TurnState.ANSWERED
    assert [decision.entry.text for decision in again.from_memory] == [MEANT]
    server.answer = working
    wait_for_meaning(services)


def test_the_note_and_the_banner_say_that_texts_are_sent(composed: Callable[..., Services]) -> None:
    elsewhere = {"NOTED_EMBEDDER": "openai/text-embedding-3-small"}
    services = composed(elsewhere)
    assert services.embedder_note().code == "embedder.api"
    assert services.notices("local") == [("notice_embedder_leaves", {"model": elsewhere["NOTED_EMBEDDER"]})]
    here = composed({"NOTED_EMBEDDER": "openai/x", "NOTED_EMBEDDER_API_BASE": "http://127.0.0.1:1/v1"})
    assert here.notices("local") == composed({"NOTED_EMBEDDER": "ollama/x"}).notices("local") == []
