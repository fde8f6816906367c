"""The gate fitted for one embedder from the data that comes with the app, and compared with that of the bundled one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import mean
from typing import Any

from assistant.choose.gate import Fitted, Gate
from assistant.kinds import CLARIFICATION, FACT
from assistant.memllm.sheet import Profile
from assistant.ports import Embedder
from assistant.reports.upkeep import Progress
from assistant.settings import Settings
from evaluation.embedders.profiles import fitted_profiles
from evaluation.embedders.results import USUAL_EVERY, Comparison, Fitting
from evaluation.embedders.standard import Remembering, answered, row, worded_once
from evaluation.facts import fitting as facts
from evaluation.facts.sets import fact_set
from evaluation.gate.data import Remembered, decisions, one_of
from evaluation.gate.fitting import LOADING_SECONDS, bundled, calibration, candidates_of, shipped
from evaluation.gate.regression import Pairs, fit
from memory_store.embedding.embedder import BUNDLED, EmbedderChoice
from memory_store.embedding.in_use import fittable, fitted_file, opened
from memory_store.embedding.reading import TranslatedEmbedder
from memory_store.embedding.standard import Scale, StandardScale, as_they_are
from memory_store.index.key_matrix import Part
from memory_store.turns.spending import spending_of

SETS = ("third", "fourth", "fifth", "scripts")
"""The packaged sets that nothing is fitted on."""


def fit_embedder(settings: Settings, name: str, every: int, told: Progress, sets: Sequence[str] = ()) -> Fitting:
    """Fit gate and profiles for the embedder of this name, keep them in the home, and say how the gate does.

    Texts are read to it as they are or in English, whichever is better on these sets before it is fitted. One of
    `every` questions is fitted on, and where these are few, fewer are asked as well. `told` hears how far it is. What
    was kept before stays until the very end, however this ends.

    Raises:
        InputError: there is no such embedder, or it is the bundled one, whose fit comes with the app.
        NotedError: it fails.
    """
    choice = fittable(settings, name)
    with spending_of(settings) as spending, worded_once():
        embedder = opened(choice, settings, lambda: spending, LOADING_SECONDS)
        assert embedder is not None, "a choice with a model"  # noqa: S101
        asked = [one_of(decisions(one, keys=False), max(1, every // USUAL_EVERY)) for one in sets or SETS]
        as_it_is: Embedder = Remembering(embedder)
        in_english = TranslatedEmbedder(as_it_is)
        before = _before(as_it_is, asked, told), _before(in_english, asked, told)
        kept = in_english if before[1] > before[0] else as_it_is
        scale = StandardScale(kept)
        calibrations = {
            CLARIFICATION.name: dict(_by_evidence(kept, scale, every, told)),
            FACT.calibration: facts.by_evidence(
                _fitted(kept, scale, facts.memories(fact_set("fit")), Part.ASSERTED, told)
            ),
        }
        found = Fitting(*before, list(_compared(kept, scale, calibrations, asked, told)))
        profiles = fitted_profiles(kept, bundled())
    _keep(fitted_file(choice, settings.home), choice, calibrations, profiles, found)
    return found


def _before(embedder: Embedder, sets: Sequence[Remembered], told: Progress) -> float:
    """The mean best F1 of one that nothing was fitted for."""
    gate, scale, found = Gate.from_file(embedder.name), StandardScale(embedder), []
    for memory in sets:
        told(f"Trying how it is read to on the {memory.name} set…")
        found.append(row(gate, answered(memory, embedder, scale)).f1)
    return mean(found)


def _by_evidence(embedder: Embedder, scale: Scale, every: int, told: Progress) -> Iterator[tuple[str, Any]]:
    for evidence, data in shipped().items():
        told(f"Fitting what is found by {evidence}…")
        yield evidence.value, _fitted(embedder, scale, [one_of(memory, every) for memory in data], Part.SAID, told)


def _fitted(embedder: Embedder, scale: Scale, data: Sequence[Remembered], part: Part, told: Progress) -> dict[str, Any]:
    pairs = []
    for memory in data:
        told(f"Comparing {len(memory.questions):,} questions of {memory.name}…")
        pairs.append(Pairs.of(memory, candidates_of(memory, embedder, part, scale=scale)))
    return calibration(*fit(pairs))


def _compared(
    embedder: Embedder, scale: Scale, fitted: Fitted, sets: Sequence[Remembered], told: Progress
) -> Iterator[Comparison]:
    ours = Gate.from_file(embedder.name, fitted=fitted)
    theirs, gate = bundled(), Gate.from_file(BUNDLED)
    for memory in sets:
        told(f"Trying it on the {memory.name} set…")
        found = row(ours, answered(memory, embedder, scale))
        yield Comparison(memory.name, found, row(gate, answered(memory, theirs, as_they_are)))


def _keep(
    file: Path, choice: EmbedderChoice, calibrations: Fitted, profiles: Mapping[str, Profile], found: Fitting
) -> None:
    """All at once, so that whoever is stopped leaves what was there."""
    content = {
        "embedder": choice.name,
        "english": found.english,
        "calibrations": calibrations,
        "profiles": {name: asdict(profile) for name, profile in profiles.items()},
        "found": asdict(found),
    }
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    part.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    part.replace(file)
