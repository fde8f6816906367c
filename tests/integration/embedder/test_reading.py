"""Input of an embedder: prompt, text or translation; and the scale of its cosines."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import StaticEmbedding
from tokenizers import Tokenizer, models, pre_tokenizers

from memory_store.embedding.embedder import BUNDLED, EmbedderUnavailable, SentenceEmbedder, choose_embedder
from memory_store.embedding.embedder_setup import UNRELATED_COSINE, MemoryEmbedder, calibrate
from memory_store.language.word_translation import translate_to_english
from tests.support.memory.store import LetterPairEmbedder

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
    found = calibrate(np.array([0.0, other.unrelated_cosine, 1.0]), other.unrelated_cosine)
    assert found.tolist() == pytest.approx([0.0, UNRELATED_COSINE, 1.0])


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
