"""Finds which task a text asks for: by the words of its definitions, else by a linear probe on the embedder.

The probes are multinomial logistic regressions on the vector of a text (Alain and Bengio, "Understanding intermediate
layers using linear classifier probes", 2016), one for questions and one for corrections. `tools/lists/fit_tasks.py`
fits them on wordings that people wrote. Without the embedder they are fitted for, definitions alone count.
"""

from __future__ import annotations

import logging
import math
from collections import defaultdict
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from assistant.language.arguments import COUNTS, FURTHER_PLACES, NTH, NUMBER
from assistant.language.languages import Languages
from assistant.language.lexicon import lexicon
from assistant.models.embedded.operations import NAMED, Operation, Subject, definitions, plain
from assistant.models.embedded.phrases import phrases_for

if TYPE_CHECKING:
    from assistant.ports import Embedder

FILE = Path(__file__).with_name("data") / "tasks.npz"
OUTSIDE = "outside"
_VERY_WORDS, _APART = 0.9, 0.2  # a text is in the words of a definition, and by so much in no other's
_ALL_BUT_LITTLE = 0.8  # of what a definition tells
# Where no meaning can be compared: how near its definition a task is, and nearer than the next, and how likely then.
_NEAR, _LITTLE, _NAMED = 0.5, 0.05, 0.6
_STEM = 5  # letters by which words are told apart; a slip or an ending behind them does no harm
_TELLS = {"common": 0.8, "link": 0.2, "question": 0.3, "person": 0.1, "request": 0.1, "light": 0.15}
_RELATIONS, _INSTANCE = ("antonym", "homophone"), 0.4  # so much likelier is one of which an instance is given
_FURTHER = 0.13  # what each further word that is shared counts
_WORDING = (0.0, 2.0)  # how much the words of definitions count beside the probe, in a question and in a correction
_LIKELY = 0.4  # how likely one of two operations is that is not named
_SLIP, _LONG = 0.8, 5  # how alike a slip is to what was meant, and how long that is
_UNKNOWN = 0.8  # rarity of a word that stands in no definition

_log = logging.getLogger(__name__)

Tokens = Mapping[str, float]
"""Stem of a word to how much it tells of a task, in [0, 1]."""


class Probe(NamedTuple):
    """A fitted probe: `weights` has shape (dimension + 1, labels), the last row is the bias."""

    labels: tuple[str, ...]
    weights: Any

    def __call__(self, vector: Any) -> dict[str, float]:
        """Return the probability of each label, the likeliest first."""
        import numpy as np

        scores = vector @ self.weights[:-1] + self.weights[-1]
        likely = np.exp(scores - scores.max())
        found = zip(self.labels, (likely / likely.sum()).tolist(), strict=True)
        return dict(sorted(found, key=lambda one: -one[1]))


