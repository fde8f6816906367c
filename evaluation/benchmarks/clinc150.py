"""CLINC150 (Larson et al., 2019): 150 intents and questions that belong to none, as a benchmark of decisions.

An entry stands for an intent; it is stored for one question of the split `train`, or for several, and is right for
every question of `val` with the intent. The out-of-scope questions of `val` need no entry. Those of `train` are left to
the fit of the gate (`python -m tools.gate.fit_gate`), and the split `test` is not read. The data set is not part of
this repository: see `WHERE`.
"""

import json
from pathlib import Path
from random import Random
from typing import TypeAlias

from evaluation.cases import UNRELATED, Benchmark, Case, Stored
from evaluation.reading import BadInput, read_text

FILES = ("data_full.json", "dev.json")
WHERE = "It is data/data_full.json of the repository clinc/oos-eval (CLINC150, licence CC BY 3.0)."
_SPLITS = ("train", "val", "oos_val")

Split: TypeAlias = list[tuple[str, str]]
"""Questions, each with its intent."""


def read_clinc150(folder: Path) -> dict[str, Split]:
    """The splits that are used, by name.

    Raises:
        BadInput: the file is not there, or is another one.
    """
    path = next((folder / name for name in FILES if (folder / name).is_file()), None)
    if path is None:
        raise BadInput(f"{folder} has no file {' or '.join(FILES)}. {WHERE}")
    try:
        data = json.loads(read_text(path))
        splits = {name: [(str(question), str(intent)) for question, intent in data[name]] for name in _SPLITS}
    except (ValueError, TypeError, KeyError, RecursionError):
        lists = f"lists of [question, intent] named {', '.join(_SPLITS)}"
        raise BadInput(f"{path} does not hold {lists}. {WHERE}") from None
    if not splits["train"] or not splits["val"]:
        raise BadInput(f"{path} holds no questions. {WHERE}")
    return splits


def clinc150(splits: dict[str, Split], stored: int, seed: int) -> Benchmark:
    """The benchmark, each intent stored for so many questions; a seed samples the same."""
    random = Random(seed)  # noqa: S311  a repeatable choice is wanted
    names = sorted({intent for _, intent in splits["train"]})
    random.shuffle(names)
    by_intent: dict[str, list[str]] = {name: [] for name in names}
    for question, intent in splits["train"]:
        by_intent[intent].append(question)
    entries = tuple(entry_of(name, questions, stored, random) for name, questions in by_intent.items())
    asked = [Case(text, intent, "intent") for text, intent in splits["val"] if intent in by_intent]
    asked += [Case(text, None, UNRELATED) for text, _ in splits["oos_val"]]
    return Benchmark(entries, tuple(asked))


def entry_of(intent: str, questions: list[str], stored: int, random: Random) -> Stored:
    """An entry for an intent, stored for a sample of its questions.

    Raises:
        BadInput: there are too few.
    """
    distinct = list(dict.fromkeys(questions))
    if len(distinct) < stored:
        raise BadInput(f'The intent "{intent}" has {len(distinct)} questions, fewer than the {stored} to be stored.')
    return Stored(intent, tuple(random.sample(distinct, stored)), said_of(intent))


def said_of(intent: str) -> str:
    """What a person says who means an intent."""
    return f"this is about: {' '.join(intent.replace('_', ' ').split()).casefold()}"
