"""The features of a question and a key: named numbers in [0, 1] from which the gate computes a probability.

Pure, so that recall at run time and `tools/fit_gate.py` on stored pairs compute the same numbers. To add a feature,
add it to `compare`, name it in `tools/fit_gate.py`, and fit the gate again.
"""

from __future__ import annotations

from collections.abc import Mapping

from assistant.types import Entry, Scope
from memory_store.frames import ALIKE, match_frame, shared_words
from memory_store.surface import fold, folded_similarity, ngram_similarity, token_similarity

_SAME = 0.9  # likeness of frames that differ in small words only


def compare(question: str, key: str, entry: Entry, meaning: float | None = None) -> dict[str, float]:
    """Features of one question and one key of an entry.

    `surface`, `wording` and `ngrams` compare spelling; `frame` compares what is left without the word asked about, and
    `same_frame` is that as a step from 0 to 1. Where the frame is the same, `filler` says whether the word asked about
    is of the kind that it was made for, and `wording` and `ngrams` compare without that word. `phrase` is the share of
    the misunderstood words that are there again.

    Args:
        question: the new question.
        key: the text of the key.
        entry: the entry that the key belongs to.
        meaning: cosine of question and key; None where there is no embedder. Then the feature is absent.
    """
    match = match_frame(question, key, entry.question, entry.wrong_understanding, entry.text)
    same_frame = min(1.0, max(0.0, (match.likeness - ALIKE) / (_SAME - ALIKE)))
    scores = {
        "surface": folded_similarity(fold(question), fold(key)),
        "wording": max(token_similarity(question, key), same_frame * match.wording),
        "ngrams": max(ngram_similarity(question, key), same_frame * match.ngrams),
        "frame": match.likeness,
        "same_frame": same_frame,
        "filler": same_frame * match.filler,
        "phrase": shared_words(entry.question, entry.text, question),
    }
    if meaning is not None:
        scores["meaning"] = min(1.0, max(0.0, meaning))
    return scores


def history(entry: Entry, scope: Scope) -> dict[str, float]:
    """Features of the entry alone: whose it is, and by how much it helped more than it hurt, or the other way round."""
    balance = (entry.helped - entry.hurt) / (1 + entry.helped + entry.hurt)
    return {"own": float(entry.owner == scope.person), "helped": max(0.0, balance), "hurt": max(0.0, -balance)}


def likeness(scores: Mapping[str, float]) -> float:
    """A plain mean of the similarities, to say which of several keys is the nearest."""
    present = [scores[name] for name in ("meaning", "surface", "wording", "ngrams", "frame") if name in scores]
    return sum(present) / len(present)
