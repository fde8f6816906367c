"""Fit the gate: `gate.json`, or any variant.

For each kind of evidence (letters alone, original questions, model-written keys), a logistic regression is fitted on
the nearest candidate of every question (`evaluation.gate.regression`). Thresholds follow from costs: `use` where a
wrong splice would cost less than a miss, `offer` where a useless note would.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from assistant.gate.gate import Evidence
from assistant.limits import Limits
from assistant.types import NewEntry, Question, Scope
from evaluation.decisions.benchmark import EVERYBODY, Benchmark, StoredEntry
from evaluation.decisions.misunderstandings import load_decision_set
from evaluation.decisions.run import build_draft, fill_app
from evaluation.gate.data import load_intents, load_ways_to_ask, load_word_pairs
from evaluation.gate.regression import CaseFeatures, Pairs, fit
from memory_store.embedding.embedder import NONE

FEATURES: Mapping[Evidence, Sequence[str]] = {
    Evidence.LETTERS: ("near", "way"),
    Evidence.ASKED: ("near", "way"),
    Evidence.WRITTEN: ("middle", "all_letters", "copied", "spelling"),
}
"""Features of the gate; docs/decisions/0052 compares others."""
# With these costs, one in twenty look-alikes gets a splice on held-out entries.
COSTS = {"wrong splice": 3.6, "miss": 1.0, "useless note": 0.09}
BY_HAND = {"same": 8.0, "own": 0.3, "helped": 1.0}
"""Weights without data, for a feature of 1: the same question is a sure match."""
INTENTS_ASKED = 900
WAYS_SEEDS = (1, 2, 3, 4)  # results vary by which ways were never understood
EMBEDDERS = {Evidence.LETTERS: NONE, Evidence.ASKED: None, Evidence.WRITTEN: None}


def load_memories(clinc150: Path) -> dict[Evidence, list[Benchmark]]:
    """Return the data for each kind of evidence; CLINC150 is dev.json in its folder."""
    asked = [
        *(load_decision_set(name, keys=False) for name in ("first", "second")),
        replace(load_word_pairs(), weight=2.0),
        *(replace(load_ways_to_ask(seed), weight=3.0) for seed in WAYS_SEEDS),
        load_intents(clinc150, 1, INTENTS_ASKED),
    ]
    written = load_intents(clinc150, 5, INTENTS_ASKED)
    keys = [
        *(replace(load_decision_set(name), weight=2.0) for name in ("first", "second")),
        replace(load_ways_to_ask(1, keys=True), weight=0.3),
        replace(written, questions=[case for case in written.questions if case.applies is not None], weight=0.5),
        replace(written, questions=[case for case in written.questions if case.applies is None]),
    ]
    return {Evidence.LETTERS: asked, Evidence.ASKED: asked, Evidence.WRITTEN: keys}


def fit_regressions(data: Mapping[Evidence, Sequence[Benchmark]]) -> dict[str, Any]:
    """Return a regression per kind of evidence in the format of `gate.json`."""
    found = {}
    for evidence, some in data.items():
        judged = (one for memory in some for one in find_candidates(memory, EMBEDDERS[evidence]))
        found[evidence.value] = format_regression(*fit(Pairs.of(FEATURES[evidence], judged)))
    return found


def format_regression(intercept: float, curves: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Return one regression in the format of `gate.json`."""
    use, offer = (COSTS[name] / (COSTS[name] + COSTS["miss"]) for name in ("wrong splice", "useless note"))
    by_hand = {name: (0.0, height) for name, height in BY_HAND.items()}
    rounded = {name: [round(height, 3) for height in curve] for name, curve in {**curves, **by_hand}.items()}
    intercept -= BY_HAND["own"]  # all entries of the data are the user's own
    return {"intercept": round(intercept, 3), "curves": rounded, "use": round(use, 3), "offer": round(offer, 3)}


def find_candidates(
    memory: Benchmark,
    embedder: str | None,
    draft: Callable[[StoredEntry, int, Limits], NewEntry] = build_draft,
    most: int = 1,
) -> Iterator[CaseFeatures]:
    """Yield the nearest candidates of each question, at most `most`.

    Args:
        memory: Stored in an app of its own.
        embedder: As in the settings: None for the bundled one, or `none`.
        draft: Returns the draft of an entry.
        most: Candidates per question.
    """
    scope = Scope(EVERYBODY)
    with fill_app(memory.entries, embedder=embedder, draft=draft) as app:
        for case in app.same_in(memory.questions):
            found = app.services.parts.recall(Question(case.question), scope)[:most]
            yield CaseFeatures(case, memory.weight, {app.names[one.entry.id]: one.scores for one in found})
