"""The gate, fitted on its data: what stands in `gate.json`, and any variant of it.

For each kind of evidence (letters alone, the questions that an entry was given for, keys that a model wrote) a logistic
regression is fitted on the nearest candidate of every question (`evaluation.gate.regression`). The thresholds follow
from costs: `use` where a wrong splice, `offer` where a useless note, would cost less than a miss.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from assistant.gate.gate import Evidence
from assistant.ports import Embedder
from assistant.types import Candidate, Scope
from evaluation.gate.data import OWNER, Remembered, decisions, intents, ways_to_ask, word_pairs
from evaluation.gate.regression import Pairs, fit
from memory_store.arrays import Floats
from memory_store.embedding.embedder import BUNDLED, SentenceEmbedder, choose_embedder
from memory_store.embedding.reading import MemoryEmbedder
from memory_store.language.word_translation import READINGS
from memory_store.ledger.indexed_keys import indexed_keys
from memory_store.retrieval.features import Scored
from memory_store.retrieval.letters import Letters
from memory_store.retrieval.retriever import candidates
from memory_store.vectors.cache import cosine_of_middle
from memory_store.vectors.rows import Part, part_of

FEATURES: Mapping[Evidence, Sequence[str]] = {
    Evidence.LETTERS: ("near", "way"),
    Evidence.ASKED: ("near", "way"),
    Evidence.WRITTEN: ("middle", "all_letters", "copied", "spelling"),
}
"""What the gate looks at; see docs/decisions/0052 for what others are worth."""
# Set so that on held-out entries one in twenty look-alikes gets a splice.
COSTS = {"wrong splice": 3.6, "miss": 1.0, "useless note": 0.09}
BY_HAND = {"same": 8.0, "own": 0.3, "helped": 1.0, "helped_like": 2.0}
"""What no data says yet, where the feature is 1: the very same question is a sure match."""
INTENTS_ASKED = 900
WAYS_SEEDS = (1, 2, 3, 4)  # which ways were not understood at all is a matter of chance, and differs much
MOST_SHOWN = 5  # facts per question; those beyond are never used
_NEAR = 12  # entries of which the features are computed
_BATCH = 64


def memories(clinc150: Path) -> dict[Evidence, list[Remembered]]:
    """Return the data for each kind of evidence; CLINC150 is the file dev.json of its folder."""
    written = intents(clinc150, 5, INTENTS_ASKED, further=True)
    asked = [
        *(decisions(name, keys=False) for name in ("first", "second")),
        word_pairs().weighing(2.0),
        *(ways_to_ask(seed).weighing(3.0) for seed in WAYS_SEEDS),
        intents(clinc150, 1, INTENTS_ASKED),
    ]
    keys = [
        *(decisions(name, keys=True).weighing(2.0) for name in ("first", "second")),
        ways_to_ask(1, keys=True).weighing(0.3),
        *(written.only(needing=True).weighing(0.5), written.only(needing=False)),
    ]
    return {Evidence.LETTERS: asked, Evidence.ASKED: asked, Evidence.WRITTEN: keys}


def fitted(data: Mapping[Evidence, Sequence[Remembered]], embedder: Embedder) -> dict[str, Any]:
    """Return a regression for each kind of evidence, as they stand in the file."""
    found = {}
    for evidence, some in data.items():
        reader = None if evidence is Evidence.LETTERS else embedder
        pairs = Pairs.of(FEATURES[evidence], [(memory, candidates_of(memory, reader, most=1)) for memory in some])
        found[evidence.value] = regression(*fit(pairs))
    return found


def regression(intercept: float, curves: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Return one regression, as it stands in the file."""
    use, offer = (COSTS[name] / (COSTS[name] + COSTS["miss"]) for name in ("wrong splice", "useless note"))
    by_hand = {name: (0.0, height) for name, height in BY_HAND.items()}
    rounded = {name: [round(height, 3) for height in curve] for name, curve in {**curves, **by_hand}.items()}
    intercept -= BY_HAND["own"]  # all entries of the data are one's own
    return {"intercept": round(intercept, 3), "curves": rounded, "use": round(use, 3), "offer": round(offer, 3)}


def bundled() -> Embedder:
    """Return the embedder that comes with Noted, as memory uses it."""
    return MemoryEmbedder(SentenceEmbedder(choose_embedder(BUNDLED)))


def candidates_of(
    memory: Remembered, embedder: Embedder | None, part: Part = Part.SAID, most: int = MOST_SHOWN
) -> list[Sequence[Candidate]]:
    """Return for each question what the retriever finds as this, nearest first, at most so many."""
    entries = [entry for entry in memory.entries if part_of(entry) is part]
    texts = [indexed_keys(entry, READINGS) for entry in entries]
    ends = np.cumsum([len(some) for some in texts]).tolist()
    kept = Letters([text.normalised for some in texts for text in some])
    asked = [case.question for case in memory.questions]
    if embedder is not None:
        vectors = encoded(embedder, [text.text for some in texts for text in some])
        cosines = np.maximum(encoded(embedder, asked) @ vectors.T, 0)
    result: list[Sequence[Candidate]] = []
    for at, question in enumerate(asked):
        letters = kept.similarity(READINGS.fold(question)).tolist()
        every = []
        for entry, some, end in zip(entries, texts, ends, strict=True):
            row = slice(end - len(some), end)
            one = Scored(entry, some, letters[row])
            if embedder is not None:
                middle = cosine_of_middle(vectors[row], cosines[at, row])
                one = replace(one, meanings=cosines[at, row].tolist(), middle=middle)
            every.append(one)
        near = sorted(every, key=lambda one: -one.relevance)[:_NEAR]
        result.append(candidates(near, question, Scope(OWNER))[:most])
    return result


def encoded(embedder: Embedder, texts: Sequence[str]) -> Floats:
    """Shape (len(texts), dimension)."""
    return np.concatenate([embedder.encode(texts[at : at + _BATCH]) for at in range(0, len(texts), _BATCH)])
