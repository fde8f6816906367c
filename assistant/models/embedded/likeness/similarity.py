"""How alike a text and a definition or an example are: by wording, and by meaning where an embedder is there."""

from __future__ import annotations

import logging
import math
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Sequence
from functools import lru_cache
from heapq import nlargest
from itertools import combinations
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from assistant.models.embedded.likeness.classifier import WORDING, Classifier, kept
from assistant.models.embedded.likeness.wording import Known, Tokens, WordingIndex, cosine, tokens_of

if TYPE_CHECKING:
    from assistant.language.languages import Languages
    from assistant.ports import Embedder

_SHARP = 8  # how much more the nearest texts of a label count than its others
_CROWD = 0.3  # how much it is taken off that a label has many texts
_IN_PART = 0.5  # so near by wording is each of two texts that make up one
_GAINED = 0.1  # and so much nearer they are together than any alone
_IT = ("person", "it")
_ABOUT = "About a word: "
_CACHED_TEXTS = 2_048
_AT_A_TIME = 16  # texts that are encoded
_logger = logging.getLogger(__name__)

T = TypeVar("T")


class Likeness:
    """Compares texts. Safe to share between threads; what was read of a text is kept for a while, for all of them."""

    def __init__(self, languages: Languages, embedder: Embedder | None) -> None:
        self._languages = languages
        self._embedder = embedder
        self._vectors: OrderedDict[tuple[str, str], Any] = OrderedDict()
        self._lock = Lock()
        self._indexes = lru_cache(maxsize=64)(self._index)
        self._classifiers = lru_cache(maxsize=2)(self._known_or_fitted)

    def tokens(self, text: str) -> Tokens:
        """The stems of the words of a text, and of what they say in English, with how much each tells."""
        return tokens_of(self._languages, text)

    @property
    def has_meaning(self) -> bool:
        """Whether meaning is compared too."""
        return self._embedder is not None

    @property
    def most(self) -> float:
        """How alike a text is to itself."""
        return 1 + WORDING if self.has_meaning else 1.0

    def scores(self, text: str, known: tuple[Known, ...]) -> dict[str, float]:
        """How alike a text is to those of each label, by wording and by meaning.

        All texts of a label count, the nearest by far the most: a kernel density (Parzen, 1962) with a weak prior.
        """
        total = self._by_wording(text, known)
        if near := self._by_meaning(text, known):
            total = [WORDING * worded + meant for worded, meant in zip(total, near, strict=True)]
        sums: defaultdict[str, float] = defaultdict(float)
        for each, score in zip(known, total, strict=True):
            sums[each.label] += math.exp(_SHARP * score)
        count = Counter(each.label for each in known)
        return {label: math.log(found / count[label] ** _CROWD) / _SHARP for label, found in sums.items()}

    def separated(self, text: str, known: tuple[Known, ...]) -> dict[str, float]:
        """How much a text is of each label: about 1 of one, 0 of all others, by how alike it is to all known texts."""

        def classified(embedder: Embedder | None) -> dict[str, float]:
            (vector,) = self._encoded([text], embedder) if embedder else self._encoded_plainly([text], None)
            return self.classifier(known, embedder)(self.tokens(text), vector)

        return self._with_meaning(classified, {}) or classified(None)

    def classifier(self, known: tuple[Known, ...], embedder: Embedder | None) -> Classifier:
        """Of known texts, by wording and by what an embedder makes of them; found once."""
        return self._classifiers(known, embedder.fingerprint if embedder else "")

    def fitted(self, known: tuple[Known, ...], embedder: Embedder | None) -> Classifier:
        """The same, whatever was found before."""
        vectors = self._encoded_plainly([each.text for each in known], embedder)
        return Classifier.fitted(self._languages, known, vectors)

    def _known_or_fitted(self, known: tuple[Known, ...], fingerprint: str) -> Classifier:
        return kept(known, fingerprint) or self.fitted(known, self._embedder if fingerprint else None)

    def read(self, known: tuple[Known, ...]) -> None:
        """Have known texts read before any text is compared with them."""
        self._with_meaning(lambda embedder: self.classifier(known, embedder), None)

    def best_by_wording(self, text: str, known: tuple[Known, ...]) -> tuple[float, str]:
        """How near the nearest known text is, and its label."""
        return self.two_by_wording(text, known)[0]

    def two_by_wording(self, text: str, known: tuple[Known, ...]) -> list[tuple[float, str]]:
        """The same of the two nearest labels; 0 of none where there are not so many."""
        nearest: dict[str, float] = {}
        for near, each in zip(self._by_wording(text, known), known, strict=True):
            nearest[each.label] = max(near, nearest.get(each.label, 0.0))
        return nlargest(2, [*((near, label) for label, near in nearest.items()), (0.0, ""), (0.0, "")])

    def named_in(self, text: str, known: tuple[Known, ...], share: float) -> set[str]:
        """The labels of which a text has all but the words that tell little."""
        shares = self._indexes(known).shared(self.tokens(text).keys()).tolist()
        return {each.label for each, shared in zip(known, shares, strict=True) if shared >= share}

    def pair_by_wording(self, text: str, known: tuple[Known, ...]) -> tuple[str, str] | None:
        """The labels of two known texts whose words together are those of a text, as those of no single one are."""
        index = self._indexes(known)
        ours = index.weighed(self.tokens(text))
        alone, nearest = 0.0, dict[str, tuple[float, Tokens]]()
        for near, each in zip(self._by_wording(text, known), known, strict=True):
            alone = max(alone, near)
            if near > nearest.get(each.label, (_IN_PART,))[0]:
                nearest[each.label] = near, index.weighed(self.tokens(each.text))
        pairs = combinations(nearest.items(), 2)
        together = [(cosine(ours, {**one, **other}), (a, b)) for (a, (_, one)), (b, (_, other)) in pairs]
        near, labels = max(together, default=(0.0, ("", "")))
        return labels if near >= alone + _GAINED else None

    def _by_wording(self, text: str, known: tuple[Known, ...]) -> list[float]:
        near: list[float] = self._indexes(known).near(self.tokens(text)).tolist()
        return near

    def _index(self, known: tuple[Known, ...]) -> WordingIndex:
        return WordingIndex.of([self.tokens(each.text) for each in known], (each.label for each in known))

    def _by_meaning(self, text: str, known: Sequence[Known]) -> list[float]:
        """The cosine of meaning of each known text; nothing without an embedder or while it fails."""
        if not known:
            return []

        def near(embedder: Embedder) -> list[float]:
            ours, *theirs = self._encoded([text, *(each.text for each in known)], embedder)
            return [float(ours @ each) for each in theirs]

        return self._with_meaning(near, [])

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
