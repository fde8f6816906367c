"""An embedder behind an API: vectors equal the server's, each fault is one sentence, and it recovers soon."""

import logging
import time
from collections.abc import Iterator
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant import errors
from assistant.models.remote.embeddings import RemoteEmbedder
from tests.support.memory.store import LetterPairEmbedder
from tests.support.servers import faults
from tests.support.servers.chat_server import ChatServer
from tests.support.servers.embeddings import embeddings, reply_with_dimension
from tests.support.servers.faults import Fault

KEY = "sk-never-to-be-shown"
TEXTS = ["What does my secret word plover mean?", "cancel the alarm"]
PRICED = "openai/text-embedding-3-small"

FAULTS: dict[str, tuple[Fault, type[errors.ModelError]]] = {
    "401": (faults.refused_key, errors.KeyRefused),
    "429": (faults.rate_limited("0.01"), errors.RateLimited),
    "slow": (faults.no_response, errors.ModelTimeout),
    "malformed": (faults.malformed_json, errors.BadReply),
    "wrong dimension": (reply_with_dimension(7), errors.BadReply),
}


@pytest.fixture
def letters() -> LetterPairEmbedder:
    return LetterPairEmbedder()


@pytest.fixture
def server(letters: LetterPairEmbedder) -> Iterator[ChatServer]:
    with ChatServer(embeddings(letters.encode)) as server:
        yield server


def remote(server: ChatServer, name: str = "openai/any", **how: Any) -> RemoteEmbedder:
    usual: dict[str, Any] = {"api_key": KEY, "api_base": server.url, "again_seconds": 0.2}
    return RemoteEmbedder(name, **usual | how)


def test_vectors_come_in_batches_at_length_one(server: ChatServer, letters: LetterPairEmbedder) -> None:
    embedder = remote(server)
    texts = [*TEXTS, "", *(f"question number {number}" for number in range(97))]
    found = embedder.encode(texts)
    expected: NDArray[np.float32] = letters.encode([text or "?" for text in texts])
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert embedder.dimension == letters.dimension
    assert [len(request.body["input"]) for request in server.requests] == [64, 36]


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_one_sentence_and_passes(
    name: str, server: ChatServer, letters: LetterPairEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    fault, expected = FAULTS[name]
    embedder = remote(server, seconds=0.5 if expected is errors.ModelTimeout else 8.0)
    assert embedder.dimension == letters.dimension
    server.requests.clear()
    server.replies(fault)
    with caplog.at_level(logging.DEBUG), pytest.raises(errors.ModelError) as raised:
        embedder.encode(TEXTS)
    assert (type(raised.value), len(server.requests)) == (expected, 1)
    assert raised.value.__cause__ is None
    assert raised.value.__context__ is None
    written = caplog.text + "".join(repr(vars(record)) for record in caplog.records)
    assert "plover" not in written
    assert KEY not in written
    with pytest.raises(errors.ModelError):  # fails fast after a recent failure
        embedder.encode(TEXTS)
    assert len(server.requests) == 1
    time.sleep(0.2)
    np.testing.assert_allclose(embedder.encode(TEXTS), letters.encode(TEXTS), atol=1e-6)


def test_cost_counts_against_the_limit(server: ChatServer) -> None:
    settled: list[float] = []
    spending = Mock(return_value=settled.append)
    embedder = remote(server, PRICED, spending=spending)
    server.answer = embeddings(LetterPairEmbedder().encode, tokens=500_000)
    embedder.encode(TEXTS)  # two cents per million tokens
    assert settled == [pytest.approx(0.02)]
    spending.side_effect = errors.SpendUsedUp
    with pytest.raises(errors.SpendUsedUp):
        embedder.encode(TEXTS)
    assert len(server.requests) == 1
    with pytest.raises(errors.PriceUnknown):
        remote(server, spending=spending).encode(TEXTS)
