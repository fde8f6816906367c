"""The embedders to try with are models as any other, and differ from the bundled one as they are said to."""

from pathlib import Path

import numpy as np
import pytest

from evaluation.embedders.trial import trial_embedders
from memory_store.embedding.embedder import BUNDLED, SentenceEmbedder, choose_embedder

TEXTS = ["What does light mean?", "what is the meaning of light", "Cancel my alarm", "Is it going to rain?"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return trial_embedders(tmp_path_factory.mktemp("trial"), ["layers-2", "crowded"])


def cosines(name: str) -> np.ndarray:
    vectors = SentenceEmbedder(choose_embedder(name), 600.0).encode(TEXTS)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, rtol=1e-5)
    return vectors @ vectors.T


def test_they_are_found_as_any_model_in_a_folder_and_order_texts_in_their_own_way(folders: dict[str, Path]) -> None:
    bundled, cut, crowded = cosines(BUNDLED), cosines(str(folders["layers-2"])), cosines(str(folders["crowded"]))
    assert cut[0, 1] > cut[0, 2]
    assert np.abs(cut - bundled).max() > 0.1
    np.testing.assert_allclose(crowded, (bundled + 3) / 4, atol=1e-3)


def test_what_is_there_is_not_made_again(folders: dict[str, Path]) -> None:
    heard: list[str] = []
    assert trial_embedders(folders["layers-2"].parent, ["layers-2"], heard.append) == {"layers-2": folders["layers-2"]}
    assert heard == []


def test_one_imitates_a_multilingual_embedder(tmp_path: Path) -> None:
    made = trial_embedders(tmp_path, ["pieces", "glossed"])
    near = {}
    for name, folder in made.items():
        texts = ["garam ka ulta kya hai", "What is the opposite of hot?", "Cancel my alarm"]
        vectors = SentenceEmbedder(choose_embedder(str(folder)), 600.0).encode(texts)
        near[name] = vectors[0] @ vectors[1:].T
    assert near["glossed"][0] > near["glossed"][1] + 0.3
    assert near["pieces"][0] < near["glossed"][0] - 0.3
