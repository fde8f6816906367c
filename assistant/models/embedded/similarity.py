"""How alike a text and a definition or an example are: by wording, and by meaning where an embedder is there."""

from __future__ import annotations

import logging
import math
from collections import Counter, OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from assistant.language.languages import Languages
from assistant.language.lexicon import lexicon

if TYPE_CHECKING:
    from assistant.ports import Embedder

NUMBERS = {
    name: at for at, name in enumerate(["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], 2)
}
NUMBER = "n"  # any number, as in the definitions
_STEM = 5  # letters by which words are told apart; a slip or an ending behind them does no harm
# How much a word of each kind tells; all others tell all.
_TELLS = {"common": 0.8, "link": 0.2, "question": 0.3, "person": 0.1, "request": 0.1, "light": 0.15, "adverb": 0.3}
_UNKNOWN = 0.8  # weight of a token that stands in no known text
_NEAREST, _NEAREST_BY_WORDING = 5, 3  # texts of a label that count
_IT = ("person", "it")
_ABOUT = "About a word: "
_CACHED_TEXTS = 2_048
_logger = logging.getLogger(__name__)

Tokens = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Known:
    """A text that stands for a label."""

    label: str
    text: str
    has_meaning: bool = True  # whether it is compared by meaning too


class Likeness:
    """Compares texts. Safe to share between threads; what it read of a text it keeps for a while."""

    def __init__(self, languages: Languages, embedder: Embedder | None) -> None:
        self._languages = languages
        self._embedder = embedder
        self.tokens = lru_cache(maxsize=4_096)(self._tokens)
        self._vectors: OrderedDict[tuple[str, str], Any] = OrderedDict()
        self._lock = Lock()
        self._rarity = lru_cache(maxsize=64)(self._rarities)

    @property
    def has_meaning(self) -> bool:
        """Whether meaning is compared too."""
        return self._embedder is not None

    def scores(self, text: str, known: tuple[Known, ...], alone: Collection[str], wording: float) -> dict[str, float]:
        """How alike a text is to those of each label, by meaning and, with a weight, by wording.

        Of some labels each text stands `alone`, for they have nothing in common.
        """
        total, nearest = self._by_wording(self.tokens(text), known), _NEAREST_BY_WORDING
        for place, near in self._by_meaning(text, known):
            total[place], nearest = wording * total[place] + near, _NEAREST
        meant = Counter(each.label for each in known if each.has_meaning)
        found: dict[str, list[float]] = {}
        for each, score in zip(known, total, strict=True):
            found.setdefault(each.label, []).append(score)
        return {
            label: _together(near, 1 if label in alone else min(nearest, max(1, meant[label])))
            for label, near in found.items()
        }

    def best_by_wording(self, tokens: Tokens, known: tuple[Known, ...]) -> tuple[float, str]:
        """The label of the known text that is nearest to some words, and how near it is."""
        near = self._by_wording(tokens, known)
        best = max(range(len(known)), key=near.__getitem__)
        return near[best], known[best].label

    def _by_wording(self, ours: Tokens, known: tuple[Known, ...]) -> list[float]:
        rarity = self._rarity(known)

        def length(tokens: Iterable[str], told: Tokens) -> float:
            return sum((told[token] * rarity.get(token, _UNKNOWN)) ** 2 for token in tokens)

        our_length = length(ours, ours)
        near = []
        for each in known:
            theirs = self.tokens(each.text)
            norm = math.sqrt(our_length * length(theirs, theirs))
            near.append(length(ours.keys() & theirs.keys(), ours) / norm if norm else 0.0)
        return near

    def _tokens(self, text: str) -> Tokens:
        """The stems of the words of a text, and of what they say in English, with how much each tells."""
        english = self._languages.english(text)
        told: dict[str, float] = {}
        for word in (*self._languages.words(text), *(self._languages.words(english) if english != text else ())):
            known = lexicon().find(self._languages.english(word.written))
            stem = (known.base if known and known.base else word.folded)[:_STEM]
            if word.written.isdecimal() or word.written.lower() in NUMBERS:
                stem = NUMBER
            is_adverb = known is not None and known.parts == "r" and known.text.endswith("ly")
            told[stem] = max(told.get(stem, 0.0), _TELLS.get("adverb" if is_adverb else word.kind, 1.0))
        return told

    def _rarities(self, known: tuple[Known, ...]) -> Tokens:
        """1 for a token of one label alone, near 0 for one that all have."""
        labels: dict[str, set[str]] = {}
        for each in known:
            labels.setdefault(each.label, set()).update(self.tokens(each.text))
        counts = Counter(token for tokens in labels.values() for token in tokens)
        most = math.log(len(labels) + 1)
        return {token: math.log((len(labels) + 1) / count) / most for token, count in counts.items()}

    def _by_meaning(self, text: str, known: Sequence[Known]) -> Iterable[tuple[int, float]]:
        """The cosine of meaning of each text that is compared by it; nothing without an embedder or while it fails."""
        if self._embedder is None:
            return ()
        places = [place for place, each in enumerate(known) if each.has_meaning]
        try:
            ours, *theirs = self._encoded([text, *(known[place].text for place in places)], self._embedder)
            near = [sum(float(one @ other) for one, other in zip(ours, each, strict=True)) / 2 for each in theirs]
        except Exception:  # whatever is wrong with the embedder, the model answers by wording alone
            _logger.warning("The embedder failed; going on by wording alone.", exc_info=True)
            return ()
        return zip(places, near, strict=True)

    def _encoded(self, texts: Sequence[str], embedder: Embedder) -> list[Any]:
        """Two vectors of each text; those of the last ones are kept, so that definitions and examples are encoded once.

        One of the text as it is, and one with what it is about: together they tell more than either.
        """
        fingerprint = embedder.fingerprint
        with self._lock:
            found = {text: self._vectors.get((fingerprint, text)) for text in texts}
        if missing := [text for text, vector in found.items() if vector is None]:
            plain = [self._plain(text) for text in missing]
            encoded = embedder.encode([*plain, *(f"{_ABOUT}{text}" for text in plain)])
            pairs = zip(encoded[: len(plain)], encoded[len(plain) :], strict=True)
            found |= dict(zip(missing, pairs, strict=True))
        with self._lock:
            for text, vector in found.items():
                self._vectors[fingerprint, text] = vector
                self._vectors.move_to_end((fingerprint, text))
            while len(self._vectors) > _CACHED_TEXTS:
                self._vectors.popitem(last=False)
        return [found[text] for text in texts]

    def _plain(self, text: str) -> str:
        """A text in English, about the word: an embedder does not know what "it" is."""
        words = self._languages.words(self._languages.english(text))
        return " ".join("the word" if _IT in word.groups else word.written for word in words)


def _together(scores: list[float], count: int) -> float:
    nearest = sorted(scores, reverse=True)[:count]
    return sum(nearest) / len(nearest)


def without(tokens: Tokens, others: Collection[str]) -> Tokens:
    """The tokens that are none of the others, nor function words."""
    return {token: told for token, told in tokens.items() if told >= 1 and token not in others}
