"""Classify the task of a text, by linear probes on its meaning and its words.

The probes are multinomial logistic regressions (Alain and Bengio, "Understanding intermediate layers using linear
classifier probes", 2016), one for questions and one for corrections. Their features are the vector of the embedder and
the bag of known word stems, so that they still work, less well, without a vector. `tools/lists/fit_tasks.py` fits them
on wordings that people wrote.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from difflib import get_close_matches
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.language.arguments import COUNTS, FURTHER_PLACES, NTH, NUMBER
from assistant.language.languages import Languages
from assistant.language.lexicon import lexicon

if TYPE_CHECKING:
    from assistant.ports import Embedder

FILE = Path(__file__).with_name("data") / "tasks.npz"
OUTSIDE, TOLD = "outside", "told"
"""Labels: a question about something else, and a fact in place of a question."""
PRESENT = 0.5  # value of a stem, next to a vector of length 1
STEP = 1 / 16  # of the weights, stored as 8-bit integers
_SLIP, _LONG = 0.8, 4  # minimum similarity of a misspelling to a known stem, and minimum length
_ALONE = 1.6  # factor for the stems without a vector

_log = logging.getLogger(__name__)


class TaskFinder:
    """Classifier of tasks. Thread-safe."""

    def __init__(self, languages: Languages, embedder: Embedder | None) -> None:
        self.languages, self.embedder = languages, embedder
        self._features = lru_cache(maxsize=2_048)(self._read)

    def asked(self, text: str, whole: str) -> dict[str, float]:
        """Return the probability of each task of a question, highest first.

        `text` is the question with its subject masked; `whole` is unmasked, since the subject may show that it asks for
        no task.
        """
        return self._classify("asked", text, whole)

    def said(self, text: str) -> dict[str, float]:
        """Return the probability of each task or other kind of a correction, highest first."""
        return self._classify("said", text)

    def _classify(self, probe: str, *texts: str) -> dict[str, float]:
        """Return the probability of each label: the mean of a softmax; the last row of the weights is the bias."""
        import numpy as np

        weights = load_array(f"{probe}.weights").astype("float32") * STEP
        scores = np.stack([self._features(text) for text in texts]) @ weights[:-1] + weights[-1]
        likely = np.exp(scores - scores.max(axis=1, keepdims=True))
        likely = (likely / likely.sum(axis=1, keepdims=True)).mean(axis=0)
        found = zip(load_array(f"{probe}.labels").tolist(), likely.tolist(), strict=True)
        return dict(sorted(found, key=lambda one: -one[1]))

    def _read(self, text: str) -> Any:
        """Return the features of a text: its vector and the bag of its known stems."""
        import numpy as np

        known, stems = known_stems(), map(_mended, stems_of(self.languages, text))
        bag = np.zeros(len(known), np.float32)
        bag[[known[stem] for stem in stems if stem in known]] = PRESENT
        if self.embedder is not None and self.embedder.fingerprint == str(load_array("fingerprint")):
            found = encode(self.embedder, [self.languages.in_plain_english(text)])
            if found is not None:
                return np.concatenate([found[0], bag])
        size = load_array("said.weights").shape[0] - len(known) - 1
        return np.concatenate([np.zeros(size, np.float32), _ALONE * bag])


def encode(embedder: Embedder | None, texts: Sequence[str]) -> Any:
    """Return the vectors of texts; None without an embedder, and if it fails."""
    try:
        return embedder.encode(texts) if embedder else None
    except Exception:  # any failure of the embedder: only the wording counts
        _log.warning("The embedder failed; the wording alone counts.", exc_info=True)
        return None


def stems_of(languages: Languages, text: str) -> frozenset[str]:
    """Return the stems of a text as the probes read it."""
    return frozenset(stem_of(languages, word) for word in languages.in_plain_english(text).split())


def stem_of(languages: Languages, word: str) -> str:
    """Return the English base form of a word; one stem for all numbers, and one for all ordinals from "second" on."""
    written = languages.english(word).lower()
    if written.isdecimal() or written in COUNTS:
        return NUMBER
    if written in FURTHER_PLACES:
        return NTH
    known = lexicon().find(written)
    return known.base if known and known.base else written


@lru_cache(maxsize=4_096)
def _mended(stem: str) -> str:
    """Correct a misspelled stem: "opposite" for "oppsite"."""
    is_slip = len(stem) >= _LONG and stem not in known_stems() and not lexicon().find(stem)
    return next(iter(get_close_matches(stem, known_stems(), n=1, cutoff=_SLIP) if is_slip else ()), stem)


@cache
def known_stems() -> dict[str, int]:
    """Return the indices of the stems that are frequent in questions and corrections of any subject."""
    return {stem: at for at, stem in enumerate(load_array("stems").tolist())}


@cache
def load_array(name: str) -> Any:
    """Load an array that `tools/lists/fit_tasks.py` wrote."""
    import numpy as np

    with np.load(FILE) as file:
        return file[name]
