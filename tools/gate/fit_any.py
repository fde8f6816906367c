"""Fits the gate for any embedder: `python -m tools.gate.fit_any --clinc150 FOLDER --trial FOLDER`.

What it finds is added to `gate.json`.
It is fitted on several embedders together (`evaluation.embedders.trial`, and the bundled one), over similarities on the
scale that all share (`memory_store.embedding.standard`). All else in the file stays as it is, byte for byte.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from assistant.choose.gate import ANY_EMBEDDER, DATA
from assistant.kinds import CLARIFICATION, FACT
from assistant.ports import Embedder
from evaluation.embedders.standard import Remembering, loaded, worded_once
from evaluation.embedders.trial import CROWDED
from evaluation.facts import fitting as facts
from evaluation.facts.sets import fact_set
from evaluation.gate.data import Remembered, one_of
from evaluation.gate.fitting import calibration, candidates_of, memories
from evaluation.gate.regression import Pairs, fit
from memory_store.embedding.standard import StandardScale
from memory_store.index.key_matrix import Part


def main(
    clinc150: Annotated[Path, typer.Option(help="Folder with CLINC150 as dev.json.")],
    trial: Annotated[Path, typer.Option(help="Folder for the embedders to try with.")],
    every: Annotated[int, typer.Option(min=1, help="Fit on one of so many questions.")] = 4,
    out: Annotated[Path, typer.Option(help="The file to add to.")] = DATA,
) -> None:
    """Fit the gate for any embedder."""
    kept = [Remembering(embedder) for name, embedder in loaded(trial).items() if name != CROWDED]
    with worded_once():
        clarifications = {
            evidence: _fitted(kept, [one_of(memory, every) for memory in some], Part.SAID)
            for evidence, some in memories(clinc150).items()
        }
        known = _fitted(kept, facts.memories(fact_set("fit")), Part.ASSERTED)
    file = json.loads(out.read_text(encoding="utf-8"))
    file["calibrations"][CLARIFICATION.name][ANY_EMBEDDER] = clarifications
    file["calibrations"][FACT.calibration][ANY_EMBEDDER] = facts.by_evidence(known)
    out.write_text(json.dumps(file, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _fitted(embedders: Sequence[Embedder], data: Sequence[Remembered], part: Part) -> dict[str, Any]:
    pairs = []
    for embedder in embedders:
        scale = StandardScale(embedder)
        pairs += [Pairs.of(memory, candidates_of(memory, embedder, part, scale=scale)) for memory in data]
    return calibration(*fit(pairs))


if __name__ == "__main__":
    typer.run(main)
