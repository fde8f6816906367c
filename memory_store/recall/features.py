"""The features of a question and an entry: named numbers in [0, 1] from which the gate computes a probability.

All but the two margins depend on the question and the one entry only, and those two on what the same person may read,
so nothing of another person can show in them. To add one: add it to `similar` (cheap, from rows compared already) or to
`worded` (dearer, from the texts), and fit the gate again (`tools/gate/fit_gate.py`); a new name is picked up by itself.
What speaks against an entry is listed in `AGAINST`; all else may only speak for it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from assistant.types import Entry, Scope
from memory_store.index.key_matrix import Scores
from memory_store.language.normalize import fold, folded_similarity
from memory_store.language.templates.templates import ALIKE, match_frame
from memory_store.language.terms import Floats
from memory_store.ledger.indexed_keys import IndexedKey, TextRole

AGAINST = frozenset(
    {"with_misreading", "with_misreading_ngrams", "copied", "margin_behind", "misfit", "hurt", "hurt_like"}
)
"""Features that lower the probability."""

_LONGEST_QUESTION = 2_000  # characters that reactions are compared by
_SAME_FRAME = 0.9  # similarity of frames that differ in small words only
_KEYS = (TextRole.QUESTION, TextRole.FORM, TextRole.FURTHER)
_WHOLE = (TextRole.QUESTION, TextRole.FURTHER)
# How much each similarity says about which entry is meant. `python -m tools.gate.fit_relevance` fits them to the data
# of the day; the gate stands on them, so whoever takes new ones fits that again too.
RELEVANCE = {"meaning": 0.384, "ngrams": 0.195, "with_feedback": 0.063, "with_feedback_ngrams": 0.358}


def similarities(found: Scores) -> dict[str, Floats]:
    """How similar each entry is, in each way; each of shape (entries,)."""
    return {
        "ngrams": found.matrix.per_entry(found.ngrams, *_KEYS),
        "with_feedback_ngrams": found.matrix.per_entry(found.ngrams, TextRole.WITH_FEEDBACK),
        # Last, for it may have to be waited for.
        "meaning": found.matrix.per_entry(found.meaning, *_KEYS),
        "with_feedback": found.matrix.per_entry(found.meaning, TextRole.WITH_FEEDBACK),
    }


def relevance(found: Scores) -> Floats:
    """How near each entry is to the question, from 0 to 1, to choose the candidates. Shape (entries,)."""
    parts = similarities(found)
    total: Floats = np.sum([weight * parts[name] for name, weight in RELEVANCE.items()], axis=0, dtype=np.float32)
    return total


def similar(found: Scores, entry: int) -> dict[str, float]:
    """What the rows of one entry say.

    `meaning` and `ngrams` are the nearest question or further key; not what a rule made of a question, for a few words
    of it are near to many others. `second_…` are the second nearest, so that two hits say more than one by chance;
    `middle_meaning` is the similarity in meaning to the middle of all of these. `further_…` look at the keys that a
    model wrote. `with_feedback` is the similarity to the question with what the person said, `with_misreading` with how
    it was misunderstood, and `with_misreading_ngrams` in letters: what is as near to the misunderstanding as to the
    question mostly means just that. `copied` is how much more the letters are those of the question that was asked then
    than of any further key: a look-alike shares them with the one and meaning with none.
    """
    values = _of_entry(found, entry)
    letters, meanings = values.at(found.matrix.places(entry, *_WHOLE))
    further_letters, further_meanings = values.at(found.matrix.places(entry, TextRole.FURTHER))
    misread_letters, misread_meanings = values.at(found.matrix.places(entry, TextRole.WITH_MISREADING))
    scores = {"ngrams": max(letters, default=0.0), "with_misreading_ngrams": max(misread_letters, default=0.0)}
    knows_meaning = not any(map(math.isnan, meanings))
    if knows_meaning:
        scores["meaning"] = max(meanings, default=0.0)
        scores["with_misreading"] = max(misread_meanings, default=0.0)
        scores["with_feedback"] = max(
            values.at(found.matrix.places(entry, TextRole.WITH_FEEDBACK)).meanings, default=0.0
        )
    if len(letters) > 1:
        scores["second_ngrams"] = sorted(letters)[-2]
        if knows_meaning:
            scores["second_meaning"] = sorted(meanings)[-2]
            scores["middle_meaning"] = sum(meanings) / len(meanings) / found.matrix.length_of_middle(entry, *_WHOLE)
    if further_letters:
        asked_letters, _ = values.at(found.matrix.places(entry, TextRole.QUESTION, TextRole.FORM))
        scores["further_ngrams"] = sum(further_letters) / len(further_letters)
        scores["copied"] = max(asked_letters, default=0.0) - max(further_letters)
        if knows_meaning:
            scores["further_meaning"] = max(further_meanings)
            scores["further_meaning_mean"] = sum(further_meanings) / len(further_meanings)
    return {name: min(1.0, value) if value > 0.0 else 0.0 for name, value in scores.items()}


def worded(question: str, key: str, entry: Entry) -> dict[str, float]:
    """What the wording of a question says beside one key of the entry that is no model's.

    `surface` compares the spelling of the whole, `same` says that it is the same; `frame` what is left without the word
    asked about. Where that is the same, `filler` says whether the word asked about is of the sort that it was made for,
    and `misfit` how little it is. `substitution` is a guess where that word is not known.
    """
    match = match_frame(question, key, entry.question, entry.wrong_understanding, entry.text)
    same_frame = min(1.0, max(0.0, (match.similarity - ALIKE) / (_SAME_FRAME - ALIKE)))
    spelled = folded_similarity(fold(question), fold(key))
    return {
        "same": float(spelled == 1.0),
        "surface": spelled,
        "frame": match.similarity,
        "filler": same_frame * match.filler,
        "substitution": match.substitution or 0.0,
        "misfit": same_frame * (1.0 - match.filler) if match.substitution is None else 1.0 - match.substitution,
    }


def history(question: str, entry: Entry, scope: Scope) -> dict[str, float]:
    """Whose the entry is, and by how much it helped more than it hurt before, or the other way round.

    `helped_like` and `hurt_like` are how much it did so for questions of this kind.
    """
    balance = (entry.helped - entry.hurt) / (1 + entry.helped + entry.hurt)
    helped_like, hurt_like = reactions_like(question, entry)
    return {
        "own": float(entry.owner == scope.person),
        "helped": max(0.0, balance),
        "hurt": max(0.0, -balance),
        "helped_like": helped_like,
        "hurt_like": hurt_like,
    }


def margins(similarity: float, all_of_kind: Sequence[float]) -> dict[str, float]:
    """How far a candidate is ahead of the next one of its kind, or behind the nearest one.

    `all_of_kind` are the similarities of all candidates of its kind, itself included, nearest first.
    """
    behind = all_of_kind[0] - similarity
    ahead = similarity - all_of_kind[1] if behind == 0 and len(all_of_kind) > 1 else 0.0
    return {"margin": ahead, "margin_behind": behind}


def nearest_key(found: Scores, entry: int) -> IndexedKey:
    """The question, further key or asserted text that is nearest; any row where a damaged index has lost them."""
    values = _of_entry(found, entry)

    def similarity_of(place: int) -> float:
        meaning = values.meanings[place]
        return values.letters[place] + (0.0 if math.isnan(meaning) else meaning)

    nearest = max(found.matrix.places(entry, *_WHOLE, TextRole.ASSERTED), key=similarity_of, default=0)
    place: int = found.matrix.rows_of(entry).start + nearest
    return found.matrix.rows[place]


def best_wording(question: str, keys: Iterable[str], entry: Entry) -> dict[str, float]:
    """`worded` for that of the keys which it says most for."""
    found = [worded(question, text, entry) for text in keys]
    return max(
        found,
        key=lambda scores: (scores["filler"], scores["substitution"], scores["frame"], scores["surface"]),
        default={},
    )


def reactions_like(question: str, entry: Entry) -> tuple[float, float]:
    """How much the entry helped, and how much it hurt, by the asking person's `reactions` to it.

    Each reaction weighs as much as its question is like the new one in kind. Each number is s / (1 + s), where s is the
    sum of these weights: 0 without any, 1/2 for one reaction to the same question.
    """
    total = {True: 0.0, False: 0.0}
    for reaction in entry.reactions:
        total[reaction.helped] += kind_similarity(question, reaction.question)
    return total[True] / (1 + total[True]), total[False] / (1 + total[False])


def kind_similarity(question: str, other: str) -> float:
    """How alike two questions are in kind, in [0, 1]: 1 for the same question, 0 for one asked in another way."""
    question, other = question[:_LONGEST_QUESTION], other[:_LONGEST_QUESTION]
    if question == other or ("" != fold(question) == fold(other)):
        return 1.0
    # The frame of either may be the one that can be told; similarity of kind has no direction.
    return max(_frame_similarity(question, other), _frame_similarity(other, question))


def _frame_similarity(question: str, other: str) -> float:
    match = match_frame(question, other, other)
    return match.similarity * match.filler if match.similarity >= ALIKE else 0.0


# Plain lists: an entry has a dozen rows, for which numpy is slow.


class _Values(NamedTuple):
    """How similar some rows are to a question: in letters and in meaning."""

    letters: list[float]
    meanings: list[float]

    def at(self, places: Sequence[int]) -> _Values:
        """Of the rows at these places."""
        return _Values([self.letters[place] for place in places], [self.meanings[place] for place in places])


def _of_entry(found: Scores, entry: int) -> _Values:
    rows = found.matrix.rows_of(entry)
    return _Values(found.ngrams[rows].tolist(), found.meaning[rows].tolist())
