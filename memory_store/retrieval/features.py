"""Score an entry for a question: text similarities, relevance, and the features for the gate.

Features are named numbers in [0, 1] of the question and one entry only, so they reveal nothing about other users. To
add one, add it here, name it in `evaluation.gate.fitting` and fit the gate again (`python -m evaluation.gate.fitting`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

from assistant.kinds import Reach
from assistant.types import Entry, KeyOrigin, Scope
from memory_store.embedding.embedder_setup import UNRELATED_COSINE, calibrate
from memory_store.language.function_words import find_explained_words, fold_words, function_words
from memory_store.language.normalize import fold, spelling_similarity
from memory_store.language.question_similarity import is_same_question, pattern_similarity
from memory_store.ledger.indexed_keys import IndexedKey, TextRole, indexed_keys
from memory_store.retrieval.letters import LetterSimilarity
from memory_store.vectors.cache import NearestTexts

_KEYS = (TextRole.QUESTION, TextRole.FURTHER)  # keys of clarifications and examples
_BEST = 3  # texts averaged for an entry with model-written keys; without, the best one
_ASKED = 0.7  # weight of the question that a fact was told at, relative to its text
_MOST_WORDED = 4  # questions of an entry compared word by word
_ALIKE = 0.6  # lowest similarity to a question for which the user excluded the entry
_ITS_QUESTIONS = frozenset({KeyOrigin.QUESTION, KeyOrigin.PERSON})  # a model's paraphrases are other questions


@dataclass(frozen=True)
class ScoredEntry:
    """An entry's texts with their similarities to a question, each in [0, 1]; `meanings` is empty if unknown.

    `middle` is the cosine with the mean vector of all texts.
    """

    entry: Entry
    texts: Sequence[IndexedKey]
    letters: Sequence[float]
    meanings: Sequence[float] = ()
    middle: float = 0.0

    def nearest(self, values: Sequence[float], *roles: TextRole) -> float:
        """Return the largest of these similarities among texts with one of the roles; 0 without any."""
        return max((value for value, text in zip(values, self.texts, strict=True) if text.role in roles), default=0.0)

    @cached_property
    def has_written(self) -> bool:
        """Return True if the entry has keys that a model wrote."""
        return any(text.role is TextRole.FURTHER for text in self.texts)

    @cached_property
    def alike(self) -> Sequence[float]:
        """Return the similarity of each text: the mean of meaning and letters, or letters if meaning is unknown."""
        both = zip(self.letters, self.meanings, strict=True) if self.meanings else ()
        return [(letter + meaning) / 2 for letter, meaning in both] or self.letters

    @cached_property
    def relevance(self) -> float:
        """Return the similarity of entry and question in [0, 1], by which candidates are ranked; nothing is fitted.

        It is the mean over the best three texts, or the best text if no model wrote keys. For a fact, its text counts
        fully and its question by `_ASKED`.
        """
        if self.entry.kind.asserts:
            values = self.meanings or self.letters
            return max(self.nearest(values, TextRole.ASSERTED), _ASKED * self.nearest(values, *_KEYS))
        return fmean(sorted(self.alike, reverse=True)[: _BEST if self.has_written else 1])

    def nearest_text(self) -> str:
        """Return the nearest question, written key or fact."""
        pairs = zip(self.alike, self.texts, strict=True)
        shown = [(value, text.text) for value, text in pairs if text.role is not TextRole.WITH_FEEDBACK]
        return max(shown, key=lambda pair: pair[0])[1] if shown else self.entry.question


def score_entries(
    folded: str,
    found: Sequence[Entry],
    near: Mapping[str, NearestTexts],
    usual: float = UNRELATED_COSINE,
) -> list[ScoredEntry]:
    """Score entries against a folded question. Skip entries without texts.

    `near` has the texts and cosines of the index by entry; `usual` is the cosine of unrelated texts.
    """
    texts = [(entry, indexed_keys(entry, near[entry.id].words)) for entry in found]
    letters = LetterSimilarity([text.words for _, some in texts for text in some]).similarity(folded).tolist()
    result: list[ScoredEntry] = []
    for entry, some in texts:
        own, letters = letters[: len(some)], letters[len(some) :]
        # The cosine of two equal float32 vectors may be slightly above 1.
        known = {name: min(1.0, calibrate(cosine, usual)) for name, cosine in near[entry.id].cosines.items()}
        meanings = [known.get(text.key_id, 0.0) for text in some] if known else []
        result += [ScoredEntry(entry, some, own, meanings, known.get(entry.id, 0.0))] if some else []
    return result


def compute_features(one: ScoredEntry, question: str, scope: Scope) -> dict[str, float]:
    """Return the features of an entry for a question."""
    helped, hurt = one.entry.helped, one.entry.hurt
    found = similarity_features(one)
    found |= {"own": float(one.entry.owner == scope.person), "helped": (helped - hurt) / (1 + helped + hurt)}
    if not one.entry.kind.asserts:  # the wording of a fact is not that of a question
        found |= wording_features(one, question)
    if one.entry.kind.is_note:
        found |= rule_features(question, one.entry)
    return {name: min(1.0, value) if value > 0.0 else 0.0 for name, value in found.items()}


def similarity_features(one: ScoredEntry) -> dict[str, float]:
    """Return the similarities of an entry's texts: `near` in all, `meaning` and `letters` of the nearest key or fact.

    `meaning` is absent without vectors. With model-written keys, `middle` is the cosine with the mean vector, and
    `all_letters` the mean over the keys, since many hits are more telling than one by chance. `copied` is how much
    nearer in letters the original question is than any written key: a look-alike question shares its letters, but no
    meaning.
    """
    roles = (TextRole.ASSERTED,) if one.entry.kind.asserts else _KEYS
    found = {"letters": one.nearest(one.letters, *roles), "near": one.relevance}
    if one.meanings:
        found["meaning"] = one.nearest(one.meanings, *roles)
    if one.meanings and one.has_written and not one.entry.kind.asserts:
        asked, written = (one.nearest(one.letters, role) for role in _KEYS)
        keys = (letter for letter, text in zip(one.letters, one.texts, strict=True) if text.role in _KEYS)
        found |= {"middle": one.middle, "all_letters": fmean(keys), "copied": asked - written}
    return found


def wording_features(one: ScoredEntry, question: str) -> dict[str, float]:
    """Return features of the wording: the best values over the questions that the entry was given for.

    `spelling` is the similarity in spelling, `same` is 1 if it is equal after folding, and `way` says how surely both
    follow one pattern.
    """
    # Questions of one pattern share letters, so compare only the nearest by letters.
    asked = [pair for pair in zip(one.letters, one.texts, strict=True) if pair[1].role is TextRole.QUESTION]
    texts = [text.text for _, text in sorted(asked, key=lambda pair: -pair[0])[:_MOST_WORDED]]
    about_words = function_words().is_about_words(fold_words(one.entry.text))
    way = max((pattern_similarity(question, text, about_words=about_words) for text in texts), default=0.0)
    spelling = max((spelling_similarity(fold(question), fold(text)) for text in texts), default=0.0)
    return {"spelling": spelling, "same": float(spelling == 1.0), "way": way}


def rule_features(question: str, entry: Entry) -> dict[str, float]:
    """Return the rules that hold for a note, which override other features, as 1.

    `its_question`: the note was given for this question. `other_question`: its reach is another question only.
    `excepted`: the user excluded it for this question or its pattern. `its_word`: this question has the user's word
    that the note explains.
    """
    known = {entry.question, *(key.text for key in entry.keys if key.origin in _ITS_QUESTIONS)}
    is_its_own = any(is_same_question(question, text) for text in known)
    explained = find_explained_words(entry.question, entry.text) if entry.reach is Reach.WAY else frozenset()
    if entry.not_for and is_same_question(question, entry.question):
        is_excepted = any(is_same_question(question, other) for other in entry.not_for)
    else:
        is_excepted = any(pattern_similarity(question, other) >= _ALIKE for other in entry.not_for)
    holds = {
        "its_question": is_its_own,
        "other_question": entry.reach is Reach.QUESTION and not is_its_own,
        "excepted": is_excepted,
        "its_word": not entry.kind.asserts and bool(explained) and explained <= frozenset(fold_words(question)),
    }
    return {name: 1.0 for name, does in holds.items() if does}
