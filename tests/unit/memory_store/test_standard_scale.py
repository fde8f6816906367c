"""The scale that all embedders share: nothing changes on it where all cosines of a model stand higher and closer."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from memory_store.embedding.kept_vectors import keep
from memory_store.embedding.standard import BACKGROUND, StandardScale
from tests.support.memory.store import LetterPairs

TEXTS = ["what does light mean?", "what does dark mean?", "cancel the alarm", "an answer"]
QUESTION = "what does bright mean?"


class Crowded(LetterPairs):
    """The same vectors with a component that all share, so that all cosines stand higher and closer together."""

    def __init__(self, shared: float) -> None:
        super().__init__()
        self.shared = shared
        self.fails = False

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.fails:
            raise OSError("It does not answer.")
        vectors = np.pad(super().encode(texts), ((0, 0), (0, 1)), constant_values=np.sqrt(self.shared))
        unit: NDArray[np.float32] = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        return unit


def scaled(embedder: LetterPairs, texts: Sequence[str]) -> NDArray[np.float32]:
    (vector,) = embedder.encode([QUESTION])
    return StandardScale(embedder)(vector, np.clip(embedder.encode(texts) @ vector, 0.0, 1.0))


@given(st.floats(0.0, 20.0))
def test_where_all_cosines_stand_higher_nothing_changes(shared: float) -> None:
    np.testing.assert_allclose(scaled(Crowded(shared), TEXTS), scaled(Crowded(0.0), TEXTS), atol=2e-3)


def test_the_nearest_stays_the_nearest_and_all_is_from_0_to_1() -> None:
    found = scaled(LetterPairs(), [*TEXTS, QUESTION])
    (vector,) = LetterPairs().encode([QUESTION])
    assert np.argsort(found).tolist() == np.argsort(LetterPairs().encode([*TEXTS, QUESTION]) @ vector).tolist()
    assert found.min() >= 0.0
    assert found.max() == found[-1] > found[0] > 0.1
    assert found.max() <= 1.0


def test_what_has_no_vector_yet_stays_unknown() -> None:
    (vector,) = LetterPairs().encode([QUESTION])
    found = StandardScale(LetterPairs())(vector, np.array([0.5, np.nan], np.float32))
    assert np.isnan(found).tolist() == [False, True]


def test_while_the_embedder_fails_nothing_is_known_and_it_is_asked_again() -> None:
    embedder = Crowded(3.0)
    scale = StandardScale(embedder)
    (vector,) = embedder.encode([QUESTION])
    embedder.fails = True
    assert np.isnan(scale(vector, np.array([0.9], np.float32))).all()
    embedder.fails = False
    assert np.isfinite(scale(vector, np.array([0.9], np.float32))).all()


def test_a_background_of_no_numbers_is_none(tmp_path: Path) -> None:
    class Broken(LetterPairs):
        def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
            return np.full((len(texts), 4), np.nan, np.float32)

    assert np.isnan(StandardScale(Broken())(np.full(4, 0.5, np.float32), np.array([0.9], np.float32))).all()


class Counted(LetterPairs):
    """Counts the texts that it is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.texts = 0

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts += len(texts)
        return super().encode(texts)


def texts_asked_for(kept: Path) -> int:
    embedder = Counted()
    scale = StandardScale(embedder, kept=kept)
    (vector,) = LetterPairs().encode([QUESTION])
    assert scale(vector, np.array([0.9], np.float32)) == scaled_alone(vector)
    return embedder.texts


def scaled_alone(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    return StandardScale(LetterPairs())(vector, np.array([0.9], np.float32))


def test_the_background_is_embedded_once_for_all_processes(tmp_path: Path) -> None:
    kept, texts = tmp_path / "embedders" / "any.npz", len(BACKGROUND.read_text(encoding="utf-8").splitlines())
    assert texts_asked_for(kept) == texts
    assert kept.stat().st_mode & 0o777 == 0o600
    assert list(kept.parent.iterdir()) == [kept]
    assert texts_asked_for(kept) == 0


@pytest.mark.parametrize(
    "damage", ["cut", "text", "other texts", "other shape", "other dimension", "no numbers", "other embedder"]
)
def test_what_is_damaged_or_another_is_made_again(tmp_path: Path, damage: str) -> None:
    kept, texts = tmp_path / "any.npz", BACKGROUND.read_text(encoding="utf-8").splitlines()
    vectors = LetterPairs().encode(texts)
    others = {"other texts": (texts[:-1], vectors[:-1]), "other shape": (texts, vectors[0]),
              "other dimension": (texts, np.eye(len(texts), 3, dtype=np.float32)),
              "no numbers": (texts, np.full_like(vectors, np.nan))}  # fmt: skip
    read, made = others.get(damage, (texts, vectors))
    keep(kept, read, "another" if damage == "other embedder" else LetterPairs.fingerprint, made)
    if damage == "cut":
        kept.write_bytes(kept.read_bytes()[:-500])
    if damage == "text":
        kept.write_text("what was never a file of vectors")
    assert texts_asked_for(kept) == len(texts)
    assert texts_asked_for(kept) == 0


def test_where_nothing_can_be_kept_all_goes_on(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    assert texts_asked_for(tmp_path / "file" / "any.npz") > 0


@pytest.mark.parametrize("script", ["a", "क", "ਕ"])
def test_the_background_is_in_several_scripts(script: str) -> None:
    assert any(script in line for line in BACKGROUND.read_text(encoding="utf-8").splitlines())
