"""Classify the task of a text, by linear probes on its meaning and its words.

The probes are multinomial logistic regressions (Alain and Bengio, "Understanding intermediate layers using linear
classifier probes", 2016), one for questions and one for corrections. Their features are the vector of the embedder and
the bag of known word stems, so that they still work, less well, without a vector. `tools/lists/fit_tasks.py` fits them
on wordings that people wrote.
"""

from __future__ import annotations

import logging
import math
import re
from difflib import get_close_matches
from functools import cache, lru_cache
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from assistant.language.arguments import COUNTS, FURTHER_PLACES, NTH, NUMBER
from assistant.language.languages import Languages
from assistant.language.lexicon import lexicon
from assistant.models.embedded.operations import NAMED, WordOperation, definitions, plain

if TYPE_CHECKING:
    from assistant.ports import Embedder

FILE = Path(__file__).with_name("data") / "tasks.npz"
OUTSIDE, TOLD = "outside", "told"
"""Labels: a question about something else, and a fact in place of a question."""
PRESENT = 0.5  # value of a stem, next to a vector of length 1
STEP = 1 / 16  # of the weights, stored as 8-bit integers
_SLIP, _LONG = 0.8, 4  # minimum similarity of a misspelling to a known stem, and minimum length
_CLEAR = 0.5  # minimum probability of each of two tasks in sequence
_JOINS = re.compile(r",|\b(?:and|then|in|aur|phir|te|fer)\b|और|फिर|ਤੇ|ਫਿਰ", re.IGNORECASE)  # between two tasks
_ALONE = 1.6  # factor for the stems without a vector

_log = logging.getLogger(__name__)


class Probe(NamedTuple):
    """A fitted probe: `weights` has shape (features, labels), the last row is the bias."""

    labels: tuple[str, ...]
    weights: Any

    def __call__(self, features: Any) -> dict[str, float]:
        """Return the probability of each label, highest first."""
        import numpy as np

        scores = features @ self.weights[:-1] + self.weights[-1]
        likely = np.exp(scores - scores.max())
        found = zip(self.labels, (likely / likely.sum()).tolist(), strict=True)
        return dict(sorted(found, key=lambda one: -one[1]))


class TaskFinder:
    """Classifier of tasks. Thread-safe."""

    def __init__(self, languages: Languages, embedder: Embedder | None) -> None:
        self._languages, self._embedder = languages, embedder
        self._features = lru_cache(maxsize=2_048)(self._read)

    def asked(self, text: str, whole: str) -> dict[str, float]:
        """Return the probability of each task of a question, highest first.

        `text` is the question with its subject masked; `whole` is unmasked, since the subject may show that it asks for
        no task.
        """
        masked, found = (_probes()["asked"](self._features(each)) for each in (text, whole))
        likely = {name: (near + found[name]) / 2 for name, near in masked.items()}
        return dict(sorted(likely.items(), key=lambda one: -one[1]))

    def said(self, text: str) -> dict[str, float]:
        """Return the probability of each task or other kind of a correction, highest first."""
        return _probes()["said"](self._features(text))

    def is_common(self, word: str) -> bool:
        """Return True if a word is frequent in questions and corrections of any subject."""
        return stem_of(self._languages, word) in _known_stems()

    def composed(self, text: str) -> WordOperation | None:
        """Return the composition of two operations in a text: "the opposite of it, in capitals"."""
        for join in _JOINS.finditer(text):
            first, second = (self._clear(part) for part in (text[: join.start()], text[join.end() :]))
            is_then = second and plain(NAMED[second]) and not definitions()[second].takes
            if is_then and first and NAMED[first].is_exact and not plain(NAMED[first]):
                return NAMED[first].then(NAMED[second])
        return None

    def _clear(self, text: str) -> str:
        """Return the task that a part of a text names, as a question or a correction; empty if unclear."""
        asked, said = _probes()["asked"](self._features(text)), self.said(text)
        likely = {name: max(near, said.get(name, 0.0)) for name, near in asked.items() if name in NAMED}
        name, near = max(likely.items(), key=itemgetter(1))
        return name if near >= _CLEAR else ""

    def likeness(self, text: str, other: str) -> float:
        """Return the cosine of the stems of two texts, in [0, 1]."""
        ours, theirs = stems_of(self._languages, text), stems_of(self._languages, other)
        return len(ours & theirs) / max(1.0, math.sqrt(len(ours) * len(theirs)))

    def _read(self, text: str) -> Any:
        import numpy as np

        vector, stems = self._vector(text), encode_bag(self._languages, text)
        return np.concatenate([vector, stems if vector.any() else _ALONE * stems])

    def _vector(self, text: str) -> Any:
        """Return the vector of a text; zeros without the embedder of the probes."""
        import numpy as np

        embedder, size = self._embedder, _probes()["said"].weights.shape[0] - len(_known_stems()) - 1
        try:
            if embedder is not None and embedder.fingerprint == _fingerprint():
                return embedder.encode([self._languages.in_plain_english(text)])[0]
        except Exception:  # any failure of the embedder: use the stems alone
            _log.warning("The embedder failed; tasks are found by their words alone.", exc_info=True)
        return np.zeros(size, np.float32)


def encode_bag(languages: Languages, text: str) -> Any:
    """Return the bag of known stems of a text, shape (stems,): `PRESENT` for each that it has."""
    import numpy as np

    known, stems = _known_stems(), map(_mended, stems_of(languages, text))
    vector = np.zeros(len(known), np.float32)
    vector[[known[stem] for stem in stems if stem in known]] = PRESENT
    return vector


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


@cache
def _probes() -> dict[str, Probe]:
    """Load the probe for questions, "asked", and the one for corrections, "said"."""
    return {
        name: Probe(
            tuple(load_array(f"{name}.labels").tolist()), load_array(f"{name}.weights").astype("float32") * STEP
        )
        for name in ("asked", "said")
    }


@lru_cache(maxsize=4_096)
def _mended(stem: str) -> str:
    """Correct a misspelled stem: "opposite" for "oppsite"."""
    is_slip = len(stem) >= _LONG and stem not in _known_stems() and not lexicon().find(stem)
    return next(iter(get_close_matches(stem, _known_stems(), n=1, cutoff=_SLIP) if is_slip else ()), stem)


@cache
def _known_stems() -> dict[str, int]:
    return {stem: at for at, stem in enumerate(load_array("stems").tolist())}


@cache
def _fingerprint() -> str:
    return str(load_array("fingerprint"))


def load_array(name: str) -> Any:
    """Load an array that `tools/lists/fit_tasks.py` wrote."""
    import numpy as np

    with np.load(FILE) as file:
        return file[name]
