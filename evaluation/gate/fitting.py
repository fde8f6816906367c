"""Fit the gate: `python -m evaluation.gate.fitting --clinc150 FOLDER` writes `gate.json`.

For each kind of evidence (letters alone, original questions, model-written keys), a logistic regression is fitted on
the nearest candidates of every question, labelled as wanted or not. Each feature has a piecewise linear curve that
never falls; for features against an entry, it never rises. Thresholds follow from costs: `use` where a wrong splice
would cost less than a miss, `offer` where a useless note would. `python -m evaluation run decisions` measures on other
data.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeAlias

import numpy as np
import typer
from numpy.typing import NDArray
from scipy.optimize import minimize

from assistant.gate.gate import DATA, Evidence
from assistant.kinds import CLARIFICATION, FACT
from assistant.limits import Limits
from assistant.papers.teachme.facts import fact
from assistant.types import NewEntry, Question, Scope
from evaluation.decisions.benchmark import EVERYBODY, Benchmark, DecisionCase, Id, StoredEntry
from evaluation.decisions.misunderstandings import load_decision_set
from evaluation.decisions.run import build_draft, fill_app
from evaluation.gate.data import load_fact_memories, load_intents
from evaluation.harness.dataset import DATA as WRITTEN
from evaluation.harness.simulated_user import NO_TURN
from memory_store.embedding.embedder import NONE

Floats: TypeAlias = NDArray[np.float64]
PIECES = 6  # per curve
PENALTY = 5.0
AGAINST = frozenset({"copied"})
"""Features that lower the probability."""
_LEAST_SPREAD = 0.1  # lowest standard deviation for the penalty, for pieces that few questions reach
FEATURES: Mapping[Evidence, Sequence[str]] = {
    Evidence.LETTERS: ("near", "way"),
    Evidence.ASKED: ("near", "way"),
    Evidence.WRITTEN: ("middle", "all_letters", "copied", "spelling", "written", "named"),
}
"""Features of the gate; docs/decisions/0052 compares others."""
# With these costs, one in twenty look-alikes gets a splice on held-out entries.
COSTS = {"wrong splice": 3.7, "miss": 1.0, "useless note": 0.09}
BY_HAND = {"same": 8.0, "own": 0.3, "helped": 1.0}
"""Weights without data, for a feature of 1: the same question is a sure match."""
INTENTS_ASKED = 900
WAYS = ("ways-1", "ways-2", "ways-3", "ways-4")  # results vary by which ways were never understood
FOLDER = WRITTEN / "fitting"
FACT_FEATURES = ("near", "letters")
FACT_OFFER = 0.15
"""Lowest probability to offer a fact, see docs/decisions/0042."""
LIMITS = {"most_uses": 2, "most_offers": 5, "most_facts": 5}
EMBEDDERS = {Evidence.LETTERS: NONE, Evidence.ASKED: None, Evidence.WRITTEN: None}


class CaseFeatures(NamedTuple):
    """A question with its weight, and the features of its candidates by entry."""

    case: DecisionCase
    weight: float
    candidates: Mapping[Id, Mapping[str, float]]


@dataclass(frozen=True)
class Pairs:
    """Candidates of the questions of some memories; `table` has shape (pairs, names), the others (pairs,)."""

    names: tuple[str, ...]
    table: Floats
    wanted: Floats  # 1 if the entry is wanted, else 0
    weight: Floats

    @classmethod
    def of(cls, names: Sequence[str], judged: Iterable[CaseFeatures]) -> Pairs:
        """Make pairs of all candidates that are wanted or wrong."""
        rows = [
            ([scores.get(name, 0.0) for name in names], float(entry == one.case.applies), one.weight)
            for one in judged
            for entry, scores in one.candidates.items()
            if entry not in one.case.as_good
        ]
        table, wanted, weight = zip(*rows, strict=True)
        return cls(tuple(names), np.array(table), np.array(wanted), np.array(weight))


def fit(pairs: Pairs) -> tuple[float, dict[str, list[float]]]:
    """Return the intercept and the curves that minimise the penalised loss."""
    pieces = np.clip(pairs.table[:, :, None] * PIECES - np.arange(PIECES), 0.0, 1.0).reshape(len(pairs.table), -1)
    held = PENALTY * np.maximum(pieces.std(axis=0), _LEAST_SPREAD) ** 2

    def loss(parameters: Floats) -> tuple[float, Floats]:
        odds = parameters[0] + pieces @ parameters[1:]
        error = pairs.weight * (1 / (1 + np.exp(-odds)) - pairs.wanted)
        value = (pairs.weight * (np.logaddexp(0, odds) - pairs.wanted * odds)).sum()
        penalty = held * parameters[1:]
        gradient = np.concatenate([[error.sum()], pieces.T @ error + penalty])
        return float(value + penalty @ parameters[1:] / 2), gradient

    sides = [(None, 0) if name in AGAINST else (0, None) for name in pairs.names]
    bounds = [(None, None), *(side for side in sides for _ in range(PIECES))]
    start = np.zeros(len(bounds))
    found = minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B", options={"maxiter": 3000}).x
    curves = found[1:].reshape(len(pairs.names), PIECES).cumsum(axis=1)
    return float(found[0]), {name: [0.0, *curve.tolist()] for name, curve in zip(pairs.names, curves, strict=True)}


def load_memories(clinc150: Path) -> dict[Evidence, list[Benchmark]]:
    """Return the data for each kind of evidence; CLINC150 is dev.json in its folder.

    `words` has questions about words, by people with individual wordings. Each of `ways` has ways to ask for a word,
    corrected once and asked about other words, with typos, and look-alikes; see decision 23.
    """
    asked = [
        *(load_decision_set(name, keys=False) for name in ("first", "second")),
        replace(load_decision_set("words", folder=FOLDER), weight=2.0),
        *(replace(load_decision_set(name, keys=False, folder=FOLDER), weight=3.0) for name in WAYS),
        load_intents(clinc150, 1, INTENTS_ASKED),
    ]
    written = load_intents(clinc150, 5, INTENTS_ASKED)
    keys = [
        *(replace(load_decision_set(name), weight=2.0) for name in ("first", "second")),
        replace(load_decision_set(WAYS[0], folder=FOLDER), weight=0.3),
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


def fit_fact_regressions() -> dict[str, Any]:
    """Return the regressions for facts, which are found by their text only, and of which the first few are shown."""
    found = {}
    for evidence in (Evidence.LETTERS, Evidence.ASKED):
        judged = (
            one
            for memory in load_fact_memories()
            for one in find_candidates(
                memory,
                EMBEDDERS[evidence],
                lambda told, *_: fact(NO_TURN, told.feedback, told.question),
                LIMITS["most_facts"],
            )
        )
        fitted = format_regression(*fit(Pairs.of(FACT_FEATURES, judged)))
        found[evidence.value] = fitted | {"offer": FACT_OFFER, "show": FACT_OFFER}
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


def main(
    clinc150: Annotated[Path, typer.Option(help="Folder with CLINC150 as dev.json.")],
    out: Annotated[Path, typer.Option(help="The file to write.")] = DATA,
) -> None:
    """Fit the gate."""
    regressions = {
        CLARIFICATION.name: fit_regressions(load_memories(clinc150)),
        FACT.calibration: fit_fact_regressions(),
    }
    command = "python -m evaluation.gate.fitting --clinc150 FOLDER"
    how = {"command": command, "costs": COSTS, "by_hand": sorted(BY_HAND)}
    file = {"how": how, **LIMITS, "regressions": regressions}
    out.write_text(json.dumps(file, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
