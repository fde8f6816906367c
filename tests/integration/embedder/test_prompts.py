"""What is put before each text: as the files of a sentence-transformers model say it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import StaticEmbedding
from tokenizers import Tokenizer, models, pre_tokenizers

from memory_store.embedding.embedder import EmbedderUnavailable, SentenceEmbedder, choose_embedder

WORDS = ("ask", "like", "query", ":", "river", "[UNK]")


def saved(folder: Path, **said: Any) -> SentenceTransformer:
    """Save a model of a vector for each word, and what its files say of prompts."""
    words = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    model = SentenceTransformer(modules=[StaticEmbedding(words, embedding_dim=8)], device="cpu", **said)
    model.save_pretrained(str(folder))
    return model


@pytest.mark.parametrize(
    ("folder", "said", "before"),
    [
        ("own", {"prompts": {"query": "ask: ", "document": "like: "}}, "ask: "),
        ("own", {"prompts": {"query": "", "sts": "like: "}, "default_prompt_name": "sts"}, "like: "),
        ("own", {}, ""),
        ("multilingual-e5-small", {}, "query: "),
        ("e5-small-of-mine", {}, ""),
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
