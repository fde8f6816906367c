"""Picks the sense of a word that somebody means: "I mean the bird", "bijli wala"."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from assistant.language.languages import Languages
from assistant.language.lexicon import Sense, lexicon
from assistant.models.embedded.tasks import plain_english

if TYPE_CHECKING:
    from assistant.ports import Embedder

_LEAST, _AHEAD = 0.33, 0.03  # how near a sense has to be to what is said, and by how much nearer than the next

_log = logging.getLogger(__name__)


class SensePicker:
    """Compares what is said with the words of each sense, by the cosine of an embedder; picks none without one."""

    def __init__(self, languages: Languages, embedder: Embedder | None) -> None:
        self._languages, self._embedder = languages, embedder

    def pick(self, word: str, said: str) -> tuple[Sense | None, float]:
        """Return the sense that is meant, and how near it is to what is said; none where that is not clear."""
        senses = lexicon().senses(word)
        text = " ".join(each for each in plain_english(self._languages, said).split() if each.casefold() != word)
        if len(senses) < 2 or not text or self._embedder is None:
            return None, 0.0
        words = [each for sense in senses for each in (", ".join(sense.words), *sense.words)]
        try:
            asked, *vectors = self._embedder.encode([text, *words])
        except Exception:  # whatever is wrong with the embedder, no sense is picked
            _log.warning("The embedder failed; no sense is picked.", exc_info=True)
            return None, 0.0
        nearest, start = list[tuple[float, float, int]](), 0
        for place, sense in enumerate(senses):
            whole, *each = (float(asked @ vector) for vector in vectors[start : start + 1 + len(sense.words)])
            start += 1 + len(sense.words)
            near = max(each, default=0.0)
            nearest.append(((whole + near) / 2, near, place))
        best, near, place = max(nearest)
        # Senses that share a word with it are hardly others.
        others = (score for score, _, at in nearest if set(senses[at].words).isdisjoint(senses[place].words))
        second = max(others, default=0.0)
        return (senses[place], near) if near >= _LEAST and best - second >= _AHEAD else (None, near)
