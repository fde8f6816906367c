"""The embedders to try with are models as any other, and differ from the bundled one as they are said to."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from evaluation.embedders.trial import trial_embedders
from memory_store.embedding.embedder import BUNDLED, SentenceEmbedder, choose_embedder

TEXTS = ["What does light mean?", "what is the meaning of light", "Cancel my alarm", "Is it going to rain?"]


def cosines(name: str) -> np.ndarray:
    vectors = SentenceEmbedder(choose_embedder(name), 600.0).encode(TEXTS)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, rtol=1e-5)
    return vectors @ vectors.T


def test_they_are_found_as_any_model_in_a_folder_and_order_texts_in_their_own_way(trial: Callable[[str], str]) -> None:
    bundled, cut, crowded = cosines(BUNDLED), cosines(trial("layers-2")), cosines(trial("crowded"))
    assert cut[0, 1] > cut[0, 2]
    assert np.abs(cut - bundled).max() > 0.1
    np.testing.assert_allclose(crowded, (bundled + 3) / 4, atol=1e-3)


def test_what_is_there_is_not_made_again(trial: Callable[[str], str]) -> None:
    heard: list[str] = []
    folder = Path(trial("layers-2"))
    assert trial_embedders(folder.parent, ["layers-2"], heard.append) == {"layers-2": folder}
    assert heard == []


def test_one_imitates_a_multilingual_embedder(trial: Callable[[str], str]) -> None:
    near = {}
    for name in ("pieces", "glossed"):
        texts = ["garam ka ulta kya hai", "What is the opposite of hot?", "Cancel my alarm"]
        vectors = SentenceEmbedder(choose_embedder(trial(name)), 600.0).encode(texts)
        near[name] = vectors[0] @ vectors[1:].T
    assert near["glossed"][0] > near["glossed"][1] + 0.3
    assert near["pieces"][0] < near["glossed"][0] - 0.3
