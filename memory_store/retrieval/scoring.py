"""An entry beside a question: how alike each of its texts is, by meaning and by letters, and how near it is in all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

from assistant.types import Entry
from memory_store.language.word_translation import Readings
from memory_store.ledger.indexed_keys import IndexedKey, TextRole, indexed_keys
from memory_store.retrieval.letters import Letters
from memory_store.vectors.cache import Near
from memory_store.vectors.rows import Part, part_of

KEYS = (TextRole.QUESTION, TextRole.FURTHER)
"""Roles of the texts under which a clarification or an example is found."""
_BEST = 3  # texts of an entry with written keys that count; of one without, the best
_ASKED = 0.7  # what the likeness to a question that a fact was told at is worth beside that to what it says


@dataclass(frozen=True)
class Scored:
    """The texts of an entry, with their similarities to a question, each in [0, 1]; `meanings` are empty where unknown.

    `middle` is the similarity in meaning to the middle of them all.
    """

    entry: Entry
    texts: Sequence[IndexedKey]
    letters: Sequence[float]
    meanings: Sequence[float] = ()
    middle: float = 0.0

    @cached_property
    def part(self) -> Part:
        """What the entry is searched as."""
        return part_of(self.entry)

    def meaning(self, *roles: TextRole) -> float:
        """Return the largest similarity in meaning of the texts with these roles; 0 where there is none."""
        return max([self.meanings[place] for place in self.places(*roles)], default=0.0) if self.meanings else 0.0

    def letter(self, *roles: TextRole) -> float:
        """Return the largest similarity in letters of the texts with these roles; 0 where there is none."""
        return max([self.letters[place] for place in self.places(*roles)], default=0.0)

    def places(self, *roles: TextRole) -> list[int]:
        """Return the places of the texts with these roles."""
        return [place for place, text in enumerate(self.texts) if text.role in roles]

    @cached_property
    def relevance(self) -> float:
        """How near the entry is to the question, from 0 to 1, by which candidates are chosen.

        Meaning and letters count alike, nothing fitted: the mean of the best three texts, and where no model wrote
        keys the best one. A fact is found by what it says, and by the question that it was told at for less.
        """
        if self.part is Part.ASSERTED:
            near = self.meaning if self.meanings else self.letter
            return max(near(TextRole.ASSERTED), _ASKED * near(*KEYS))
        compared = [likeness for likeness, _ in self._alike]
        most = _BEST if self.places(TextRole.FURTHER) else 1
        return fmean(sorted(compared, reverse=True)[:most]) if compared else 0.0

    def nearest_text(self) -> str:
        """Return the question, written key or asserted text that is nearest."""
        shown = (TextRole.QUESTION, TextRole.FURTHER, TextRole.ASSERTED)
        near = [(likeness, text.text) for likeness, text in self._alike if text.role in shown]
        return max(near, key=lambda one: one[0])[1] if near else self.entry.question

    @property
    def _alike(self) -> list[tuple[float, IndexedKey]]:
        likeness = self.letters
        if self.meanings:
            likeness = [(letter + meaning) / 2 for letter, meaning in zip(self.letters, self.meanings, strict=True)]
        return [*zip(likeness, self.texts, strict=True)]


def scored(folded: str, found: Sequence[Entry], near: Mapping[str, Near], readings: Readings) -> list[Scored]:
    """Compare entries with a folded question, by what the index knows of them. Some have no text to find."""
    nothing = Near({}, {})
    texts = [(entry, indexed_keys(entry, readings, near.get(entry.id, nothing).words)) for entry in found]
    letters = Letters([text.normalised for _, some in texts for text in some]).similarity(folded).tolist()
    result: list[Scored] = []
    for entry, some in texts:
        own, letters = letters[: len(some)], letters[len(some) :]
        known = near.get(entry.id, nothing).cosines
        meanings = [known.get(text.key_id, 0.0) for text in some] if known else []
        result += [Scored(entry, some, own, meanings, known.get(entry.id, 0.0))] if some else []
    return result