class TaskFinder:
    """Safe to share between threads."""

    def __init__(self, languages: Languages, embedder: Embedder | None) -> None:
        self._languages, self._embedder = languages, embedder
        told = [(each.name, text) for each in definitions().values() for text in (*each.english, *each.others)]
        tokens = [(name, self.tokens(text)) for name, text in told]
        names: defaultdict[str, set[str]] = defaultdict(set)
        for name, each in tokens:
            for token in each:
                names[token].add(name)
        most = math.log(len(definitions()) + 1)
        self._rarity = {token: (most - math.log(len(of))) / most for token, of in names.items()}
        self._known = [(name, self._weighed(each)) for name, each in tokens]
        self._vector = lru_cache(maxsize=2_048)(self._encoded)

    def asked(self, text: str, whole: str) -> dict[str, float]:
        """Return how likely a question asks for each task, the likeliest first.

        Its word is replaced in `text`, not in `whole`, by which it may be seen that it asks for no task.
        """
        masked, found = self._likely(text, 0), self._likely(whole, 0)
        likely = {name: (near + found.get(name, 0.0)) / 2 for name, near in masked.items()}
        return masked if 1.0 in masked.values() else dict(sorted(likely.items(), key=lambda one: -one[1]))

    def said(self, text: str) -> dict[str, float]:
        """Return how likely a correction asks for each task, or is of one of the other kinds, the likeliest first."""
        likely = self._likely(text, 1)
        for name in self._instances(text):
            likely[name] = likely.get(name, 0.0) + _INSTANCE
        return dict(sorted(likely.items(), key=lambda one: -one[1]))

    def _instances(self, text: str) -> list[str]:
        """Return the relations of which a text gives an instance: "like day and night"."""
        words = [str(word.written).lower() for word in self._languages.words(self._languages.english(text))]
        pairs = [(Subject(one), other) for one in words for other in words if lexicon().find(one) and one != other]
        return [name for name in _RELATIONS if any(NAMED[name].explains(*pair, phrases_for("")) for pair in pairs)]

    def worded(self, text: str) -> str:
        """Return the task in the words of whose definition a text asks; empty where it is in no one's, or in two's."""
        (best, name), (second, _) = sorted(
            ((near, name) for name, near in self._near(self.tokens(text)).items()), reverse=True
        )[:2]
        return name if best >= max(_VERY_WORDS, second + _APART) else ""

    def named(self, text: str) -> dict[str, set[str]]:
        """Return the operations that a text names among other words, each with the stems of its own that name it."""
        told, found = self.tokens(text).keys(), dict[str, set[str]]()
        for name, weights in self._known:
            shared = weights.keys() & told
            if name in NAMED and sum(weights[each] for each in shared) >= _ALL_BUT_LITTLE * sum(weights.values()):
                least = max(weights.values()) / 2
                found.setdefault(name, set()).update(each for each in shared if weights[each] >= least)
        return found

    def both(self, text: str, likely: Mapping[str, float]) -> Operation | None:
        """Return two operations that a text asks for, the second on any text: "the opposite, in capitals".

        Each is named, or likely enough by itself.
        """
        named = self.named(text)
        found = {*named, *(name for name, near in likely.items() if near >= _LIKELY and name in NAMED)}
        first = [name for name in found if NAMED[name].is_exact and not plain(NAMED[name])]
        second = [name for name in found if plain(NAMED[name]) and not definitions()[name].takes]
        apart = [name for name in second if not first or named.get(name, set()).isdisjoint(named.get(first[0], ()))]
        if len(first) != 1 or not apart:
            return None
        return NAMED[first[0]].then(NAMED[max(apart, key=lambda name: likely.get(name, 0.0))])

    def likeness(self, text: str, other: str) -> float:
        """Return how alike two texts are by their words, in [0, 1]."""
        ours, theirs = (self._weighed(self.tokens(each)) for each in (text, other))
        lengths = math.sqrt(sum(ours.values()) * sum(theirs.values()))
        return sum(ours[token] for token in ours.keys() & theirs.keys()) / lengths if lengths else 0.0

    def tokens(self, text: str) -> Tokens:
        """Return the stems of the words of a text, and of what they say in English."""
        return _tokens(self._languages, text)

    def _near(self, told: Tokens, further: float = 0.0) -> dict[str, float]:
        ours, near = self._weighed(told), dict[str, float]()
        for name, theirs in self._known:
            lengths = math.sqrt(sum(ours.values()) * sum(theirs.values()))
            shared = sum(ours[token] for token in ours.keys() & theirs.keys())
            # Of two that are as near, the one that shares more words is meant: "same meaning", not "meaning".
            near[name] = max(near.get(name, 0.0), shared * (1 / lengths + further) if lengths else 0.0)
        return near

    def _weighed(self, told: Tokens) -> dict[str, float]:
        return {token: (tells * self._rarity.get(token, _UNKNOWN)) ** 2 for token, tells in told.items()}

    def _likely(self, text: str, which: int) -> dict[str, float]:
        if name := self.worded(text):
            return {name: 1.0}
        vector = self._vector(text)
        near = self._near(self.tokens(text), _FURTHER)
        if vector is None:
            return self._by_words(near)
        found = {
            name: prob * math.exp(_WORDING[which] * near.get(name, 0.0))
            for name, prob in _probes()[1][which](vector).items()
        }
        whole = sum(found.values())
        return {name: found[name] / whole for name in sorted(found, key=found.__getitem__, reverse=True)}

    @staticmethod
    def _by_words(near: Mapping[str, float]) -> dict[str, float]:
        """Return the one task that a text names, where no meaning can be compared."""
        best, second = sorted(near, key=near.__getitem__, reverse=True)[:2]
        is_clear = near[best] >= _NEAR and near[best] >= near[second] + _LITTLE
        return {best: _NAMED} if is_clear else {}

    def _encoded(self, text: str) -> Any:
        embedder = self._embedder
        try:
            if embedder is None or embedder.fingerprint != _probes()[0]:
                return None
            return embedder.encode([plain_english(self._languages, text)])[0]
        except Exception:  # whatever is wrong with the embedder, definitions still count
            _log.warning("The embedder failed; tasks are found by their definitions alone.", exc_info=True)
            return None


def plain_english(languages: Languages, text: str) -> str:
    """Return a text as the embedder reads it: word by word in English, slips in words of tasks put right."""
    words = [word.written for word in languages.words(languages.english(text))]
    return " ".join(word if lexicon().find(word) else _mended(word) for word in words) or text


@lru_cache(maxsize=4_096)
def _mended(word: str) -> str:
    return next(iter(get_close_matches(word.lower(), _vocabulary(), n=1, cutoff=_SLIP)), word)


@cache
def _vocabulary() -> list[str]:
    """Return the long words of the English definitions, and the names of the tasks."""
    texts = (text for each in definitions().values() for text in (each.name, *each.english))
    return sorted({word for text in texts for word in text.split() if len(word) >= _LONG and word.isalpha()})


@cache
def _probes() -> tuple[str, tuple[Probe, Probe]]:
    """Return the fingerprint of the embedder, and the probes for questions and for corrections."""
    import numpy as np

    with np.load(FILE) as file:
        probes = [
            Probe(tuple(file[f"{name}.labels"].tolist()), file[f"{name}.weights"].astype(np.float32))
            for name in ("asked", "said")
        ]
        return str(file["fingerprint"]), (probes[0], probes[1])


@lru_cache(maxsize=4_096)
def _tokens(languages: Languages, text: str) -> Tokens:
    english, told = languages.english(text), dict[str, float]()
    for word in (*languages.words(text), *(languages.words(english) if english != text else ())):
        known = lexicon().find(languages.english(word.written))
        stem = (known.base if known and known.base else word.folded)[:_STEM]
        if word.written.isdecimal() or word.written.lower() in COUNTS:
            stem = NUMBER
        if word.written.lower() in FURTHER_PLACES:
            stem = NTH
        told[stem] = max(told.get(stem, 0.0), _TELLS.get(word.kind, 1.0))
    return told
