"""An entry beside a question: how alike each of its texts is, by meaning and by letters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from assistant.types import Entry
from memory_store.language.word_translation import Readings
from memory_store.ledger.indexed_keys import IndexedKey, TextRole, indexed_keys
from memory_store.retrieval.letters import Letters
from memory_store.vectors.rows import Part, part_of

KEYS = (TextRole.QUESTION, TextRole.FORM, TextRole.FURTHER)
"""Roles of the texts under which a clarification or an example is found."""
_BEST = 3  # texts of an entry with written keys that count; of one without, the best
_ASKED = 0.7  # what the likeness to a question that a fact was told at is worth beside that to what it says


class Scored(NamedTuple):
    """The texts of an entry, with their similarities to a question, each in [0, 1]; NaN where a meaning is unknown.

    `middle` is the similarity in meaning to the middle of them all.
    """

    entry: Entry
    texts: Sequence[IndexedKey]
    meanings: Sequence[float]
    letters: Sequence[float]
    middle: float

    @property
    def part(self) -> Part:
        """What the entry is searched as."""
        return part_of(self.entry)

    def meaning(self, *roles: TextRole) -> float:
        """Return the largest similarity in meaning of the texts with these roles; 0 where there is none."""
        return max((value for value in self._of(self.meanings, roles) if not math.isnan(value)), default=0.0)

    def letter(self, *roles: TextRole) -> float:
        """Return the largest similarity in letters of the texts with these roles; 0 where there is none."""
        return max(self._of(self.letters, roles), default=0.0)

    @property
    def knows_meaning(self) -> bool:
        """Whether a meaning is known."""
        return not all(map(math.isnan, self.meanings))

    @property
    def relevance(self) -> float:
        """How near the entry is to the question, from 0 to 1, by which candidates are chosen.

        Meaning and letters count alike, nothing fitted: the mean of the best three texts, and where no model wrote
        keys the best one. A fact is found by what it says, and by the question that it was told at for less.
        """
        if self.part is Part.ASSERTED:
            near = self.meaning if self.knows_meaning else self.letter
            return max(near(TextRole.ASSERTED), _ASKED * near(*KEYS))
        places = [place for place, text in enumerate(self.texts) if text.role is not TextRole.WITH_MISREADING]
        near_texts = sorted(map(self._likeness, places), reverse=True)
        is_written = any(text.role is TextRole.FURTHER for text in self.texts)
        return fmean(near_texts[: _BEST if is_written else 1]) if near_texts else 0.0

    def nearest_text(self) -> str:
        """Return the question, written key or asserted text that is nearest."""
        shown = (TextRole.QUESTION, TextRole.FURTHER, TextRole.ASSERTED)
        places = [place for place, text in enumerate(self.texts) if text.role in shown]
        return self.texts[max(places, key=self._likeness)].text if places else self.entry.question

    def _likeness(self, place: int) -> float:
        meaning = self.meanings[place]
        return self.letters[place] if math.isnan(meaning) else (self.letters[place] + meaning) / 2

    def _of(self, values: Sequence[float], roles: tuple[TextRole, ...]) -> list[float]:
        return [value for text, value in zip(self.texts, values, strict=True) if text.role in roles]


def scored(
    folded: str, found: Sequence[Entry], cosines: Mapping[str, Mapping[str, float]], readings: Readings
) -> list[Scored]:
    """Compare entries with a folded question; `cosines` are those that the index gives. Some have no text to find."""
    texts = [indexed_keys(entry, readings) for entry in found]
    letters = Letters([text.normalised for some in texts for text in some]).similarity(folded).tolist()
    result, at = [], 0
    for entry, some in zip(found, texts, strict=True):
        if not some:
            continue
        known = cosines.get(entry.id, {})
        meanings = [known.get(text.key_id, math.nan) for text in some]
        middle = known.get(entry.id, math.nan)
        result.append(Scored(entry, some, meanings, letters[at : at + len(some)], middle))
        at += len(some)
    return result
