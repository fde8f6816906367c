"""Fits the gate: `python -m tools.gate.fit_gate --clinc150 FOLDER` writes `gate.json`.

What is fitted on what is said in `evaluation/gate/`. How good it is on what it was not fitted on, and what each feature
is worth, says `python -m evaluation ablation`.
"""

import json
from pathlib import Path
from typing import Annotated

import typer

from assistant.choose.gate import DATA, NO_EMBEDDER
from assistant.kinds import CLARIFICATION, FACT
from evaluation.facts.fitting import fact_calibrations
from evaluation.facts.sets import fact_set
from evaluation.gate.fitting import BY_HAND, COSTS, bundled, calibration, candidates_of, memories
from evaluation.gate.regression import Pairs, fit
from memory_store.embedding.embedder import BUNDLED

MOST_USES, MOST_OFFERS, MOST_FACTS = 2, 5, 5


def main(
    clinc150: Annotated[Path, typer.Option(help="Folder with CLINC150 as dev.json.")],
    out: Annotated[Path, typer.Option(help="The file to write.")] = DATA,
) -> None:
    """Fit the gate."""
    data = memories(clinc150)
    embedders = {NO_EMBEDDER: None, BUNDLED: bundled()}
    file = {
        "how": {
            "command": "python -m tools.gate.fit_gate --clinc150 FOLDER",
            "costs": COSTS,
            "by_hand": sorted(BY_HAND),
        },
        "most_uses": MOST_USES,
        "most_offers": MOST_OFFERS,
        "most_facts": MOST_FACTS,
        "calibrations": {
            CLARIFICATION.name: {
                name: {
                    evidence: calibration(*fit([Pairs.of(memory, candidates_of(memory, embedder)) for memory in some]))
                    for evidence, some in data.items()
                }
                for name, embedder in embedders.items()
            },
            FACT.calibration: {
                name: fact_calibrations(fact_set("fit"), embedder) for name, embedder in embedders.items()
            },
        },
    }
    out.write_text(json.dumps(file, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
