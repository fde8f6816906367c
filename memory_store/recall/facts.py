"""How near what a person asserted is to a question, and the features of the two.

A fact is found by itself: by the nearness in meaning of what it says to the question. Among the nearest, that to the
last sentence, which mostly says what is wanted, and the likeness in letters count too. Asking again what it was told at
finds it as well.
"""

import re
from collections.abc import Mapping

import numpy as np

from memory_store.index.key_matrix import Scores
from memory_store.language.terms import Floats, share_in
from memory_store.ledger.indexed_keys import TextRole

# How much each says about which fact is meant, where meaning says 1 (`python -m evaluation facts-found`).
RELEVANCE = {"focus": 0.25, "ngrams": 0.05}
NEAREST = 30
"""So many facts are compared in the other ways."""
_LEAST_SPREAD = 1e-6
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
    own, asked = similarities(found, TextRole.ASSERTED), similarities(found, *_ASKED)
    by_letters = not found.knows_meaning
    near = own["ngrams"] if by_letters else fused(own)
    nearest: Floats = np.maximum(near, np.float32(ASKED) * asked["ngrams" if by_letters else "meaning"])
    return nearest.clip(0, 1)


def fused(parts: Mapping[str, Floats], weights: Mapping[str, float] = RELEVANCE) -> Floats:
    """Nearness in meaning, and what the other ways say beside it among the facts that are nearest.

    There it is the mean of all ways, each standardised (z-scores, as rankings are often fused), as meaning is scaled.
    So the others count for less where many facts are about as near. `parts` are as of `similarities`.
    """
    meaning = parts["meaning"]
    nearest = np.argsort(-meaning, kind="stable")[:NEAREST]
    near = meaning[nearest]
    fused_near = near - near.mean()
    for way, weight in weights.items():
        values = parts[way][nearest]
        spread = values.std()
        if spread > _LEAST_SPREAD:
            fused_near += weight * near.std() * (values - values.mean()) / spread
    total: Floats = meaning.copy()
    total[nearest] = near.mean() + fused_near / (1 + sum(weights.values()))
    return total


def similarities(found: Scores, *roles: TextRole) -> dict[str, Floats]:
    """How similar the rows of these roles are, in each way; each of shape (entries,)."""
    by_way = {"ngrams": found.ngrams, "meaning": found.meaning, "focus": found.focus}
    return {way: found.matrix.per_entry(values, *roles) for way, values in by_way.items()}


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
