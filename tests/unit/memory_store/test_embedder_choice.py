from pathlib import Path

import pytest
from huggingface_hub import constants

from memory_store.embedding.embedder import (
    BUNDLED,
    NONE,
    EmbedderUnavailable,
    SentenceEmbedder,
    choose_embedder,
)


def local_model(folder: Path, weights: bytes = b"weights") -> Path:
    folder.mkdir(parents=True)
    (folder / "modules.json").write_text("[]")
    (folder / "model.safetensors").write_bytes(weights)
    return folder


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache of models that holds one."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    folder = tmp_path / "models--intfloat--multilingual-e5-small"
    (folder / "refs").mkdir(parents=True)
    (folder / "refs" / "main").write_text("abc123")
    local_model(folder / "snapshots" / "abc123")


def test_named_or_bundled_model_is_used(tmp_path: Path) -> None:
    choice = choose_embedder()
    assert (choice.name, choose_embedder(BUNDLED).name) == (BUNDLED, BUNDLED)
    assert "English" in str(choice.why)
    assert choose_embedder("intfloat/multilingual-e5-small").name == "intfloat/multilingual-e5-small"
    own = local_model(tmp_path / "own")
    assert choose_embedder(str(own)).path == own


@pytest.mark.parametrize("name", ["a/missing", "no such name!!", "../../etc", "~nosuch/x", "\0", "x" * 5000])
def test_missing_model_is_named_and_replaced(name: str) -> None:
    choice = choose_embedder(name)
    assert choice.name == BUNDLED
    assert f"{name} is not on this machine" in str(choice.why)


def test_none_means_spelling_only() -> None:
    choice = choose_embedder(NONE)
    assert (choice.name, choice.path) == (NONE, None)
    with pytest.raises(EmbedderUnavailable):
        SentenceEmbedder(choice).encode(["x"])


def test_fingerprint_depends_on_model_and_files(tmp_path: Path) -> None:
    first, second = local_model(tmp_path / "first"), local_model(tmp_path / "second", b"other")
    before = choose_embedder(str(first)).fingerprint
    assert choose_embedder(str(first)).fingerprint == before
    assert len({before, choose_embedder(str(second)).fingerprint, choose_embedder(BUNDLED).fingerprint}) == 3
    (first / "model.safetensors").write_bytes(b"other weights")
    assert choose_embedder(str(first)).fingerprint != before


def test_provider_or_address_means_an_api() -> None:
    named = choose_embedder("openai/text-embedding-3-small")
    addressed = choose_embedder("openai/text-embedding-3-small", "http://127.0.0.1:1/v1")
    own = choose_embedder("of-our-own", "http://127.0.0.1:1/v1")
    assert [choice.is_remote for choice in (named, addressed, own, choose_embedder(BUNDLED))] == [True] * 3 + [False]
    assert len({choice.fingerprint for choice in (named, addressed, own)}) == 3
    assert named.why.code == "embedder.api"
