"""The gate with an embedder that its fit never saw. One that differs only in how high its cosines stand is no other."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from evaluation.embedders.standard import compared, recalled, rows
from evaluation.gate.data import decisions, one_of, word_pairs
from tests.support.memory.store import LetterPairs


class Higher(LetterPairs):
    """The same vectors with a component that all share."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.pad(super().encode(texts), ((0, 0), (0, 1)), constant_values=2.0)
        unit: NDArray[np.float32] = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        return unit


DATA = [one_of(word_pairs(), 24)]
EVERY = 12  # of so many questions one is asked
SETS = {"fourth": one_of(decisions("fourth", keys=False), EVERY)}


def test_each_is_decided_by_the_fit_on_the_others() -> None:
    heard: list[str] = []
    found = list(compared({"plain": LetterPairs(), "higher": Higher()}, DATA, SETS, heard.append))
    assert heard == ["plain", "higher"]
    assert [(name, one) for name, one, *_ in found] == [("plain", "fourth"), ("higher", "fourth")]
    (*_, plain), (*_, higher) = found
    assert plain.first == pytest.approx(higher.first, abs=0.05)
    assert plain.f1 == pytest.approx(higher.f1, abs=0.05)
    own = recalled(LetterPairs(), DATA, SETS)
    assert rows(own, own.pairs)["fourth"].f1 == pytest.approx(plain.f1, abs=0.05)


def test_no_fit_has_seen_the_set() -> None:
    found = recalled(LetterPairs(), [*DATA, one_of(decisions("fourth", keys=False), EVERY)], SETS)
    assert rows(found, found.pairs) == rows(found, found.pairs[:1])
