"""The app with an embedder behind an API: found by meaning, by surface form while the server is down, and back soon."""

import logging
import re
import time
from collections.abc import Callable, Iterator

import pytest

from assistant.models.remote.embeddings import RemoteEmbedder
from assistant.types import Question, Scope, TurnState
from memory_store.retrieval import retriever
from tests.support.memory.loop import last
from tests.support.memory.store import LetterPairs
from tests.support.servers import faults
from tests.support.servers.chat_server import ChatServer
from tests.support.servers.embeddings import embeddings, no_numbers
from tests.support.servers.faults import Fault
from ui.server.services import Services

ME = Scope("ann")
SECONDS = 60.0
QUESTION, MEANT = "What is akin to quick?", "I meant a word with the same meaning"
FAULTS = {  # each by itself is in tests/integration/model/test_remote_embedder.py
    "401": faults.refused_key,
    "NaN": no_numbers(LetterPairs().dimension),
}
KEY = "sk-own"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(embeddings(LetterPairs().encode)) as server:
        yield server


@pytest.fixture(autouse=True)
def soon_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask a server that failed again at once."""
    usual = RemoteEmbedder.__init__.__kwdefaults__
    assert usual
    for name, seconds in {"seconds": 2.0, "again_seconds": 1.0}.items():
        monkeypatch.setitem(usual, name, seconds)


@pytest.fixture
def services(composed: Callable[..., Services], server: ChatServer) -> Services:
    told = {"NOTED_EMBEDDER": "openai/any", "NOTED_EMBEDDER_API_BASE": server.url, "NOTED_EMBEDDER_API_KEY": KEY}
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
def test_fault_costs_the_meaning_for_a_while(
    name: str, services: Services, server: ChatServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    turn = last(services.assistant.ask(QUESTION, ME))
    list(services.assistant.clarify(turn.id, MEANT, ME))
    assert wait_for_meaning(services) > 0.1
    fault: Fault = FAULTS[name]
    working, server.answer = server.answer, lambda _body: fault
    caplog.clear()
    assert meaning(services) is None
    if name != "NaN":  # which is found in the vectors themselves
        (sentence,) = {record.getMessage() for record in caplog.records if record.name == retriever.__name__}
        assert re.fullmatch(r"Meaning was not compared: [A-Z][^\n]*\.", sentence)
    again = last(services.assistant.ask(QUESTION, ME))
    assert again.state is TurnState.ANSWERED
    assert [decision.entry.text for decision in again.from_memory] == [MEANT]
    server.answer = working
    wait_for_meaning(services)
    assert KEY not in caplog.text + "".join(repr(vars(record)) for record in caplog.records)


def test_embedding_counts_as_spending(composed: Callable[..., Services], server: ChatServer) -> None:
    told = {"NOTED_EMBEDDER": "openai/text-embedding-3-small", "NOTED_EMBEDDER_API_BASE": server.url}
    services = composed(told | {"NOTED_SPEND_PER_DAY": "0.0000001"})
    services.start()
    turn = last(services.assistant.ask(QUESTION, ME))
    list(services.assistant.clarify(turn.id, MEANT, ME))
    assert meaning(services) is None
    assert server.requests == []


def test_banner_says_that_texts_are_sent(composed: Callable[..., Services]) -> None:
    elsewhere = {"NOTED_EMBEDDER": "openai/text-embedding-3-small"}
    services = composed(elsewhere)
    assert services.embedder_note().code == "embedder.api"
    assert services.notices("local") == [("notice_embedder_leaves", {"model": elsewhere["NOTED_EMBEDDER"]})]
    here = composed({"NOTED_EMBEDDER": "openai/x", "NOTED_EMBEDDER_API_BASE": "http://127.0.0.1:1/v1"})
    assert here.notices("local") == composed({"NOTED_EMBEDDER": "ollama/x"}).notices("local") == []
