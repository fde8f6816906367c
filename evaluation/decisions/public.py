"""CLINC150 (Larson et al., 2019) as a benchmark of decisions. It is not part of this repository.

An entry stands for one of 150 intents; it is stored for one or more questions of the split `train`, and is right for
every question of `val` with the intent. The out-of-scope questions of `val` need no entry. The gate is fitted on those
of `train` (`python -m tools.gate.fit_gate`); `test` is not read.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import TypeAlias

from pydantic import BaseModel

from evaluation.decisions.benchmark import EVERYDAY, Benchmark, DecisionCase, StoredEntry
from evaluation.harness.dataset import BadInput, Dataset, read_text

CLINC150 = Dataset(
    "clinc150", BaseModel, ("train", "val", "oos_val"), "data_full.json", "CC BY 3.0",
    "data/data_full.json of the repository clinc/oos-eval",
)  # fmt: skip

Split: TypeAlias = list[tuple[str, str]]
"""Questions with their intents."""


def read_clinc150(folder: Path) -> dict[str, Split]:
    """Return the splits by name. Raises BadInput."""
    path = next((folder / name for name in ("data_full.json", "dev.json") if (folder / name).is_file()), None)
    if path is None:
        raise BadInput(f"{folder} has no file data_full.json or dev.json. It is {CLINC150.source}.")
    try:
        data = json.loads(read_text(path))
        splits = {name: [(str(text), str(intent)) for text, intent in data[name]] for name in CLINC150.splits}
    except (ValueError, TypeError, KeyError, RecursionError):
        splits = {"train": [], "val": []}
    if not splits["train"] or not splits["val"]:
        raise BadInput(f"{path} does not hold lists of [question, intent]. It is {CLINC150.source}.")
    return splits


def build_clinc150(splits: dict[str, Split], stored: int, seed: int) -> Benchmark:
    """Return the benchmark with `stored` questions per intent. Raises BadInput if an intent has fewer."""
    random = Random(seed)  # noqa: S311  a repeatable choice is wanted
    names = sorted({intent for _, intent in splits["train"]})
    random.shuffle(names)
    by_intent: dict[str, list[str]] = {name: [] for name in names}
    for question, intent in splits["train"]:
        by_intent[intent].append(question)
    entries = tuple(_build_entry(name, questions, stored, random) for name, questions in by_intent.items())
    asked = [DecisionCase(text, intent, "intent") for text, intent in splits["val"] if intent in by_intent]
    asked += [DecisionCase(text, None, EVERYDAY) for text, _ in splits["oos_val"]]
    return Benchmark(f"CLINC150, {stored} stored per intent, seed {seed}", entries, tuple(asked))


def _build_entry(intent: str, questions: Sequence[str], stored: int, random: Random) -> StoredEntry:
    distinct = list(dict.fromkeys(questions))
    if len(distinct) < stored:
        raise BadInput(f'The intent "{intent}" has {len(distinct)} questions, fewer than the {stored} to be stored.')
    return StoredEntry(intent, tuple(random.sample(distinct, stored)), build_feedback(intent))


def build_feedback(intent: str) -> str:
    """Return feedback that names an intent."""
    return f"this is about: {' '.join(intent.replace('_', ' ').split()).casefold()}"
