"""The gate, fitted on its data: what stands in `gate.json`, and any variant of it.

For each kind of evidence (the question alone, several questions, further keys of a model) an additive logistic
regression is fitted on the nearest candidate of every question (`evaluation.gate.regression`). The thresholds follow
from costs: `use` where a wrong splice, `offer` where a useless note, would cost less than a miss.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assistant.choose.calibration import Evidence
from assistant.ports import Embedder
from assistant.types import Candidate, Scope
from evaluation.gate.data import OWNER, Remembered, asked_again, decisions, intents, ways_to_ask, word_pairs
from evaluation.gate.regression import Curves
from memory_store.embedding.embedder import BUNDLED, SentenceEmbedder, choose_embedder
from memory_store.embedding.reading import TranslatedEmbedder
from memory_store.embedding.standard import Scale, as_they_are
from memory_store.index.key_matrix import KeyMatrix, Part, Query, known
from memory_store.language.word_translation import READINGS
from memory_store.ledger.indexed_keys import indexed_keys
from memory_store.recall.facts import focus_of
from memory_store.recall.recall import candidates, nearest

# Set so that on held-out entries one in twenty look-alikes gets a splice.
COSTS = {"wrong splice": 3.3, "miss": 1.0, "useless note": 0.09}
# No data says these yet. The very same question is a sure match.
BY_HAND = {"own": 0.3, "helped": 1.0, "helped_like": 2.0, "same": 8.0}
INTENTS_ASKED = 900
WAYS_SEEDS = (1, 2, 3, 4)  # which ways were not understood at all is a matter of chance, and differs much
MOST_SHOWN = 5  # candidates per question; those beyond are never used
_BATCH = 64
LOADING_SECONDS = 600.0  # nobody waits for an answer here


def memories(clinc150: Path) -> dict[Evidence, list[Remembered]]:
    """The data for each kind of evidence; CLINC150 is the file dev.json of its folder.

    What is outside of all intents counts more than its small number would: it is what most questions are like.
    """
    data = shipped()
    several = intents(clinc150, 5, INTENTS_ASKED)
    further = intents(clinc150, 5, INTENTS_ASKED, further=True)
    data[Evidence.QUESTION].append(intents(clinc150, 1, INTENTS_ASKED))
    data[Evidence.QUESTIONS] += [
        several.only(needing=True).weighing(5.0),
        several.only(needing=False).weighing(12.0),
    ]
    data[Evidence.FURTHER] += [
        further.only(needing=True).weighing(0.5),
        further.only(needing=False).weighing(1.0),
    ]
    return data


def shipped() -> dict[Evidence, list[Remembered]]:
    """What of the data comes with the app."""
    plain = [decisions("first", keys=False), decisions("second", keys=False)]
    words = word_pairs()
    ways = [ways_to_ask(seed) for seed in WAYS_SEEDS]
    return {
        Evidence.QUESTION: [
            *plain,
            words.weighing(2.0),
            *(memory.weighing(3.0) for memory in ways),
        ],
        Evidence.QUESTIONS: [
            *(asked_again(memory, 2) for memory in plain),
            asked_again(words, 1),
            *(asked_again(memory, 1) for memory in ways),
        ],
        Evidence.FURTHER: [
            *(decisions(name, keys=True).weighing(2.0) for name in ("first", "second")),
            ways_to_ask(1, keys=True).weighing(0.3),
        ],
    }


def thresholds() -> tuple[float, float]:
    """Where the expected costs of doing it and of leaving it are the same, for `use` and `offer`."""
    use = COSTS["wrong splice"] / (COSTS["wrong splice"] + COSTS["miss"])
    offer = COSTS["useless note"] / (COSTS["useless note"] + COSTS["miss"])
    return round(use, 3), round(offer, 3)


def calibration(intercept: float, curves: Curves) -> dict[str, Any]:
    """One calibration, as it stands in the file."""
    use, offer = thresholds()
    rounded = {name: [round(height, 3) for height in curve] for name, curve in curves.items()}
    return {
        "intercept": round(intercept - BY_HAND["own"], 3),  # all entries of the data are one's own
        "curves": {name: curve for name, curve in rounded.items() if any(curve)}
        | {name: [0.0, height] for name, height in BY_HAND.items()},
        "use": use,
        "offer": offer,
    }


def bundled() -> Embedder:
    """The embedder that comes with Noted, as memory uses it."""
    return TranslatedEmbedder(SentenceEmbedder(choose_embedder(BUNDLED), LOADING_SECONDS))


def candidates_of(
    memory: Remembered,
    embedder: Embedder | None,
    part: Part = Part.SAID,
    most: int = MOST_SHOWN,
    scale: Scale = as_they_are,
) -> list[Sequence[Candidate]]:
    """For each question what recall would find as this, in its order, at most so many."""
    matrix = matrix_of(memory, embedder)
    entries = {entry.id: entry for entry in memory.entries}
    result: list[Sequence[Candidate]] = []
    for query in queries([case.question for case in memory.questions], embedder, scale):
        joined = [(near, entries[near.entry_id]) for near in nearest([matrix], query)[part][:most]]
        result.append(candidates(joined, query.text, Scope(OWNER)))
    return result


def queries(texts: Sequence[str], embedder: Embedder | None, scale: Scale = as_they_are) -> Iterator[Query]:
    """The texts, as recall compares them."""
    if embedder is None:
        yield from (Query.read(text, READINGS, known(None)) for text in texts)
        return
    vectors, focus = (encoded(embedder, some) for some in (texts, [focus_of(text) for text in texts]))
    for text, vector, last in zip(texts, vectors, focus, strict=True):
        yield Query.read(text, READINGS, known(vector), known(last), scale)


def matrix_of(memory: Remembered, embedder: Embedder | None) -> KeyMatrix:
    """All texts of a memory, ready to be compared with questions."""
    rows = [row for entry in memory.entries for row in indexed_keys(entry, READINGS)]
    return KeyMatrix(rows, None if embedder is None else encoded(embedder, [row.text for row in rows]))


def encoded(embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float32]:
    """Shape (len(texts), dimension)."""
    return np.concatenate([embedder.encode(texts[at : at + _BATCH]) for at in range(0, len(texts), _BATCH)])
