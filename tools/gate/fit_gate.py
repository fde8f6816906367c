"""Fit the gate: `python -m tools.gate.fit_gate --clinc150 FOLDER` writes `gate.json`.

`evaluation/gate/` describes the data and the fit. `python -m evaluation run decisions` measures the gate on other data.
"""

import json
from pathlib import Path
from typing import Annotated

import typer

from assistant.gate.gate import DATA
from assistant.kinds import CLARIFICATION, FACT
from evaluation.gate.facts import fit_fact_regressions
from evaluation.gate.fitting import BY_HAND, COSTS, fit_regressions, load_memories

MOST_USES, MOST_OFFERS, MOST_FACTS = 2, 5, 5


def main(
    clinc150: Annotated[Path, typer.Option(help="Folder with CLINC150 as dev.json.")],
    out: Annotated[Path, typer.Option(help="The file to write.")] = DATA,
) -> None:
    """Fit the gate."""
    regressions = {
        CLARIFICATION.name: fit_regressions(load_memories(clinc150)),
        FACT.calibration: fit_fact_regressions(),
    }
    how = {"command": "python -m tools.gate.fit_gate --clinc150 FOLDER", "costs": COSTS, "by_hand": sorted(BY_HAND)}
    limits = {"most_uses": MOST_USES, "most_offers": MOST_OFFERS, "most_facts": MOST_FACTS}
    file = {"how": how, **limits, "regressions": regressions}
    out.write_text(json.dumps(file, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
