"""Without torch, meanings are compared by the same vectors."""

import os
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_store.embedding.embedder import BUNDLED, choose_embedder
from memory_store.embedding.light_embedder import LightModel
from tests.support.servers.without_torch import without_torch

TEXTS = ["What is akin to quick?", "quick jaisa koi shabd batao", "क्या ਸਤ ਸ੍ਰੀ ਅਕਾਲ 🙂", "", "long " * 400]


@pytest.fixture(scope="module")
def light() -> LightModel:
    path = choose_embedder(BUNDLED).path
    assert path
    return LightModel(path)


def test_vectors_equal_sentence_transformers(light: LightModel) -> None:
    from sentence_transformers import SentenceTransformer  # it takes seconds to import

    model = SentenceTransformer(str(choose_embedder(BUNDLED).path), device="cpu", local_files_only=True)
    expected = model.encode(TEXTS, normalize_embeddings=True)
    given = light.encode(TEXTS)
    assert given.dtype == expected.dtype
    assert numpy.abs(given - expected).max() < 1e-5


@given(text=st.text())
def test_any_text_has_a_unit_vector(light: LightModel, text: str) -> None:
    assert numpy.linalg.norm(light.encode([text])[0]) == pytest.approx(1, abs=1e-5)


def test_light_model_is_used_without_torch(tmp_path: Path) -> None:
    code = (
        "from memory_store.embedding.embedder import SentenceEmbedder, choose_embedder; chosen = choose_embedder();"
        "print(chosen.name, SentenceEmbedder(chosen).encode(['ready']).shape)"
    )
    environment = {**os.environ, "PYTHONPATH": without_torch(tmp_path / "without")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == f"{BUNDLED} (1, 384)\n"
