"""A classifier of known texts gives each of them its label, and reads what was kept for just these texts only."""

from pathlib import Path

import numpy as np
import pytest

from assistant.models.embedded.classifier import FILE, Classifier, save
from assistant.models.embedded.matching import Matcher
from assistant.models.embedded.similarity import Known, Likeness
from memory_store.embedding.embedder import SentenceEmbedder, choose_embedder
from memory_store.embedding.known_texts import KnownTexts
from memory_store.language.languages import LANGUAGES
from tests.support.memory.store import LetterPairs

KNOWN = (
    Known("antonym", "the opposite of it"),
    Known("antonym", "a very contrary word"),
    Known("plural", "more than one of it"),
)
PLAIN = ("the opposite of the word", "a very contrary word", "more than one of the word")


@pytest.mark.parametrize("embedder", [None, LetterPairs()])
def test_known_texts_are_of_their_labels_by_wording_alone_and_by_meaning(embedder: LetterPairs | None) -> None:
    likeness = Likeness(LANGUAGES, embedder)
    for known in KNOWN:
        found = likeness.separated(known.text, KNOWN)
        assert max(found, key=found.__getitem__) == known.label


def test_each_text_is_as_alike_to_each_as_one_by_one() -> None:
    embedder = LetterPairs()
    likeness = Likeness(LANGUAGES, embedder)
    comparison = likeness.comparison(KNOWN, embedder)
    vectors = embedder.encode([f"About a word: {text}" for text in PLAIN])
    rows = [comparison.to_each(each.text, vector) for each, vector in zip(KNOWN, vectors, strict=True)]
    np.testing.assert_allclose(comparison.among_each_other(), rows, atol=1e-6)
    np.testing.assert_allclose(np.diag(rows), 1, atol=1e-6)


def test_what_was_kept_is_read_for_these_texts_only(tmp_path: Path) -> None:
    likeness, file, nothing = Likeness(LANGUAGES, None), tmp_path / "slopes.npz", np.zeros(0, np.float32)
    comparison, others = likeness.comparison(KNOWN, None), likeness.comparison(KNOWN[1:], None)
    save([comparison], file)
    with np.load(file) as kept:
        np.savez(file, allow_pickle=False, **{comparison.digest: np.zeros_like(kept[comparison.digest])})
    assert set(Classifier(comparison, file)("the opposite", nothing).values()) == {0.0}
    found = Classifier(others, file)("the opposite", nothing)
    assert found == Classifier(others)("the opposite", nothing) != {}


def test_what_comes_with_noted_is_of_what_is_defined_and_said() -> None:
    embedder = KnownTexts(SentenceEmbedder(choose_embedder()))
    matcher = Matcher(LANGUAGES, Likeness(LANGUAGES, embedder))
    with np.load(FILE) as kept:
        digests = {matcher.comparison(each).digest for each in (embedder, None)}
        assert set(kept.files) == digests, "run `python -m tools.lists.build_known_texts`"
