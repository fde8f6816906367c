from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.models.local.local import LocalModel
from tests.support.tiny_gguf import write_tiny_gguf


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_gguf(tmp_path_factory.mktemp("models") / "tiny.gguf")


@pytest.fixture(scope="module")
def model(tiny: Path) -> Iterator[LocalModel]:
    model = LocalModel(tiny)
    yield model
    model.close()
