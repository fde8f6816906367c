"""Picks the sense of a word that somebody means: "I mean the bird", "bijli wala"."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from assistant.language.languages import Languages
from assistant.language.lexicon import Sense, lexicon
from assistant.models.embedded.tasks import plain_english

if TYPE_CHECKING:
    from assistant.ports import Embedder

_DENIES = frozenset({"not", "no", "isn't", "don't"})
_SAYS_LITTLE = frozenset(
    {"the", "a", "an", "i", "mean", "meant", "one", "as", "in", "it", "of", "kind", "is", "my", "with"}
)
_PARTS = {"noun": "n", "verb": "v", "adjective": "a", "adverb": "r"}
_LEAST, _AHEAD = 0.33, 0.03  # how near a sense has to be to what is said, and by how much nearer than the next

_log = logging.getLogger(__name__)


class SensePicker:
    """Compares what is said with the words of each sense, by the cosine of an embedder; picks none without one."""

    def __init__(self, languages: Languages, embedder: Embedder | None) -> None:
        self._languages, self._embedder = languages, embedder

    def pick(self, word: str, said: str) -> tuple[Sense | None, float]:
        """Return the sense that is meant, and how near it is to what is said; none where that is not clear."""
        senses, text = lexicon().senses(word), self._meant(word, said)
        if len(senses) < 2 or not text or self._embedder is None:
            return None, 0.0
        part = next((_PARTS[each] for each in text.split() if each in _PARTS), "")
        if of_part := next((sense for sense in senses if part and sense.part == part), None):
            return of_part, 1.0
        texts = [(place, each) for place, sense in enumerate(senses) for each in self._texts(sense)]
        try:
            asked, *vectors = self._embedder.encode([text, *(each for _, each in texts)])
        except Exception:  # whatever is wrong with the embedder, no sense is picked
            _log.warning("The embedder failed; no sense is picked.", exc_info=True)
            return None, 0.0
        near: dict[int, list[float]] = {}
        for (place, _), vector in zip(texts, vectors, strict=True):
            near.setdefault(place, []).append(float(asked @ vector))
        # Of all its words together, and of the one that is nearest.
        scores = {place: (each[0] + max(each)) / 2 for place, each in near.items()}
        best = max(scores, key=scores.__getitem__)
        # Senses that share a word with it are hardly others.
        others = (place for place in scores if set(senses[place].words).isdisjoint(senses[best].words))
        second = max((scores[place] for place in others), default=0.0)
        is_clear = max(near[best]) >= _LEAST and scores[best] - second >= _AHEAD
        return (senses[best] if is_clear else None), max(near[best])

    def _texts(self, sense: Sense) -> list[str]:
        return [", ".join((*sense.words, *sense.hints)), *sense.words, *sense.hints]

    def _meant(self, word: str, said: str) -> str:
        """Return what is said in English, without the word itself and what is denied: "correct, not the direction"."""
        is_english = self._languages.language(said) == "en"
        words, left = plain_english(self._languages, said).lower().split(), list[str]()
        is_denied = False
        for each in words:
            if each in _DENIES:
                is_denied = is_english
                if not is_english and left:  # "fruit nahi, result wala"
                    left.pop()
            elif is_denied and lexicon().find(each) and each not in _SAYS_LITTLE:
                is_denied = False
            elif each != word and each not in _SAYS_LITTLE:
                left.append(each)
        return " ".join(left)
