"""Score an entry for a question: text similarities, relevance, and the features for the gate.

Features are named numbers in [0, 1] of the question and one entry only, so they reveal nothing about other users. To
add one, add it here, name it in `evaluation.gate.fitting` and fit the gate again (`python -m evaluation.gate.fitting`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from assistant.kinds import Reach
from assistant.language.asked_word import LONGEST_SLOT
from assistant.types import Entry, KeyOrigin, Scope
from memory_store.embedding.embedder_setup import UNRELATED_COSINE, calibrate
from memory_store.language.function_words import WordKind, find_explained_words, fold_words, function_words, split_words
from memory_store.language.letters import compare_letters
from memory_store.language.normalize import spelling_similarity
from memory_store.language.question_similarity import is_same_question, pattern_similarity
from memory_store.language.word_translation import fold_for_comparison
from memory_store.ledger.indexed_keys import TextRole, text_of_key
from memory_store.vectors.rows import IndexPart, NearestTexts

_KEYS = (TextRole.QUESTION, TextRole.FURTHER)  # keys of clarifications and examples
_BEST = 3  # texts averaged for an entry with model-written keys; otherwise only the best text counts
_ASKED = 0.7  # weight of the question that a fact was told at, relative to its text
_SHORT_KEY = 6  # words
_MOST_OF_A_WAY = 4  # content words of a question about a word, with that word
_MOST_WORDED = 4  # questions of an entry compared word by word
_SIMILAR = 0.2  # lowest mean of meaning and letters of two questions that are compared word by word
_ALIKE = 0.6  # lowest similarity to a question for which the user excluded the entry
_ITS_QUESTIONS = frozenset({KeyOrigin.QUESTION, KeyOrigin.PERSON})  # a model's paraphrases are other questions


class ScoredTexts(NamedTuple):
    """Similarities of an entry's texts to a question, in the order of `near`, in [0, 1]."""

    near: NearestTexts
    letters: Sequence[float]
    meanings: Sequence[float]  # NaN if unknown
    alike: Sequence[float]  # mean of meaning and letters, or letters if meaning is unknown
    usual: float  # cosine of unrelated texts

    def nearest(self, values: Sequence[float], *roles: TextRole) -> float:
        """Return the largest of these similarities among texts with one of the roles; 0 without any."""
        return max((value for value, role in zip(values, self.near.roles, strict=True) if role in roles), default=0.0)

    @property
    def relevance(self) -> float:
        """Return the similarity of entry and question in [0, 1], by which candidates are ranked; nothing is fitted.

        It is the mean over the best three texts, or the best text if no model wrote keys. For a fact, its text counts
        fully and its question by `_ASKED`.
        """
        if self.near.part == IndexPart.ASSERTED:
            values = self.meanings if self.near.cosines else self.letters
            return max(self.nearest(values, TextRole.ASSERTED), _ASKED * self.nearest(values, *_KEYS))
        best = sorted(self.alike, reverse=True)[: _BEST if TextRole.FURTHER in self.near.roles else 1]
        return sum(best) / len(best)


def score_texts(
    folded: str, near: Mapping[str, NearestTexts], usual: float = UNRELATED_COSINE
) -> dict[str, ScoredTexts]:
    """Score the texts of entries against a folded question; `usual` is the cosine of unrelated texts."""
    words = [text for one in near.values() for text in one.words]
    lengths = [length for one in near.values() for length in one.lengths]
    letters = compare_letters(folded, words, lengths)
    unknown = [math.nan]
    cosines = [cosine for one in near.values() for cosine in one.cosines or unknown * len(one.words)]
    meanings = calibrate(np.array(cosines), usual)
    alike = np.where(np.isnan(meanings), letters, (letters + meanings) / 2)
    columns = letters.tolist(), meanings.tolist(), alike.tolist()
    scored, end = dict[str, ScoredTexts](), 0
    for name, one in near.items():
        start, end = end, end + len(one.words)
        own_letters, own_meanings, own_alike = (column[start:end] for column in columns)
        scored[name] = ScoredTexts(one, own_letters, own_meanings, own_alike, usual)
    return scored


