"""Choice of the embedder; the same vectors without torch."""

from pathlib import Path

import numpy
import pytest
from huggingface_hub import constants
from hypothesis import given
from hypothesis import strategies as st

from assistant.models.embedded.tasks import load_array
from memory_store.embedding.embedder import BUNDLED, NONE, EmbedderUnavailable, SentenceEmbedder, choose_embedder
from memory_store.embedding.light_embedder import LightModel


def local_model(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "modules.json").write_text("[]")
    (folder / "model.safetensors").write_bytes(b"weights")
    return folder


@pytest.fixture(autouse=True)
def _empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))


def test_named_or_bundled_model_is_used(tmp_path: Path) -> None:
    assert choose_embedder().name == choose_embedder(BUNDLED).name == BUNDLED
    own = local_model(tmp_path / "own")
    assert choose_embedder(str(own)).path == own


@pytest.mark.parametrize("name", ["a/missing", "../../etc", "~nosuch/x", "\0", "x" * 5000])
def test_missing_model_is_named_and_replaced(name: str) -> None:
    choice = choose_embedder(name)
    assert choice.name == BUNDLED
    assert f"{name} isn’t on this machine" in str(choice.why)


def test_none_means_spelling_only() -> None:
    with pytest.raises(EmbedderUnavailable):
        SentenceEmbedder(choose_embedder(NONE)).encode(["x"])


def test_fingerprint_depends_on_model_and_files(tmp_path: Path) -> None:
    first = local_model(tmp_path / "first")
    before = choose_embedder(str(first)).fingerprint
    assert choose_embedder(BUNDLED).fingerprint == load_array("fingerprint")  # else the embedded model's data is unused
    assert choose_embedder(str(first)).fingerprint == before
    (first / "model.safetensors").write_bytes(b"other weights")
    assert choose_embedder(str(first)).fingerprint != before


TEXTS = ["What is akin to quick?", "quick jaisa koi shabd batao", "क्या ਸਤ ਸ੍ਰੀ ਅਕਾਲ 🙂", "", "long " * 400]


@pytest.fixture(scope="module")
def light() -> LightModel:
    path = choose_embedder(BUNDLED).path
    assert path
    return LightModel(path)


def test_vectors_equal_sentence_transformers(light: LightModel) -> None:
    from sentence_transformers import SentenceTransformer  # takes seconds to import

    model = SentenceTransformer(str(choose_embedder(BUNDLED).path), device="cpu", local_files_only=True)
    expected = model.encode(TEXTS, normalize_embeddings=True)
    given = light.encode(TEXTS)
    assert given.dtype == expected.dtype
    assert numpy.abs(given - expected).max() < 1e-5


@given(text=st.text())
def test_any_text_has_a_unit_vector(light: LightModel, text: str) -> None:
    assert numpy.linalg.norm(light.encode([text])[0]) == pytest.approx(1, abs=1e-5)
