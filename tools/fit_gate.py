"""Fits the gate: `python -m tools.fit_gate` writes assistant/gate.json and docs/pictures/gate_reliability.svg.

The data is described in `tools/gate_data.py`: memories of clarifications with questions that need one, look-alikes and
everyday questions. For each kind of evidence (the question alone, several questions, further keys of a model) and each
embedder, an additive logistic regression is fitted on the nearest candidate of every question. The curve of what speaks
for an entry never falls, of what speaks against it never rises (`memory_store.features.AGAINST`). `behind`, how far a
candidate lies behind the nearest, is fitted last, on the other candidates. The table comes from cross-validation by
entry: all questions that were written for an entry are held out together with it. The third decision set is never
fitted on; the table has it by the fit on all else. The thresholds follow from costs: `use` where a wrong splice,
`offer` where a useless note, would cost less than a miss.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from assistant.gate import DATA, NO_EMBEDDER, Evidence
from assistant.types import Kind
from memory_store.embedder import BUNDLED, SentenceEmbedder, choose_embedder
from memory_store.glossed import for_memory
from tools.gate_data import Remembered, asked_again, decisions, intents, ways_to_ask, word_pairs
from tools.gate_features import candidates_of
from tools.gate_picture import reliability
from tools.gate_regression import Curves, Outcome, Pairs, applied, fit, held_out, quality

PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "gate_reliability.svg"
# Set so that on held-out entries one in twenty look-alikes gets a splice.
COSTS = {"wrong splice": 3.3, "miss": 1.0, "useless note": 0.09}
# No data says these yet. The very same question is a sure match.
BY_HAND = {"own": 0.3, "helped": 1.0, "helped_like": 2.0, "hurt": -3.0, "hurt_like": -4.0, "same": 8.0}
MOST_USES, MOST_OFFERS = 2, 5
INTENTS_ASKED = 900
WAYS_SEEDS = (1, 2, 3, 4)  # which ways were not understood at all is a matter of chance, and differs much


def memories(clinc150: Path) -> dict[Evidence, list[Remembered]]:
    """The data for each kind of evidence.

    What is outside of all intents counts more than its small number would: it is what most questions are like.
    """
    plain = [decisions("first", keys=False), decisions("second", keys=False)]
    words = word_pairs()
    ways = [ways_to_ask(seed) for seed in WAYS_SEEDS]
    several = intents(clinc150, 5, INTENTS_ASKED)
    further = intents(clinc150, 5, INTENTS_ASKED, further=True)
    return {
        Evidence.QUESTION: [
            *plain,
            words.weighing(2.0),
            *(memory.weighing(3.0) for memory in ways),
            intents(clinc150, 1, INTENTS_ASKED),
        ],
        Evidence.QUESTIONS: [
            *(asked_again(memory, 2) for memory in plain),
            asked_again(words, 1),
            *(asked_again(memory, 1) for memory in ways),
            several.only("yes").weighing(5.0),
            several.only("everyday").weighing(12.0),
        ],
        Evidence.FURTHER: [
            *(decisions(name, keys=True).weighing(2.0) for name in ("first", "second")),
            ways_to_ask(1, keys=True).weighing(0.3),
            further.only("yes").weighing(0.5),
            further.only("everyday").weighing(1.0),
        ],
    }


def untouched() -> dict[Evidence, Remembered]:
    """What nothing is fitted on, for each kind of evidence that it can have."""
    return {
        Evidence.QUESTION: decisions("third", keys=False),
        Evidence.FURTHER: decisions("third", keys=True),
    }


def thresholds() -> tuple[float, float]:
    """Where the expected costs of doing it and of leaving it are the same, for `use` and `offer`."""
    use = COSTS["wrong splice"] / (COSTS["wrong splice"] + COSTS["miss"])
    offer = COSTS["useless note"] / (COSTS["useless note"] + COSTS["miss"])
    return round(use, 3), round(offer, 3)


def calibration(intercept: float, curves: Curves) -> dict[str, object]:
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


def measure(pairs: Sequence[Pairs], outcomes: Mapping[str, Outcome]) -> dict[str, dict[str, float]]:
    """Memory to how good the decisions on it would have been, on entries that the fit had not seen.

    Parts of a memory that count differently in the fit are measured together, as they are asked.
    """
    use, _ = thresholds()
    memories: dict[str, list[Remembered]] = defaultdict(list)
    for each in pairs:
        memories[each.memory.whole or each.memory.name].append(each.memory)
    return {
        name: quality(
            [question for part in parts for question in part.questions],
            Outcome(
                np.concatenate([outcomes[part.name].probability for part in parts]),
                np.concatenate([outcomes[part.name].right for part in parts]),
            ),
            use,
        )
        for name, parts in memories.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clinc150", type=Path, required=True, help="folder with CLINC150 as dev.json")
    parser.add_argument("--out", type=Path, default=DATA, help="the file to write (default: the gate's own)")
    arguments = parser.parse_args()
    data = memories(arguments.clinc150)
    calibrations: dict[str, dict[str, object]] = {NO_EMBEDDER: {}, BUNDLED: {}}
    measured: dict[str, dict[str, dict[str, dict[str, float]]]] = {NO_EMBEDDER: {}, BUNDLED: {}}
    curves = {}
    for name, embedder in ((NO_EMBEDDER, None), (BUNDLED, for_memory(SentenceEmbedder(choose_embedder(BUNDLED))))):
        for evidence, remembered in data.items():
            pairs = [Pairs.of(memory, candidates_of(memory, embedder)) for memory in remembered]
            outcomes = held_out(pairs)
            intercept, fitted = fit(pairs)
            calibrations[name][evidence] = calibration(intercept, fitted)
            if evidence in (others := untouched()):
                other = Pairs.of(others[evidence], candidates_of(others[evidence], embedder))
                pairs.append(other)
                outcomes[other.memory.name] = applied(other, intercept, fitted)
            measured[name][evidence] = measure(pairs, outcomes)
            curves[f"{name}, {evidence}"] = list(outcomes.values())
            for memory, numbers in measured[name][evidence].items():
                print(f"{name}, {evidence}, {memory}")
                print("  " + ", ".join(f"{key} {value:.3f}" for key, value in numbers.items()))
    file = {
        "how": {
            "command": "python -m tools.fit_gate --clinc150 FOLDER",
            "costs": COSTS,
            "by_hand": sorted(BY_HAND),
            "held_out": measured,
        },
        "most_uses": MOST_USES,
        "most_offers": MOST_OFFERS,
        "calibrations": {Kind.CLARIFICATION: calibrations},
    }
    arguments.out.write_text(json.dumps(file, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    PICTURE.write_text(reliability(curves), encoding="utf-8")


if __name__ == "__main__":
    main()
