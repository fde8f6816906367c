"""How alike a question and the examples of a prompt are: by wording, and by meaning where an embedder is there."""

from __future__ import annotations

import logging
import math
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING

from assistant.models.embedded.glossary import Words

if TYPE_CHECKING:
    from assistant.ports import Embedder

_CACHED_TEXTS = 512
_FILLER = 0.4
_UNKNOWN = 0.5  # weight of a token that stands in no example
_logger = logging.getLogger(__name__)


def token_weights(groups: Iterable[Iterable[Words]], is_filler: Callable[[str], bool]) -> dict[str, float]:
    """How much each token tells groups of texts apart: 1 where it stands in one, near 0 where it stands in all."""
    vocabularies = [{token for text in texts for token in text} for texts in groups]
    counts = Counter(token for vocabulary in vocabularies for token in vocabulary)
    most = math.log(len(vocabularies) + 1)
    return {
        token: math.log((len(vocabularies) + 1) / count) / most * (_FILLER if is_filler(token) else 1.0)
        for token, count in counts.items()
    }


def wording(first: Words, second: Words, weights: Mapping[str, float]) -> float:
    """Cosine of the weighted sets of tokens, 0 to 1."""

    def length(tokens: Iterable[str]) -> float:
        return sum(weights.get(token, _UNKNOWN) ** 2 for token in tokens)

    ours, theirs = set(first), set(second)
    norm = math.sqrt(length(ours) * length(theirs))
    return length(ours & theirs) / norm if norm else 0.0


class Meanings:
    """Similarity of meaning by an embedder; none where there is no embedder, or while it fails.

    Vectors are kept for the last few hundred texts, so that the examples are encoded once.
    """

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = embedder
        self._vectors: OrderedDict[tuple[str, str], Sequence[float]] = OrderedDict()
        self._lock = Lock()

    def similarities(self, text: str, others: Sequence[str]) -> list[float] | None:
        """Cosine of a text with each of the others, or None."""
        vectors = self._encoded([text, *others])
        if vectors is None:
            return None
        return [sum(a * b for a, b in zip(vectors[0], other, strict=True)) for other in vectors[1:]]

    def _encoded(self, texts: Sequence[str]) -> list[Sequence[float]] | None:
        if self._embedder is None:
            return None
        try:
            fingerprint = self._embedder.fingerprint
            with self._lock:
                kept = {text: self._vectors.get((fingerprint, text)) for text in texts}
            vectors = {text: vector for text, vector in kept.items() if vector is not None}
            missing = [text for text in dict.fromkeys(texts) if text not in vectors]
            if missing:
                vectors |= dict(zip(missing, self._embedder.encode(missing).tolist(), strict=True))
        except Exception:  # whatever is wrong with the embedder, the model answers by wording alone
            _logger.warning("The embedder failed; going on by wording alone.", exc_info=True)
            return None
        with self._lock:
            for text, vector in vectors.items():
                self._vectors[fingerprint, text] = vector
                self._vectors.move_to_end((fingerprint, text))
            while len(self._vectors) > _CACHED_TEXTS:
                self._vectors.popitem(last=False)
        return [vectors[text] for text in texts]
