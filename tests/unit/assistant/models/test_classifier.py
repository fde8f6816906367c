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
    Known("antonym", "its very contrary"),
    Known("plural", "more than one of it"),
)


@pytest.mark.parametrize("embedder", [None, LetterPairs()])
def test_known_texts_are_of_their_labels_by_wording_alone_and_by_meaning(embedder: LetterPairs | None) -> None:
    classify = Classifier(Likeness(LANGUAGES, embedder).comparison(KNOWN, embedder))
    for known in KNOWN:
        found = classify(known.text)
        assert max(found, key=found.__getitem__) == known.label


def test_what_was_kept_is_read_for_these_texts_only(tmp_path: Path) -> None:
    likeness, file = Likeness(LANGUAGES, None), tmp_path / "slopes.npz"
    save(likeness.comparison(KNOWN, None), file)
    with np.load(file) as kept:
        np.savez(file, digest=kept["digest"], slopes=np.zeros_like(kept["slopes"]))
    assert set(Classifier(likeness.comparison(KNOWN, None), file)("the opposite").values()) == {0.0}
    others = likeness.comparison(KNOWN[1:], None)
    assert Classifier(others, file)("the opposite") == Classifier(others)("the opposite") != {}


def test_what_comes_with_noted_is_of_what_is_defined_and_said() -> None:
    embedder = KnownTexts(SentenceEmbedder(choose_embedder()))
    comparison = Matcher(LANGUAGES, Likeness(LANGUAGES, embedder)).comparison(embedder)
    with np.load(FILE) as kept:
        assert str(kept["digest"]) == comparison.digest, "run `python -m tools.lists.build_known_texts`"
