"""Input of an embedder: prompt, text or translation; the scale of its cosines; and an embedder over HTTP."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import StaticEmbedding
from tokenizers import Tokenizer, models, pre_tokenizers

from assistant.types import Question, Scope
from memory_store.embedding.embedder import BUNDLED, EmbedderUnavailable, SentenceEmbedder, choose_embedder
from memory_store.embedding.embedder_setup import UNRELATED_COSINE, MemoryEmbedder, calibrate
from memory_store.language.word_translation import translate_to_english
from tests.support.memory.loop import last
from tests.support.memory.store import LetterPairEmbedder
from tests.support.servers.chat_server import ChatServer
from tests.support.servers.embeddings import embeddings
from ui.server.services import Services

ME = Scope("ann")
QUESTION, MODEL = "What is akin to quick?", "openai/text-embedding-3-small"
HINDI = "गरम का उल्टा क्या है?"


def test_bundled_embedder_gets_english() -> None:
    bundled = SentenceEmbedder(choose_embedder(BUNDLED))
    np.testing.assert_array_equal(
        MemoryEmbedder(bundled).encode([HINDI]), bundled.encode([translate_to_english(HINDI)])
    )
    assert MemoryEmbedder(bundled).fingerprint != bundled.fingerprint
    bundled.name = "measured"
    assert MemoryEmbedder(bundled).unrelated_cosine == pytest.approx(UNRELATED_COSINE, abs=0.002)


def test_cosines_are_put_on_one_scale() -> None:
    other = MemoryEmbedder(LetterPairEmbedder())
    assert other.unrelated_cosine > 0.2
    assert calibrate(1.0, other.unrelated_cosine) == pytest.approx(1.0)
    assert calibrate(other.unrelated_cosine, other.unrelated_cosine) == pytest.approx(UNRELATED_COSINE)
    assert calibrate(0.0, other.unrelated_cosine) == 0.0


WORDS = ("ask", "like", "query", ":", "river", "[UNK]")


def saved(folder: Path, **said: Any) -> SentenceTransformer:
    """Save a model with a vector per word, and its prompt settings."""
    words = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    model = SentenceTransformer(modules=[StaticEmbedding(words, embedding_dim=8)], device="cpu", **said)
    model.save_pretrained(str(folder))
    return model


@pytest.mark.parametrize(
    ("folder", "said", "before"),
    [
        ("own", {"prompts": {"query": "ask: ", "document": "like: "}}, "ask: "),
        ("own", {}, ""),
        ("multilingual-e5-small", {}, "query: "),
    ],
)
def test_prompt_of_a_question_comes_first(tmp_path: Path, folder: str, said: Mapping[str, Any], before: str) -> None:
    model = saved(tmp_path / folder, **said)
    expected = model.encode([f"{before}river"], prompt="", normalize_embeddings=True)
    embedder = SentenceEmbedder(choose_embedder(str(tmp_path / folder)))
    np.testing.assert_allclose(embedder.encode(["river"]), expected, atol=1e-6)
    assert embedder.dimension == 8


@pytest.mark.parametrize("file", ["modules.json", "model.safetensors"])
def test_damaged_model_is_unavailable(tmp_path: Path, file: str) -> None:
    saved(tmp_path / "own")
    (damaged,) = (tmp_path / "own").rglob(file)
    damaged.write_bytes(b"{")
    with pytest.raises(EmbedderUnavailable):
        SentenceEmbedder(choose_embedder(str(tmp_path / "own"))).encode(["river"])


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(embeddings(LetterPairEmbedder().encode)) as server:
        yield server


@pytest.fixture
def own_loop() -> Iterator[None]:
    """Provide an event loop for this thread; litellm would create one and leave it open."""
    with closing(asyncio.new_event_loop()) as loop:
        asyncio.set_event_loop(loop)
        yield
        asyncio.set_event_loop(None)


@pytest.mark.usefixtures("own_loop")
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
