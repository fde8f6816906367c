"""What is read to an embedder, and the scale on which its cosines are compared."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from memory_store.embedding.embedder import BUNDLED, EmbedderUnavailable, SentenceEmbedder, choose_embedder
from memory_store.embedding.reading import USUAL, MemoryEmbedder, on_scale, usual_cosine
from memory_store.language.word_translation import in_english
from tests.support.memory.store import LetterPairs

HINDI = "गरम का उल्टा क्या है?"


def test_bundled_embedder_gets_english() -> None:
    bundled = SentenceEmbedder(choose_embedder(BUNDLED))
    np.testing.assert_array_equal(MemoryEmbedder(bundled).encode([HINDI]), bundled.encode([in_english(HINDI)]))
    assert MemoryEmbedder(bundled).fingerprint != bundled.fingerprint
    assert usual_cosine(bundled) == pytest.approx(USUAL, abs=0.002)


def test_another_embedder_gets_the_text_itself() -> None:
    other = LetterPairs()
    np.testing.assert_array_equal(MemoryEmbedder(other).encode([HINDI]), other.encode([HINDI]))
    assert MemoryEmbedder(other).fingerprint == other.fingerprint


def test_cosines_are_put_on_one_scale() -> None:
    other = MemoryEmbedder(LetterPairs())
    assert other.usual > 0.2
    assert on_scale(1.0, other.usual) == pytest.approx(1.0)
    assert on_scale(other.usual, other.usual) == pytest.approx(USUAL)
    assert on_scale(0.0, other.usual) == 0.0


def test_failing_embedder_is_measured_later(monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(LetterPairs):
        def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if self.is_down:
                raise EmbedderUnavailable
            return super().encode(texts)

    embedder = Failing.down()
    other = MemoryEmbedder(embedder)
    with pytest.raises(EmbedderUnavailable):
        _ = other.usual
    embedder.is_down = False
    assert other.usual == usual_cosine(embedder)
