"""Downloads of an embedder from a hub over HTTP that fails in all ways."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_store.embedding.embedder import BUNDLED, choose_embedder
from tests.support.commands import Commands
from tests.support.servers.hub import COMMIT, NAME, Hub, HubFault, fails, stalls, use

WEIGHTS = "model.safetensors"
MODULES = [
    {"path": "", "type": "sentence_transformers.models.Transformer"},
    {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
]
FILES = {
    "modules.json": json.dumps(MODULES).encode(),
    "config.json": b'{"hidden_size": 12}',
    "1_Pooling/config.json": b'{"word_embedding_dimension": 12}',
    WEIGHTS: bytes(range(256)) * 4_000,
    "pytorch_model.bin": b"a pickle",
    "modeling.py": b"print('code')",
    "onnx/config.json": b"{}",
}
FETCHED = {"modules.json", "config.json", "1_Pooling/config.json", WEIGHTS}


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with Hub(FILES) as hub:
        use(hub, tmp_path / "cache", monkeypatch)
        yield hub


def pull(home: Path, *further: str, status: int = 0) -> str:
    return Commands(home).run("embedder", "pull", NAME, *further, status=status).stderr


def fetched(hub: Hub) -> list[str]:
    """Return the names of the files sent."""
    return [path.rpartition(f"/{COMMIT}/")[2] for path in hub.asked if path.startswith(f"GET /{NAME}")]


def test_only_data_is_fetched(hub: Hub, tmp_path: Path) -> None:
    assert f"NOTED_EMBEDDER={NAME}" in pull(tmp_path)
    assert sorted(fetched(hub)) == sorted(FETCHED)
    assert choose_embedder(NAME).name == NAME


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (fails(401, X_Error_Code="GatedRepo"), "its name and terms"),
        (fails(500), "(500)"),
        (stalls, "cannot be downloaded"),
    ],
)
def test_failing_hub_is_one_sentence(hub: Hub, tmp_path: Path, fault: HubFault, said: str) -> None:
    hub.faults[NAME] = [fault]
    (line,) = pull(tmp_path, status=1).splitlines()
    assert said in line
    hub.faults[WEIGHTS] = [fails(500)]
    pull(tmp_path, status=1)
    assert choose_embedder(NAME).name == BUNDLED
    hub.asked.clear()
    pull(tmp_path)
    assert fetched(hub) == [WEIGHTS]


def test_unusable_model_is_refused(hub: Hub, tmp_path: Path) -> None:
    del hub.files[WEIGHTS]
    assert "is not a sentence-transformers model with safetensors" in pull(tmp_path, status=1)
    assert choose_embedder(NAME).name == BUNDLED
