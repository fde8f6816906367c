"""Public data sets as benchmarks of decisions: CLINC150 and Hinglish-TOP. Neither is part of this repository.

CLINC150 (Larson et al., 2019): an entry stands for one of 150 intents; it is stored for one question of the split
`train`, or for several, and is right for every question of `val` with the intent. The out-of-scope questions of `val`
need no entry. Those of `train` are left to the fit of the gate (`python -m tools.gate.fit_gate`); `test` is not read.

Hinglish-TOP (Agarwal et al., 2022): requests in English and the same in code-mixed Hindi; memory is in one language,
questions are in the other. An entry is one request of the validation split, and right for its own translation only; as
many other requests have no entry, and of requests with the same parse only one is taken. Nothing else is read.
"""

import csv
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TypeAlias

from pydantic import BaseModel

from evaluation.decisions.benchmark import EVERYDAY, Benchmark, Case, Stored
from evaluation.harness.dataset import BadInput, Dataset, read_text

CLINC150 = Dataset(
    "clinc150", BaseModel, ("train", "val", "oos_val"), "data_full.json", "CC BY 3.0",
    "data/data_full.json of the repository clinc/oos-eval",
)  # fmt: skip
HINGLISH_TOP = Dataset(
    "hinglish-top", BaseModel, ("validation",), "{split}.tsv", "Apache-2.0",
    "the human-annotated splits of the repository google-research-datasets/Hinglish-TOP-Dataset",
)  # fmt: skip
_COLUMNS = ("en_query", "cs_query", "en_parse")
_LABEL = re.compile(r"\[IN:(\w+)")

Split: TypeAlias = list[tuple[str, str]]
"""Questions, each with its intent."""


def read_clinc150(folder: Path) -> dict[str, Split]:
    """Return the splits that are used, by name. Raises BadInput."""
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


def clinc150(splits: dict[str, Split], stored: int, seed: int) -> Benchmark:
    """Return the benchmark with so many questions stored per intent. Raises BadInput: an intent has too few."""
    random = Random(seed)  # noqa: S311  a repeatable choice is wanted
    names = sorted({intent for _, intent in splits["train"]})
    random.shuffle(names)
    by_intent: dict[str, list[str]] = {name: [] for name in names}
    for question, intent in splits["train"]:
        by_intent[intent].append(question)
    entries = tuple(_entry_of(name, questions, stored, random) for name, questions in by_intent.items())
    asked = [Case(text, intent, "intent") for text, intent in splits["val"] if intent in by_intent]
    asked += [Case(text, None, EVERYDAY) for text, _ in splits["oos_val"]]
    return Benchmark(f"CLINC150, {stored} stored per intent, seed {seed}", entries, tuple(asked))


def _entry_of(intent: str, questions: Sequence[str], stored: int, random: Random) -> Stored:
    distinct = list(dict.fromkeys(questions))
    if len(distinct) < stored:
        raise BadInput(f'The intent "{intent}" has {len(distinct)} questions, fewer than the {stored} to be stored.')
    return Stored(intent, tuple(random.sample(distinct, stored)), said_of(intent))


def said_of(intent: str) -> str:
    """Return the words of a user who means an intent."""
    return f"this is about: {' '.join(intent.replace('_', ' ').split()).casefold()}"


@dataclass(frozen=True, slots=True)
class Request:
    """One request of Hinglish-TOP in both languages."""

    english: str
    mixed: str  # in code-mixed Hindi
    intent: str  # the first label of its parse
    says: str  # its parse without the words that fill no slot; the same where two requests say the same

    def text(self, lang: str) -> str:
        return self.english if lang == "en" else self.mixed


def hinglish_top(folder: Path, entries: int, seed: int) -> Iterator[Benchmark]:
    """Yield the benchmark in both directions. Raises BadInput."""
    requests = _read_requests(folder / "validation.tsv")
    for memory, asked in (("en", "hinglish"), ("hinglish", "en")):
        yield translations(f"memory in {memory}, questions in {asked}", requests, entries, memory, asked, seed)


def translations(
    title: str, validation: Sequence[Request], entries: int, memory: str, asked: str, seed: int
) -> Benchmark:
    """Return the benchmark in which each of `entries` requests is an entry. Raises BadInput: there are too few."""
    different = list({request.says: request for request in reversed(validation)}.values())
    if len(different) < 2 * entries:
        raise BadInput(f"There are {len(different)} different requests, fewer than two times {entries}.")
    sample = Random(seed).sample(different, 2 * entries)  # noqa: S311
    stored, others = sample[:entries], sample[entries:]
    known = tuple(Stored(number, (one.text(memory),), said_of(one.intent)) for number, one in enumerate(stored))
    cases = [Case(one.text(asked), number, "translation", asked) for number, one in enumerate(stored)]
    cases += [Case(one.text(asked), None, EVERYDAY, asked) for one in others]
    return Benchmark(title, known, tuple(cases))


def _read_requests(path: Path) -> list[Request]:
    """Return the requests of a file, less those that are there twice."""
    if not path.is_file():
        raise BadInput(f"There is no file {path}. It is from {HINGLISH_TOP.source}.")
    rows = csv.DictReader(read_text(path).splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    if not set(_COLUMNS) <= set(rows.fieldnames or ()):
        raise BadInput(f"{path} has no columns {', '.join(_COLUMNS)}. It is from {HINGLISH_TOP.source}.")
    english: dict[str, Request] = {}
    mixed: set[str] = set()
    for row in rows:
        texts = [(row[name] or "").strip() for name in _COLUMNS]
        label = _LABEL.match(texts[2])
        if label is None or not all(texts):
            raise BadInput(f"{path}, line {rows.line_num}: this has no request in both languages with its parse.")
        if texts[0] not in english and texts[1] not in mixed:
            english[texts[0]] = Request(texts[0], texts[1], label[1], _says(texts[2]))
            mixed.add(texts[1])
    return list(english.values())


def _says(parse: str) -> str:
    """Return labels, brackets and the words in slots, of "[IN:SET_ALARM set [SL:DATE_TIME for 7 am ] please ]"."""
    kept: list[str] = []
    within: list[str] = []
    for part in parse.split():
        if part.startswith("["):
            within.append(part)
        elif part == "]" and within:
            within.pop()
        elif not (within and within[-1].startswith("[SL:")):
            continue
        kept.append(part.casefold())
    return " ".join(kept)