def compute_features(one: ScoredTexts, entry: Entry, question: str, scope: Scope) -> dict[str, float]:
    """Return the features of an entry for a question."""
    folded = fold_for_comparison(question)
    found = similarity_features(one, folded)
    found |= {"own": float(entry.owner == scope.person)}
    found |= {"helped": (entry.helped - entry.hurt) / (1 + entry.helped + entry.hurt)}
    if not entry.kind.asserts:  # facts are not worded like questions
        found |= wording_features(one, entry, question, folded)
    if entry.kind.is_note:
        found |= rule_features(one, entry, question)
    return {name: min(1.0, value) if value > 0.0 else 0.0 for name, value in found.items()}


def similarity_features(one: ScoredTexts, folded: str) -> dict[str, float]:
    """Return the similarities of an entry's texts: `near` in all, `meaning` and `letters` of the nearest key or fact.

    `meaning` is absent without vectors. With model-written keys, `middle` is the cosine with the mean vector,
    `all_letters` the mean over the keys, since many hits are more telling than one by chance, and `written` the meaning
    of the nearest written key. `named` is the share of words of a short one ("prepone") that the question has. `copied`
    is how much nearer in letters the original question is than any written key: a look-alike question shares its
    letters, but no meaning.
    """
    is_fact = one.near.part == IndexPart.ASSERTED
    roles = (TextRole.ASSERTED,) if is_fact else _KEYS
    relevance = one.relevance
    found = {"letters": one.nearest(one.letters, *roles), "near": relevance, "relevance": relevance}
    if one.near.cosines:
        found["meaning"] = one.nearest(one.meanings, *roles)
    if one.near.cosines and TextRole.FURTHER in one.near.roles and not is_fact:
        asked, written = (one.nearest(one.letters, role) for role in _KEYS)
        keys = [letter for letter, role in zip(one.letters, one.near.roles, strict=True) if role in _KEYS]
        middle = float(calibrate(np.array(one.near.middle()), one.usual))
        found |= {"middle": middle, "all_letters": sum(keys) / len(keys), "copied": asked - written}
        have, columns = set(folded.split()), zip(one.near.words, one.near.roles, strict=True)
        short = [
            words for text, role in columns if role == TextRole.FURTHER and 0 < len(words := text.split()) <= _SHORT_KEY
        ]
        named = max((sum(word in have for word in words) / len(words) for words in short), default=0.0)
        found |= {"written": one.nearest(one.meanings, TextRole.FURTHER), "named": named}
    return found


def wording_features(one: ScoredTexts, entry: Entry, question: str, folded: str) -> dict[str, float]:
    """Return features of the wording: the best values over the questions that the entry was given for.

    `spelling` is the similarity in spelling, `same` is 1 if it is equal after folding, and `way` says how surely both
    follow one pattern.
    """
    columns = zip(one.letters, one.alike, one.near.key_ids, one.near.words, one.near.roles, strict=True)
    asked = [row for row in columns if row[-1] == TextRole.QUESTION]
    spelling = max((spelling_similarity(folded, words) for *_, words, _ in asked), default=0.0)
    # Questions of one pattern share letters, so compare only the nearest by letters.
    near = sorted(((-letter, name) for letter, alike, name, *_ in asked if alike >= _SIMILAR))[:_MOST_WORDED]
    way = max((_way_of_asking(question, text_of_key(entry, name), entry) for _, name in near), default=0.0)
    return {"spelling": spelling, "same": float(spelling == 1.0), "way": way}


def _way_of_asking(question: str, known: str, entry: Entry) -> float:
    about_words, slot = function_words().is_about_words(fold_words(entry.text)), 1 if entry.text else LONGEST_SLOT
    # "when is diwali this year" is not about a word: a correction of another festival says nothing about this one.
    if entry.text and not about_words and min(map(_count_content, (question, entry.question))) > _MOST_OF_A_WAY:
        return 0.0
    return pattern_similarity(question, known, slot, about_words=about_words)


def rule_features(one: ScoredTexts, entry: Entry, question: str) -> dict[str, float]:
    """Return the rules that hold for a note, which override other features, as 1.

    `its_question`: the note was given for this question. `other_question`: its reach is another question only.
    `excepted`: the user excluded it for this question or its pattern. `its_word`: this question has the user's word
    that the note explains.
    """
    known = {entry.question, *(key.text for key in entry.keys if key.origin in _ITS_QUESTIONS)}
    is_similar = one.nearest(one.alike, TextRole.QUESTION) >= _SIMILAR
    is_its_own = question in known or (is_similar and any(is_same_question(question, text) for text in known))
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


@lru_cache(maxsize=16_384)
def _count_content(text: str) -> int:
    return sum(word.kind is WordKind.CONTENT for word in split_words(text))
