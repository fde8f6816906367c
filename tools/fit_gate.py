"""Fits the gate: `python -m tools.fit_gate` writes assistant/gate.json and docs/pictures/gate_reliability.svg.

The data is described in `tools/gate_data.py`: memories of clarifications with questions that need one, look-alikes and
everyday questions. For each kind of evidence (the question alone, several questions, further keys of a model) and each
embedder, a logistic regression is fitted on the nearest candidate of every question. What speaks for an entry has no
weight below 0, what speaks against it none above (`memory_store.features.AGAINST`). `behind`, how far a candidate lies
behind the nearest, is fitted last, on the other candidates. The table comes from cross-validation by entry: all
questions that were written for an entry are held out together with it. The thresholds follow from costs: `use` where a
wrong splice, `offer` where a useless note, would cost less than a miss.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from assistant.gate import DATA, NO_EMBEDDER, Evidence
from assistant.ports import Embedder
from assistant.types import Kind
from memory_store.embedder import BUNDLED, SentenceEmbedder, choose_embedder
from memory_store.glossed import for_memory
from tools.gate_data import Remembered, asked_again, decisions, intents, word_pairs
from tools.gate_features import candidates_of
from tools.gate_picture import reliability
from tools.gate_regression import Pairs, fit, held_out, quality

PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "gate_reliability.svg"
# A model that wrote further keys also chooses among the notes that are offered, so that a miss of the gate may still be
# made good; without one it is final.
COSTS = {
    Evidence.QUESTION: {"wrong splice": 3.0, "miss": 1.0},
    Evidence.QUESTIONS: {"wrong splice": 3.0, "miss": 1.0},
    Evidence.FURTHER: {"wrong splice": 4.0, "miss": 1.0},
}
USELESS_NOTE = 0.04  # costs so much of a miss
# No data says these yet. One "leave it out" takes a sure match to an offer; the very same question is a sure match.
BY_HAND = {"own": 0.3, "helped": 1.0, "helped_like": 2.0, "hurt": -6.0, "hurt_like": -12.0, "same": 8.0}
MOST_USES, MOST_OFFERS = 2, 5
INTENTS_ASKED = 900


def memories(clinc150: Path) -> dict[Evidence, list[Remembered]]:
    """The data for each kind of evidence."""
    plain = [decisions("first", keys=False), decisions("second", keys=False)]
    words = word_pairs()
    return {
        Evidence.QUESTION: [*plain, words.weighing(3.0), intents(clinc150, 1, INTENTS_ASKED).weighing(0.5)],
        Evidence.QUESTIONS: [
            *(asked_again(memory, 2) for memory in plain),
            asked_again(words, 1),
            intents(clinc150, 5, INTENTS_ASKED).weighing(5.0),
        ],
        Evidence.FURTHER: [decisions(name, keys=True) for name in ("first", "second")],
    }


def thresholds(evidence: Evidence) -> tuple[float, float]:
    """Where the expected costs of doing it and of leaving it are the same, for `use` and `offer`."""
    costs = COSTS[evidence]
    use = costs["wrong splice"] / (costs["wrong splice"] + costs["miss"])
    return round(use, 3), round(USELESS_NOTE / (USELESS_NOTE + costs["miss"]), 3)


def calibrate(evidence: Evidence, pairs: Sequence[Pairs]) -> dict[str, object]:
    """One calibration, as it stands in the file."""
    intercept, weights = fit(pairs)
    use, offer = thresholds(evidence)
    return {
        "intercept": round(intercept, 3),
        "weights": {name: round(value, 3) for name, value in weights.items() if round(value, 3)} | BY_HAND,
        "use": use,
        "offer": offer,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clinc150", type=Path, required=True, help="folder with CLINC150 as dev.json")
    parser.add_argument("--out", type=Path, default=DATA, help="the file to write (default: the gate's own)")
    arguments = parser.parse_args()
    data = memories(arguments.clinc150)
    calibrations: dict[str, dict[str, object]] = {}
    measured: dict[str, dict[str, object]] = {}
    curves = {}
    for name, embedder in ((NO_EMBEDDER, None), (BUNDLED, _bundled())):
        calibrations[name], measured[name] = {}, {}
        for evidence, remembered in data.items():
            pairs = [Pairs.of(memory, candidates_of(memory, embedder)) for memory in remembered]
            calibrations[name][evidence] = calibrate(evidence, pairs)
            outcomes = held_out(pairs)
            use, offer = thresholds(evidence)
            measured[name][evidence] = {
                each.memory.name: quality(each, outcomes[each.memory.name], use) for each in pairs
            }
            curves[f"{name}, {evidence}"] = [(outcomes[each.memory.name]) for each in pairs]
            _print(name, evidence, measured[name][evidence])
    how = {
        "command": "python -m tools.fit_gate --clinc150 FOLDER",
        "costs": {evidence: costs | {"useless note": USELESS_NOTE} for evidence, costs in COSTS.items()},
        "by_hand": sorted(BY_HAND),
        "held_out": measured,
    }
    file = {
        "how": how,
        "most_uses": MOST_USES,
        "most_offers": MOST_OFFERS,
        "calibrations": {Kind.CLARIFICATION: calibrations},
    }
    arguments.out.write_text(json.dumps(file, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    PICTURE.write_text(reliability(curves), encoding="utf-8")


def _bundled() -> Embedder | None:
    return for_memory(SentenceEmbedder(choose_embedder(BUNDLED)))


def _print(embedder: str, evidence: Evidence, measured: object) -> None:
    assert isinstance(measured, Mapping)
    for memory, numbers in measured.items():
        print(f"{embedder}, {evidence}, {memory}")
        print("  " + ", ".join(f"{name} {value:.3f}" for name, value in numbers.items()))


if __name__ == "__main__":
    main()
