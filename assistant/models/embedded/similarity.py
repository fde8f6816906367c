"""How alike a text and a definition or an example are: by wording, and by meaning where an embedder is there."""

from __future__ import annotations

import logging
import math
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from heapq import nlargest
from itertools import combinations
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from assistant.language.arguments import COUNTS, FURTHER_PLACES, NTH, NUMBER
from assistant.language.languages import Languages
from assistant.language.lexicon import lexicon
from assistant.models.embedded.classifier import Classifier

if TYPE_CHECKING:
    from assistant.ports import Embedder

_STEM = 5  # letters by which words are told apart; a slip or an ending behind them does no harm
# How much a word of each kind tells; all others tell all.
_TELLS = {"common": 0.8, "link": 0.2, "question": 0.3, "person": 0.1, "request": 0.1, "light": 0.15, "adverb": 0.3}
_UNKNOWN = 0.8  # weight of a token that stands in no known text
_SHARP = 8  # how much more the nearest texts of a label count than its others
_CROWD = 0.3  # how much it is taken off that a label has many texts
_WORDING = 0.4  # weight of wording beside meaning
_IN_PART = 0.5  # so near by wording is each of two texts that make up one
_GAINED = 0.1  # and so much nearer they are together than any alone
_IT = ("person", "it")
_ABOUT = "About a word: "
_CACHED_TEXTS = 2_048
_AT_A_TIME = 16  # texts that are encoded
_logger = logging.getLogger(__name__)

