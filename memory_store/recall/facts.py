"""How near what a person asserted is to a question, and the features of the two.

A fact is found by itself: by the nearness of what it says, in meaning to the question and to its last sentence, which
mostly says what is wanted, and in letters. Asking again what it was told at finds it as well.
"""

import re

import numpy as np

from memory_store.index.key_matrix import Scores
from memory_store.language.terms import Floats, share_in
from memory_store.ledger.indexed_keys import TextRole

# How much each says about which fact is meant (`python -m evaluation facts-found`).
RELEVANCE = {"meaning": 0.775, "focus": 0.194, "ngrams": 0.031}
ASKED = 0.7  # what the likeness to a question that a fact was told at is worth beside that to what it says
_ASKED = (TextRole.QUESTION, TextRole.FORM, TextRole.FURTHER)
_SENTENCE_ENDS = re.compile(r"(?<=[.?!।॥…])\s+|\n+")
_FEWEST_WORDS = 3


def focus_of(question: str) -> str:
    """The last sentence of a question; the whole of it where that is too short to say anything."""
    *_, last = [part for part in _SENTENCE_ENDS.split(question) if part.strip()] or [question]
    return last if len(last.split()) >= _FEWEST_WORDS else question


def relevance(found: Scores) -> Floats:
    """How near each fact is to the question, from 0 to 1. Shape (entries,)."""
    own = _nearness(found, TextRole.ASSERTED)
    nearest: Floats = np.maximum(own, np.float32(ASKED) * _nearness(found, *_ASKED))
    return nearest


def similarities(found: Scores, *roles: TextRole) -> dict[str, Floats]:
    """How similar the rows of these roles are, in each way; each of shape (entries,)."""
    by_way = {"ngrams": found.ngrams, "meaning": found.meaning, "focus": found.focus}
    return {way: found.matrix.per_entry(values, *roles) for way, values in by_way.items()}


def _nearness(found: Scores, *roles: TextRole) -> Floats:
    parts = similarities(found, *roles)
    total: Floats = np.sum([weight * parts[name] for name, weight in RELEVANCE.items()], axis=0, dtype=np.float32)
    return total if found.knows_meaning else parts["ngrams"]


def similar(found: Scores, entry: int) -> dict[str, float]:
    """What the text of one fact says beside the question: `meaning`, `ngrams`, and `told`, how much of the question's
    words stands in it, each by how rare it is.
    """
    matrix = found.matrix
    at = matrix.rows_of(entry).start + matrix.places(entry, TextRole.ASSERTED)[0]
    scores = {"ngrams": float(found.ngrams[at]), "told": share_in(found.english, matrix.rows[at].english)}
    if not np.isnan(found.meaning[at]):
        scores["meaning"] = float(found.meaning[at])
    return {name: min(1.0, value) for name, value in scores.items()}
