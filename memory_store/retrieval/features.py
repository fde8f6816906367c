"""An entry beside a question: how alike its texts are, how near it is in all, and the features that the gate reads.

Features are named numbers in [0, 1] of the question and the one entry only, so nothing of another person can show in
them. To add one, add it here, name it in `evaluation.gate.fitting` and fit the gate again (`python -m
tools.gate.fit_gate`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

from assistant.kinds import Reach
from assistant.types import Entry, KeyOrigin, Scope
from memory_store.language.function_words import explained_words, folded_words, function_words
from memory_store.language.normalize import fold, folded_similarity
from memory_store.language.questions import same_question, same_way
from memory_store.language.word_translation import Readings
from memory_store.ledger.indexed_keys import IndexedKey, TextRole, indexed_keys
from memory_store.retrieval.letters import Letters
from memory_store.vectors.cache import Near
from memory_store.vectors.rows import Part, part_of

_KEYS = (TextRole.QUESTION, TextRole.FURTHER)  # under which a clarification or an example is found
_BEST = 3  # texts of an entry with written keys that count; of one without, the best
_ASKED = 0.7  # what the likeness to a question that a fact was told at is worth beside that to what it says
_LONGEST_QUESTION = 2_000  # characters that reactions are compared by
_MOST_WORDED = 4  # questions of an entry that are compared word by word
_ALIKE = 0.6  # from which a question is asked like one that an entry is not wanted for
_ITS_QUESTIONS = frozenset({KeyOrigin.QUESTION, KeyOrigin.PERSON})  # a model's paraphrases are other questions


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

    def nearest(self, values: Sequence[float], *roles: TextRole) -> float:
        """Return the largest of these similarities among the texts with some roles; 0 where there is none."""
        return max((value for value, text in zip(values, self.texts, strict=True) if text.role in roles), default=0.0)

    @cached_property
    def has_written(self) -> bool:
        """Whether a model wrote keys."""
        return any(text.role is TextRole.FURTHER for text in self.texts)

    @cached_property
    def relevance(self) -> float:
        """How near the entry is to the question, from 0 to 1, by which candidates are chosen.

        Meaning and letters count alike, nothing fitted: the mean of the best three texts, and where no model wrote
        keys the best one. A fact is found by what it says, and by the question that it was told at for less.
        """
        if self.part is Part.ASSERTED:
            values = self.meanings or self.letters
            return max(self.nearest(values, TextRole.ASSERTED), _ASKED * self.nearest(values, *_KEYS))
        return fmean(sorted(self._alike, reverse=True)[: _BEST if self.has_written else 1])

    def nearest_text(self) -> str:
        """Return the question, written key or asserted text that is nearest."""
        shown = [
            pair for pair in zip(self._alike, self.texts, strict=True) if pair[1].role is not TextRole.WITH_FEEDBACK
        ]
        return max(shown, key=lambda pair: pair[0])[1].text if shown else self.entry.question

    @property
    def _alike(self) -> Sequence[float]:
        both = zip(self.letters, self.meanings, strict=True) if self.meanings else ()
        return [(letter + meaning) / 2 for letter, meaning in both] or self.letters


def scored(folded: str, found: Sequence[Entry], near: Mapping[str, Near], readings: Readings) -> list[Scored]:
    """Compare entries with a folded question, by what the index knows of them. Some have no text to find."""
    nothing = Near({}, {})
    texts = [(entry, indexed_keys(entry, readings, near.get(entry.id, nothing).words)) for entry in found]
    letters = Letters([text.normalised for _, some in texts for text in some]).similarity(folded).tolist()
    result: list[Scored] = []
    for entry, some in texts:
        own, letters = letters[: len(some)], letters[len(some) :]
        known = near.get(entry.id, nothing).cosines
        # The cosine of two float32 vectors that are the same may be a little above 1.
        meanings = [min(1.0, known.get(text.key_id, 0.0)) for text in some] if known else []
        result += [Scored(entry, some, own, meanings, known.get(entry.id, 0.0))] if some else []
    return result


def features(one: Scored, question: str, scope: Scope) -> dict[str, float]:
    """Return the features of an entry beside a question."""
    found = similar(one) | history(question, one.entry, scope)
    if one.part is not Part.ASSERTED:  # how a fact is worded says nothing: it is no question
        found |= worded(one, question)
    if one.entry.kind.is_note:
        found |= bounds(question, one.entry)
    return {name: min(1.0, value) if value > 0.0 else 0.0 for name, value in found.items()}


def similar(one: Scored) -> dict[str, float]:
    """Return what the texts of an entry say: how near it is (`near`), in meaning and in letters.

    `meaning` and `letters` are of the nearest text under which it is found; what has no meaning to compare lacks the
    first. Where a model wrote keys, `middle` is the similarity in meaning to the middle of all texts, and `all_letters`
    the mean over its keys, so that many hits say more than one by chance. `copied` is how much more the letters are
    those of the question that was asked then than of any written key: a look-alike shares them with that, and meaning
    with none.
    """
    roles = (TextRole.ASSERTED,) if one.part is Part.ASSERTED else _KEYS
    found = {"letters": one.nearest(one.letters, *roles), "near": one.relevance}
    if one.meanings:
        found["meaning"] = one.nearest(one.meanings, *roles)
    if one.meanings and one.has_written and one.part is not Part.ASSERTED:
        asked, written = (one.nearest(one.letters, role) for role in _KEYS)
        keys = (letter for letter, text in zip(one.letters, one.texts, strict=True) if text.role in _KEYS)
        found |= {"middle": one.middle, "all_letters": fmean(keys), "copied": asked - written}
    return found


def worded(one: Scored, question: str) -> dict[str, float]:
    """Return what the wording of a question says beside those that an entry was given for.

    `spelling` is how alike the whole is spelled, `same` that it is the same. `way` is how surely it is asked in the
    same way, perhaps about another word.
    """
    # The same way of asking shares letters, so it is looked for among those that share most.
    asked = [pair for pair in zip(one.letters, one.texts, strict=True) if pair[1].role is TextRole.QUESTION]
    texts = [text.text for _, text in sorted(asked, key=lambda pair: -pair[0])[:_MOST_WORDED]]
    about_words = function_words().is_about_words(folded_words(one.entry.text))
    way = max((same_way(question, text, about_words=about_words) for text in texts), default=0.0)
    spelling = max((folded_similarity(fold(question), fold(text)) for text in texts), default=0.0)
    return {"spelling": spelling, "same": float(spelling == 1.0), "way": way}


def history(question: str, entry: Entry, scope: Scope) -> dict[str, float]:
    """Return whether the entry is one's own, and by how much it helped more than it hurt before (`helped`).

    `helped_like` is s / (1 + s), where s is the sum over the person's reactions that it helped, each weighing as much
    as its question is asked like the new one: so one reaction to the same question counts a half.
    """
    text = question[:_LONGEST_QUESTION]
    asked = [reaction.question for reaction in entry.reactions if reaction.helped]
    alike = sum(1.0 if other == text else same_way(text, other) for other in asked)
    return {
        "own": float(entry.owner == scope.person),
        "helped": (entry.helped - entry.hurt) / (1 + entry.helped + entry.hurt),
        "helped_like": alike / (1 + alike),
    }


def bounds(question: str, entry: Entry) -> dict[str, float]:
    """Return what bounds a note, whatever else speaks for it, as far as it holds.

    `its_question`: this is the question that it was given for. `other_question`: it counts for that only, and this is
    another one. `excepted`: the person does not want it for questions asked like this, or for this very one.
    `its_word`: this one holds the word of the person's own that it says the meaning of.
    """
    known = {entry.question, *(key.text for key in entry.keys if key.origin in _ITS_QUESTIONS)}
    is_its_own = any(same_question(question, text) for text in known)
    explained = explained_words(entry.question, entry.text) if entry.reach is Reach.WAY else frozenset()
    if entry.not_for and same_question(question, entry.question):
        is_excepted = any(same_question(question, other) for other in entry.not_for)
    else:
        is_excepted = any(same_way(question, other) >= _ALIKE for other in entry.not_for)
    holds = {
        "its_question": is_its_own,
        "other_question": entry.reach is Reach.QUESTION and not is_its_own,
        "excepted": is_excepted,
        "its_word": not entry.kind.asserts and bool(explained) and explained <= frozenset(folded_words(question)),
    }
    return {name: 1.0 for name, does in holds.items() if does}
