"""A classifier of known texts gives each of them its label, and what was kept is read for just these texts only."""

from pathlib import Path

import numpy as np
import pytest

from assistant.models.embedded.likeness.classifier import kept, save
from assistant.models.embedded.likeness.similarity import Likeness
from assistant.models.embedded.likeness.wording import Known, WordingIndex, tokens_of
from assistant.models.embedded.matching import Matcher
from memory_store.embedding.embedder import SentenceEmbedder, choose_embedder
from memory_store.language.languages import LANGUAGES
from tests.support.memory.store import LetterPairs

KNOWN = (
    Known("antonym", "the opposite of it"),
    Known("antonym", "a very contrary word"),
    Known("plural", "more than one of it"),
)
TOKENS = [tokens_of(LANGUAGES, each.text) for each in KNOWN]


@pytest.mark.parametrize("embedder", [None, LetterPairs()])
def test_known_texts_are_of_their_labels_by_wording_alone_and_by_meaning(embedder: LetterPairs | None) -> None:
    likeness = Likeness(LANGUAGES, embedder)
    for known in KNOWN:
        found = likeness.separated(known.text, KNOWN)
        assert max(found, key=found.__getitem__) == known.label


def test_each_text_is_as_near_to_each_as_one_by_one() -> None:
    index = WordingIndex.of(TOKENS, (each.label for each in KNOWN))
    rows = [index.near(tokens) for tokens in TOKENS]
    np.testing.assert_allclose(index.among_each_other(TOKENS), rows, atol=1e-6)
    np.testing.assert_allclose(np.diag(rows), 1, atol=1e-6)


@pytest.mark.parametrize("embedder", [None, LetterPairs()])
def test_what_was_kept_says_the_same_and_is_read_for_these_texts_only(
    tmp_path: Path, embedder: LetterPairs | None
) -> None:
    likeness, file, fingerprint = Likeness(LANGUAGES, embedder), tmp_path / "said.npz", "letters" if embedder else ""
    found = likeness.fitted(KNOWN, embedder)
    save(KNOWN, {fingerprint: found}, file)
    read = kept(KNOWN, fingerprint, file)
    assert read
    for tokens, vector in zip(TOKENS, found.vectors, strict=True):
        assert read(tokens, vector) == pytest.approx(found(tokens, vector), abs=0.01)
    assert kept(KNOWN, "another", file) is None
    assert kept(KNOWN[1:], fingerprint, file) is None


def test_what_comes_with_noted_is_of_what_is_defined_and_said() -> None:
    embedder = SentenceEmbedder(choose_embedder())
    matcher = Matcher(LANGUAGES, likeness := Likeness(LANGUAGES, embedder))
    told = matcher.told
    fresh = WordingIndex.of([tokens_of(LANGUAGES, each.text) for each in told], (each.label for each in told))
    for fingerprint in (embedder.fingerprint, ""):
        found = kept(told, fingerprint)
        assert found, "run `python -m tools.lists.build_known_texts`"
        assert _plain(found.index) == _plain(fresh), "run `python -m tools.lists.build_known_texts`"
    some = told[:: len(told) // 20]
    meant = likeness.fitted(some, embedder).vectors
    assert np.vecdot(likeness.classifier(told, embedder).vectors[:: len(told) // 20], meant).min() > 0.9999


def _plain(index: WordingIndex) -> tuple[dict[str, float], list[int]]:
    return {token: round(rarity, 4) for token, rarity in index.rarity.items()}, index.places.tolist()
