"""The app with an embedder behind an API. Its faults are in tests/integration/model/test_remote_embedder.py."""

from collections.abc import Callable, Iterator

import pytest

from assistant.types import Question, Scope
from tests.support.memory.loop import last
from tests.support.memory.store import LetterPairs
from tests.support.servers.chat_server import ChatServer
from tests.support.servers.embeddings import embeddings
from ui.server.services import Services

ME = Scope("ann")
QUESTION, MODEL = "What is akin to quick?", "openai/text-embedding-3-small"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(embeddings(LetterPairs().encode)) as server:
        yield server


@pytest.mark.parametrize(("per_day", "is_embedded"), [("1", True), ("0.0000001", False)])
def test_meaning_is_found_within_the_spending(
    composed: Callable[..., Services], server: ChatServer, per_day: str, is_embedded: bool
) -> None:
    told = {"NOTED_EMBEDDER": MODEL, "NOTED_EMBEDDER_API_BASE": server.url, "NOTED_SPEND_PER_DAY": per_day}
    services = composed(told)
    services.start()
    turn = last(services.assistant.ask(QUESTION, ME))
    list(services.assistant.clarify(turn.id, "I meant a word with the same meaning", ME))
    (found,) = services.parts.recall(Question(QUESTION), ME)
    assert ("meaning" in found.scores, bool(server.requests)) == (is_embedded, is_embedded)


def test_banner_says_that_texts_are_sent(composed: Callable[..., Services]) -> None:
    services = composed({"NOTED_EMBEDDER": MODEL})
    assert services.embedder_note().code == "embedder.api"
    assert services.notices("local") == [("notice_embedder_leaves", {"model": MODEL})]
    here = composed({"NOTED_EMBEDDER": "openai/x", "NOTED_EMBEDDER_API_BASE": "http://127.0.0.1:1/v1"})
    assert here.notices("local") == composed({"NOTED_EMBEDDER": "ollama/x"}).notices("local") == []
