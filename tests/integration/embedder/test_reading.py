"""How texts are read to an embedder is measured: in English to one that knows English only, else as they are."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from memory_store.embedding.embedder import BUNDLED, EmbedderUnavailable, SentenceEmbedder, choose_embedder
from memory_store.embedding.reading import PHRASES, USUAL, MeasuredEmbedder, TranslatedEmbedder, measure
from memory_store.language.word_translation import in_english
from tests.support.memory.store import LetterPairs

HINDI = "गरम का उल्टा क्या है?"


class Polyglot(LetterPairs):
    """One that knows what all of the phrases say, and embeds that."""

    def __init__(self, *, knows: bool = True) -> None:
        super().__init__()
        lines = [line.split("\t") for line in PHRASES.read_text(encoding="utf-8").splitlines()]
        self._meant = {phrase: english for english, *phrases in lines for phrase in phrases} if knows else {}
        self.calls = 0

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls += 1
        return super().encode([self._meant.get(text, text) for text in texts])


def test_bundled_one_is_read_to_in_english_by_measurement_too() -> None:
    found = measure(SentenceEmbedder(choose_embedder(BUNDLED)))
    assert found.in_english
    assert found.usual == pytest.approx(USUAL, abs=0.02)


def test_one_that_knows_more_is_read_to_as_it_is() -> None:
    assert not measure(Polyglot()).in_english


@pytest.mark.parametrize("knows", [True, False])
def test_texts_come_as_was_measured_once(tmp_path: Path, *, knows: bool) -> None:
    embedder, file = Polyglot(knows=knows), tmp_path / "home" / "x.json"
    measured = MeasuredEmbedder(embedder, file)
    expected = embedder.encode([HINDI if knows else in_english(HINDI)])
    np.testing.assert_array_equal(measured.encode([HINDI]), expected)
    assert measured.fingerprint == (embedder if knows else TranslatedEmbedder(embedder)).fingerprint
    embedder.calls = 0
    again = MeasuredEmbedder(embedder, file)
    assert again.fingerprint == measured.fingerprint
    assert again.usual == measured.usual
    assert embedder.calls == 0
    for damaged in ("", "[]", '{"by": "other phrases", "in_english": true, "usual": 0.5}'):
        file.write_text(damaged)
        assert MeasuredEmbedder(embedder, file).fingerprint == measured.fingerprint
        assert '"by"' in file.read_text()
    assert embedder.calls == 3


def test_one_that_fails_is_measured_once_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = Polyglot()
    measured = MeasuredEmbedder(embedder)

    def fails(_texts: object) -> object:
        raise EmbedderUnavailable

    with monkeypatch.context() as patch:
        patch.setattr(embedder, "encode", fails)
        with pytest.raises(EmbedderUnavailable):
            _ = measured.fingerprint
        patch.setattr(embedder, "encode", lambda texts: np.full((len(texts), 4), np.nan, np.float32))
        with pytest.raises(ValueError, match="no number"):
            _ = measured.fingerprint
    assert measured.fingerprint == embedder.fingerprint
