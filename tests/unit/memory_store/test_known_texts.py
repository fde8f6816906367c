"""The vectors that come with Noted are those of its definitions, and count for the embedder that made them only."""

from pathlib import Path

import numpy as np

from assistant.models.embedded.likeness.similarity import Likeness
from assistant.models.embedded.matching import Matcher
from memory_store.embedding.embedder import SentenceEmbedder, choose_embedder
from memory_store.embedding.known_texts import KnownTexts, save
from memory_store.language.languages import LANGUAGES
from tests.support.memory.store import LetterPairs
from tools.lists.build_known_texts import Recording


def test_every_definition_has_its_vector() -> None:
    embedder = Recording(SentenceEmbedder(choose_embedder()))
    Matcher(LANGUAGES, Likeness(LANGUAGES, KnownTexts(embedder))).warm()
    assert list(embedder.texts) == [], "run `python -m tools.lists.build_known_texts`"


def test_they_are_what_the_embedder_makes_and_other_texts_are_encoded(tmp_path: Path) -> None:
    embedder, texts = Recording(LetterPairs()), ["one", "दो", "three"]
    save(tmp_path / "known.npz", embedder, texts[:2])
    embedder.texts.clear()
    found = KnownTexts(embedder, tmp_path / "known.npz").encode(texts)
    assert list(embedder.texts) == ["three"]
    assert np.vecdot(found, embedder.encode(texts)).min() > 0.9999


def test_vectors_of_another_embedder_are_not_used(tmp_path: Path) -> None:
    save(tmp_path / "known.npz", LetterPairs(), ["one"])
    longer = SentenceEmbedder(choose_embedder())
    other = Recording(longer)
    assert other.dimension != LetterPairs().dimension
    assert np.array_equal(KnownTexts(other, tmp_path / "known.npz").encode(["one"]), longer.encode(["one"]))
    assert list(other.texts) == ["one"]
