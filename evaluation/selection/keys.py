"""Further keys judged by look-alikes: dropped by them, or kept with the look-alikes as what the entry is not for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, StrictInt, StrictStr

from assistant.ports import Embedder
from evaluation.cases import Benchmark, Id, Stored, with_as_good
from evaluation.decisions.metrics import JudgedCase, curve, recall, share
from evaluation.decisions.running import by_gate, decide_all
from evaluation.reading import read_all, read_benchmark
from evaluation.selection.texts import Vectors
from evaluation.store_filling import filled
from memory_store.language.normalize import fold

Floats: TypeAlias = NDArray[np.float32]
LookAlikes: TypeAlias = Mapping[Id, Sequence[str]]
"""Questions that resemble an entry and do not need it, by the entry."""
Numbers: TypeAlias = dict[str, float | None]

MARGINS = (0.0, 0.05, 0.1)
"""How much nearer to the other texts of its entry than to a look-alike a key must be, as a difference of cosines."""
RECALLS = (0.4, 0.6, 0.7, 0.8)


class _Written(BaseModel):
    id: StrictInt | StrictStr
    lookalikes: tuple[str, ...]


class _Asked(BaseModel):
    near: StrictInt | StrictStr | None = None


@dataclass(frozen=True, slots=True)
class Watched:
    """A decision set with keys, and look-alikes of its entries."""

    benchmark: Benchmark
    written: LookAlikes  # by somebody who saw the entries only, without those that the set asks word for word
    own: LookAlikes  # those that the set asks: no keys could be chosen better than by them


def read_watched(folder: Path, name: str) -> Watched:
    """The set of this name in a folder. Raises BadInput."""
    entries, questions, keys, look_alikes = (
        folder / f"{name}_{what}.jsonl" for what in ("entries", "questions", "keys", "lookalikes")
    )
    benchmark = read_benchmark(entries, questions, keys)
    own: defaultdict[Id, list[str]] = defaultdict(list)
    for case, line in zip(benchmark.questions, read_all(questions, _Asked), strict=True):
        if case.is_look_alike and line.near is not None:
            own[line.near].append(case.question)
    asked = {fold(case.question) for case in benchmark.questions}
    written = {
        line.id: [text for text in line.lookalikes if fold(text) not in asked]
        for line in read_all(look_alikes, _Written)
    }
    return Watched(benchmark, written, own)


def measured(watched: Watched, embedder: Embedder) -> Iterator[tuple[str, Numbers]]:
    """What is done with look-alikes, and by that the share of keys kept and of look-alikes spliced at each recall."""
    benchmark, vectors = watched.benchmark, Vectors(embedder, _texts(watched))
    keys = _number_of_keys(benchmark)
    whole = decided(benchmark)
    own_recall = recall(whole) or 0.0

    def numbers(judged: Sequence[JudgedCase], kept: int) -> Numbers:
        spliced = {f"at {wanted:.3f}": look_alikes_at(judged, wanted) for wanted in sorted({*RECALLS, own_recall})}
        return {"keys": share(kept, keys), **spliced}

    yield "all keys", numbers(whole, keys)
    for of, look_alikes in {"written": watched.written, "the set's": watched.own}.items():
        for margin in MARGINS:
            fewer = _with_kept_keys(benchmark, look_alikes, margin, vectors)
            yield f"dropped by {of} look-alikes, margin {margin}", numbers(decided(fewer), _number_of_keys(fewer))
    entries = {entry.id: entry for entry in benchmark.entries}

    def is_for(name: Id, question: str) -> bool:
        own, others = _own_texts(entries[name]), watched.written.get(name, ())
        asked = vectors([question])
        return _nearest(asked, vectors(own))[0] >= _nearest(asked, vectors(others))[0]

    yield "written look-alikes as what it is not for", numbers([only_where(is_for, one) for one in whole], keys)


def decided(benchmark: Benchmark) -> list[JudgedCase]:
    """What recall and gate make of each question."""
    with filled(benchmark.entries) as app:
        questions = with_as_good(benchmark, app.same).questions
        return list(map(JudgedCase, questions, decide_all(questions, app, by_gate)))


def kept_keys(entry: Stored, look_alikes: Sequence[str], margin: float, vectors: Vectors) -> tuple[str, ...]:
    """The keys of an entry that are nearer to another of its texts than to any look-alike, by this margin at least."""
    texts = vectors(_own_texts(entry))
    first = len(entry.questions)
    cosines = texts @ texts.T
    np.fill_diagonal(cosines, -1.0)
    leads = cosines.max(axis=1) - _nearest(texts, vectors(look_alikes))
    return tuple(key for key, lead in zip(entry.keys, leads[first:], strict=True) if lead >= margin)


def _with_kept_keys(benchmark: Benchmark, look_alikes: LookAlikes, margin: float, vectors: Vectors) -> Benchmark:
    def fewer(entry: Stored) -> Stored:
        return replace(entry, keys=kept_keys(entry, look_alikes.get(entry.id, ()), margin, vectors))

    return replace(benchmark, entries=tuple(map(fewer, benchmark.entries)))


def only_where(is_for: Callable[[Id, str], bool], judged: JudgedCase) -> JudgedCase:
    """The same, of the candidates only those that are for the question."""
    outcome, question = judged.outcome, judged.case.question
    ranked = tuple(name for name in outcome.ranked if is_for(name, question))
    return replace(judged, outcome=replace(outcome, ranked=ranked))


def look_alikes_at(judged: Sequence[JudgedCase], wanted: float) -> float | None:
    """The share of look-alikes spliced at the strictest threshold with at least this recall; None where none has it."""
    for point in curve(judged):
        if (point.recall or 0.0) >= wanted:
            best = [one.outcome.best for one in judged if one.case.is_look_alike]
            return share(sum(score is not None and score >= point.threshold for score in best), len(best))
    return None


def _nearest(texts: Floats, others: Floats) -> Floats:
    """The highest cosine of each text with others, -1 without any; shape (texts,)."""
    nearest: Floats = (texts @ others.T).max(axis=1, initial=-1.0)
    return nearest


def _own_texts(entry: Stored) -> tuple[str, ...]:
    return (*entry.questions, *entry.keys)


def _number_of_keys(benchmark: Benchmark) -> int:
    return sum(len(entry.keys) for entry in benchmark.entries)


def _texts(watched: Watched) -> Iterator[str]:
    for entry in watched.benchmark.entries:
        yield from _own_texts(entry)
    yield from (case.question for case in watched.benchmark.questions)
    for texts in (*watched.written.values(), *watched.own.values()):
        yield from texts