Tokens = Mapping[str, float]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Known:
    """A text that stands for a label."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class _Index:
    """The tokens of some known texts: how rare each is, and at which places it stands with what share in the text."""

    rarity: Mapping[str, float]
    places: Mapping[str, Sequence[tuple[int, float]]]


class Likeness:
    """Compares texts. Safe to share between threads; what was read of a text is kept for a while, for all of them."""

    def __init__(self, languages: Languages, embedder: Embedder | None) -> None:
        self._languages = languages
        self._embedder = embedder
        self._vectors: OrderedDict[tuple[str, str], Any] = OrderedDict()
        self._lock = Lock()
        self._comparisons = lru_cache(maxsize=2)(self._comparison)

    def tokens(self, text: str) -> Tokens:
        """The stems of the words of a text, and of what they say in English, with how much each tells."""
        return _tokens(self._languages, text)

    @property
    def has_meaning(self) -> bool:
        """Whether meaning is compared too."""
        return self._embedder is not None

    @property
    def most(self) -> float:
        """How alike a text is to itself."""
        return 1 + _WORDING if self.has_meaning else 1.0

    def scores(self, text: str, known: tuple[Known, ...]) -> dict[str, float]:
        """How alike a text is to those of each label, by wording and by meaning.

        All texts of a label count, the nearest by far the most: a kernel density (Parzen, 1962) with a weak prior.
        """
        total = _by_wording(self._languages, text, known)
        if near := self._by_meaning(text, known):
            total = [_WORDING * worded + meant for worded, meant in zip(total, near, strict=True)]
        sums: defaultdict[str, float] = defaultdict(float)
        for each, score in zip(known, total, strict=True):
            sums[each.label] += math.exp(_SHARP * score)
        count = Counter(each.label for each in known)
        return {label: math.log(found / count[label] ** _CROWD) / _SHARP for label, found in sums.items()}

    def separated(self, text: str, known: tuple[Known, ...]) -> dict[str, float]:
        """How much a text is of each label: about 1 of one, 0 of all others, by how alike it is to all known texts."""

        def classified(embedder: Embedder | None) -> dict[str, float]:
            return _classifier(self.comparison(known, embedder))(text, self._encoded_plainly([text], embedder)[0])

        return self._with_meaning(classified, {}) or classified(None)

    def comparison(self, known: tuple[Known, ...], embedder: Embedder | None) -> _Comparison:
        """With known texts, by wording and by what an embedder makes of them; made once."""
        return self._comparisons(known, embedder.fingerprint if embedder else "")

    def read(self, known: tuple[Known, ...]) -> None:
        """Have known texts encoded, and their words read, before any text is compared with them."""
        _indexed(self._languages, known)
        self._with_meaning(lambda embedder: self.comparison(known, embedder), None)

    def best_by_wording(self, text: str, known: tuple[Known, ...]) -> tuple[float, str]:
        """How near the nearest known text is, and its label."""
        return self.two_by_wording(text, known)[0]

    def two_by_wording(self, text: str, known: tuple[Known, ...]) -> list[tuple[float, str]]:
        """The same of the two nearest labels; 0 of none where there are not so many."""
        nearest: dict[str, float] = {}
        for near, each in zip(_by_wording(self._languages, text, known), known, strict=True):
            nearest[each.label] = max(near, nearest.get(each.label, 0.0))
        return nlargest(2, [*((near, label) for label, near in nearest.items()), (0.0, ""), (0.0, "")])

    def named_in(self, text: str, known: tuple[Known, ...], share: float) -> set[str]:
        """The labels of which a text has all but the words that tell little."""
        rarity, told = _indexed(self._languages, known).rarity, self.tokens(text).keys()
        labels = set()
        for each in known:
            theirs = {token: (weight * rarity[token]) ** 2 for token, weight in self.tokens(each.text).items()}
            if sum(theirs[token] for token in theirs.keys() & told) >= share * sum(theirs.values()):
                labels.add(each.label)
        return labels

    def pair_by_wording(self, text: str, known: tuple[Known, ...]) -> tuple[str, str] | None:
        """The labels of two known texts whose words together are those of a text, as those of no single one are."""
        rarity, told = _indexed(self._languages, known).rarity, self.tokens(text)
        ours = {token: told[token] * rarity.get(token, _UNKNOWN) for token in told}
        alone, nearest = 0.0, dict[str, tuple[float, Tokens]]()
        for near, each in zip(_by_wording(self._languages, text, known), known, strict=True):
            alone = max(alone, near)
            if near > nearest.get(each.label, (_IN_PART,))[0]:
                theirs = self.tokens(each.text)
                nearest[each.label] = near, {token: theirs[token] * rarity[token] for token in theirs}
        pairs = combinations(nearest.items(), 2)
        together = [(_cosine(ours, {**one, **other}), (a, b)) for (a, (_, one)), (b, (_, other)) in pairs]
        near, labels = max(together, default=(0.0, ("", "")))
        return labels if near >= alone + _GAINED else None

    def _by_meaning(self, text: str, known: Sequence[Known]) -> list[float]:
        """The cosine of meaning of each known text; nothing without an embedder or while it fails."""

        def near(embedder: Embedder) -> list[float]:
            ours, *theirs = self._encoded([text, *(each.text for each in known)], embedder)
            return [float(ours @ each) for each in theirs]

        return self._with_meaning(near, [])

    def _comparison(self, known: tuple[Known, ...], fingerprint: str) -> _Comparison:
        vectors = self._encoded_plainly([each.text for each in known], self._embedder if fingerprint else None)
        return _Comparison(self._languages, known, vectors, fingerprint)

    def _encoded_plainly(self, texts: Sequence[str], embedder: Embedder | None) -> Any:
        """Some at a time, so that who else needs the embedder waits for a few only; no numbers without one."""
        import numpy as np

        if embedder is None:
            return np.zeros((len(texts), 0), np.float32)
        some = [texts[at : at + _AT_A_TIME] for at in range(0, len(texts), _AT_A_TIME)]
        return np.concatenate([embedder.encode([self._plain(text) for text in part]) for part in some])

    def _with_meaning(self, compare: Callable[[Embedder], T], otherwise: T) -> T:
        if self._embedder is None:
            return otherwise
        try:
            return compare(self._embedder)
        except Exception:  # whatever is wrong with the embedder, the model answers by wording alone
            _logger.warning("The embedder failed; going on by wording alone.", exc_info=True)
            return otherwise

    def _encoded(self, texts: Sequence[str], embedder: Embedder) -> list[Any]:
        """A vector of each text; those of the last ones are kept, so that definitions and examples are encoded once."""
        fingerprint = embedder.fingerprint
        with self._lock:
            found = {text: self._vectors.get((fingerprint, text)) for text in texts}
        if missing := [text for text, vector in found.items() if vector is None]:
            found |= dict(zip(missing, embedder.encode([self._plain(text) for text in missing]), strict=True))
        with self._lock:
            for text, vector in found.items():
                self._vectors[fingerprint, text] = vector
                self._vectors.move_to_end((fingerprint, text))
            while len(self._vectors) > _CACHED_TEXTS:
                self._vectors.popitem(last=False)
        return [found[text] for text in texts]

    def _plain(self, text: str) -> str:
        """A text in English, about the word: an embedder does not know what "it" is, nor what is spoken of."""
        words = self._languages.words(self._languages.english(text))
        return _ABOUT + " ".join("the word" if _IT in word.groups else word.written for word in words)


class _Comparison:
    """The port `Comparison`: by the wording of known texts, and by their meaning; `vectors` has no columns without it.

    Equal to any other that compares alike, so that what is found for one counts for all.
    """

    def __init__(self, languages: Languages, known: tuple[Known, ...], vectors: Any, fingerprint: str) -> None:
        self._languages = languages
        self._known = known
        self._vectors = vectors
        self._weight, self._most = (_WORDING, 1 + _WORDING) if fingerprint else (1.0, 1.0)
        self.balance = 0.5 if fingerprint else 0.25  # by a single word, what it says most often is meant: "ulta"
        self.labels: Sequence[str] = [each.label for each in known]
        told = "\0".join([fingerprint, *self.labels, *(each.text for each in known)])
        self.digest = sha256(told.encode("utf-8", "surrogatepass")).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Comparison) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def to_each(self, text: str, vector: Any) -> Any:
        import numpy as np

        worded = np.array(_by_wording(self._languages, text, self._known), np.float32)
        return np.exp(self._weight * worded + self._vectors @ vector - self._most)

    def among_each_other(self) -> Any:
        import numpy as np

        index = _indexed(self._languages, self._known)
        tells = [_tokens(self._languages, each.text) for each in self._known]
        worded = np.zeros((len(tells), len(tells)), np.float32)
        for token, places in index.places.items():
            at, shares = [place for place, _ in places], np.array([share for _, share in places])
            weights = np.array([(tells[place][token] * index.rarity[token]) ** 2 for place in at])
            worded[np.ix_(at, at)] += np.outer(weights * shares, shares)
        return np.exp(self._weight * worded + self._vectors @ self._vectors.T - self._most)


@lru_cache(maxsize=4)
def _classifier(comparison: _Comparison) -> Classifier:
    return Classifier(comparison)


def _by_wording(languages: Languages, text: str, known: tuple[Known, ...]) -> list[float]:
    index = _indexed(languages, known)
    told = _tokens(languages, text)
    weights = {token: (told[token] * index.rarity.get(token, _UNKNOWN)) ** 2 for token in told}
    length = math.sqrt(sum(weights.values())) or 1.0
    near = [0.0] * len(known)
    for token, weight in weights.items():
        for place, share in index.places.get(token, ()):
            near[place] += weight * share / length
    return near


@lru_cache(maxsize=64)
def _indexed(languages: Languages, known: tuple[Known, ...]) -> _Index:
    """Rare tokens tell more: 1 for one that stands with one label alone, near 0 for one that stands with all."""
    labels: dict[str, set[str]] = {}
    for each in known:
        labels.setdefault(each.label, set()).update(_tokens(languages, each.text))
    counts = Counter(token for tokens in labels.values() for token in tokens)
    most = math.log(len(labels) + 1)
    rarity = {token: math.log((len(labels) + 1) / count) / most for token, count in counts.items()}
    places: dict[str, list[tuple[int, float]]] = {}
    for place, each in enumerate(known):
        tokens = _tokens(languages, each.text)
        length = math.sqrt(sum((told * rarity[token]) ** 2 for token, told in tokens.items()))
        for token in tokens if length else ():
            places.setdefault(token, []).append((place, 1 / length))
    return _Index(rarity, places)


@lru_cache(maxsize=4_096)
def _tokens(languages: Languages, text: str) -> Tokens:
    english = languages.english(text)
    told: dict[str, float] = {}
    for word in (*languages.words(text), *(languages.words(english) if english != text else ())):
        known = lexicon().find(languages.english(word.written))
        stem = (known.base if known and known.base else word.folded)[:_STEM]
        if word.written.isdecimal() or word.written.lower() in COUNTS:
            stem = NUMBER
        if word.written.lower() in FURTHER_PLACES:
            stem = NTH
        is_adverb = known is not None and known.parts == "r" and known.text.endswith("ly")
        told[stem] = max(told.get(stem, 0.0), _TELLS.get("adverb" if is_adverb else word.kind, 1.0))
    return told


def _cosine(ours: Tokens, theirs: Tokens) -> float:
    shared = sum(ours[token] ** 2 for token in ours.keys() & theirs.keys())
    lengths = [math.sqrt(sum(weight**2 for weight in tokens.values())) for tokens in (ours, theirs)]
    return shared / math.prod(lengths) if all(lengths) else 0.0
