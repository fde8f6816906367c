"""How texts are read to an embedder is measured: in English to one that knows English only, else as they are."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from memory_store.embedding.embedder import BUNDLED, EmbedderUnavailable, SentenceEmbedder, choose_embedder
from memory_store.embedding.reading import PHRASES, MeasuredEmbedder, TranslatedEmbedder, is_better_in_english
from memory_store.language.word_translation import in_english
from tests.support.memory.store import ANN, LetterPairs, unlike
from tests.support.memory.switching import assert_found_by_one, go_on, made, store_with

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


def test_the_bundled_one_is_read_to_in_english_by_measurement_too() -> None:
    assert is_better_in_english(SentenceEmbedder(choose_embedder(BUNDLED)))


def test_one_that_knows_english_only_is_told_from_one_that_knows_more(trial: Callable[[str], str]) -> None:
    found = {
        name: is_better_in_english(SentenceEmbedder(choose_embedder(trial(name)))) for name in ("pieces", "glossed")
    }
    assert found == {"pieces": True, "glossed": False}
    assert not is_better_in_english(Polyglot())


@pytest.mark.parametrize("knows", [True, False])
def test_texts_come_as_was_measured_once(tmp_path: Path, *, knows: bool) -> None:
    embedder, file = Polyglot(knows=knows), tmp_path / "home" / "x.reading"
    measured = MeasuredEmbedder(embedder, file)
    assert not measured.is_measured
    expected = embedder.encode([HINDI if knows else in_english(HINDI)])
    np.testing.assert_array_equal(measured.encode([HINDI]), expected)
    assert measured.fingerprint == (embedder if knows else TranslatedEmbedder(embedder)).fingerprint
    embedder.calls = 0
    again = MeasuredEmbedder(embedder, file)
    assert again.is_measured
    assert again.fingerprint == measured.fingerprint
    assert embedder.calls == 0
    for damaged in ("", "[]", '{"by": "other phrases", "in_english": true}'):
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


def test_nobody_waits_until_it_is_measured_where_the_one_before_can_serve(tmp_path: Path) -> None:
    one, another = made("one"), made("same")
    store = store_with(tmp_path, one)
    store.memory.remember(unlike("3"), ANN)
    store.indexer.catch_up()
    store.close()
    another.may_go_on.clear()
    store = store_with(tmp_path, MeasuredEmbedder(another), one)
    assert assert_found_by_one(store, unlike("3").question, ANN, [one, another]) == "one"
    assert another.seen == []
    another.may_go_on.set()
    while not go_on(store):
        pass
    assert assert_found_by_one(store, unlike("3").question, ANN, [one, another]) == "same"


def test_one_that_nothing_was_before_is_measured_for_the_first_question(tmp_path: Path) -> None:
    embedder = made("one")
    store = store_with(tmp_path, MeasuredEmbedder(embedder))
    store.memory.remember(unlike("3"), ANN)
    assert assert_found_by_one(store, unlike("3").question, ANN, [embedder]) == "one"
