"""Further keys judged by look-alikes: dropped by them, or kept with the look-alikes as what the entry is not for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
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
from evaluation.reading import decision_set, read_all
from evaluation.selection.texts import Vectors
from evaluation.store_filling import filled
from memory_store.language.normalize import fold, folded_similarity

Floats: TypeAlias = NDArray[np.float32]
LookAlikes: TypeAlias = Mapping[Id, Sequence[str]]
"""Questions that resemble an entry and do not need it, by the entry."""
Numbers: TypeAlias = dict[str, float | None]

MARGINS = (0.0, 0.05, 0.1)
"""How much nearer to another text of its entry than to a look-alike a key must be, as a difference of cosines."""
RECALLS = (0.4, 0.6, 0.7, 0.8)
_NEARLY_THE_SAME = 0.75  # as folded texts


class _Written(BaseModel):
    id: StrictInt | StrictStr
    lookalikes: tuple[str, ...]


class _Asked(BaseModel):
    near: StrictInt | StrictStr | None = None


@dataclass(frozen=True, slots=True)
class Watched:
    """A decision set with further keys, and look-alikes of its entries."""

    benchmark: Benchmark
    written: LookAlikes  # by somebody who saw the entries only
    own: LookAlikes  # those that the set asks: nobody could guess better

    @property
    def unasked(self) -> LookAlikes:
        """Those written without those that the set asks in nearly the same words."""

        def asked(text: str, name: Id) -> bool:
            return any(folded_similarity(fold(text), fold(own)) >= _NEARLY_THE_SAME for own in self.own.get(name, ()))

        return {name: [text for text in texts if not asked(text, name)] for name, texts in self.written.items()}


def read_watched(folder: Path, name: str) -> Watched:
    """The set of this name in a folder. Raises BadInput."""
    benchmark = decision_set(name, keys=True, folder=folder)
    questions, look_alikes = (folder / f"{name}_{what}.jsonl" for what in ("questions", "lookalikes"))
    own: defaultdict[Id, list[str]] = defaultdict(list)
    for case, line in zip(benchmark.questions, read_all(questions, _Asked), strict=True):
        if case.is_look_alike and line.near is not None:
            own[line.near].append(case.question)
    return Watched(benchmark, {line.id: line.lookalikes for line in read_all(look_alikes, _Written)}, own)


def measured(watched: Watched, embedder: Embedder) -> Iterator[tuple[str, Numbers]]:
    """What is done with look-alikes, and by that the share of keys kept and of look-alikes spliced at each recall."""
    benchmark, vectors = watched.benchmark, Vectors(embedder, _texts(watched))
    whole = decided(benchmark)
    recalls = sorted({*RECALLS, recall(whole) or 0.0})

    def numbers(judged: Sequence[JudgedCase], of: Benchmark = benchmark) -> Numbers:
        kept, keys = (sum(len(entry.keys) for entry in some.entries) for some in (of, benchmark))
        return {"keys": share(kept, keys), **{f"at {wanted:.3f}": look_alikes_at(judged, wanted) for wanted in recalls}}

    yield "all keys", numbers(whole)
    for of, look_alikes in {"written": watched.written, "the set's": watched.own}.items():
        for margin in MARGINS:
            fewer = with_kept_keys(benchmark, look_alikes, margin, vectors)
            yield f"dropped by {of} look-alikes, margin {margin}", numbers(decided(fewer), fewer)
    for of, look_alikes in {"written": watched.written, "written and unasked": watched.unasked}.items():
        yield f"not for {of} look-alikes", numbers(only_for(whole, benchmark, look_alikes, vectors))


def decided(benchmark: Benchmark) -> list[JudgedCase]:
    """What recall and gate make of each question."""
    with filled(benchmark.entries) as app:
        questions = with_as_good(benchmark, app.same).questions
        return list(map(JudgedCase, questions, decide_all(questions, app, by_gate)))


def with_kept_keys(benchmark: Benchmark, look_alikes: LookAlikes, margin: float, vectors: Vectors) -> Benchmark:
    """Of each entry the keys that are nearer to another of its texts than to any look-alike, by this margin."""

    def fewer(entry: Stored) -> Stored:
        texts = vectors(_own_texts(entry))
        cosines = texts @ texts.T
        np.fill_diagonal(cosines, -1.0)
        leads = cosines.max(axis=1) - _nearest(texts, vectors(look_alikes.get(entry.id, ())))
        kept = leads[len(entry.questions) :] >= margin
        return replace(entry, keys=tuple(key for key, keep in zip(entry.keys, kept, strict=True) if keep))

    return replace(benchmark, entries=tuple(map(fewer, benchmark.entries)))


def only_for(judged: list[JudgedCase], of: Benchmark, look_alikes: LookAlikes, vectors: Vectors) -> list[JudgedCase]:
    """The same without the candidates of which a look-alike is nearer to the question than any of their texts."""
    entries = {entry.id: entry for entry in of.entries}

    def is_for(name: Id, question: str) -> bool:
        asked, own, others = map(vectors, ([question], _own_texts(entries[name]), look_alikes.get(name, ())))
        return bool(_nearest(asked, own) >= _nearest(asked, others))

    kept = (tuple(name for name in one.outcome.ranked if is_for(name, one.case.question)) for one in judged)
    return [replace(one, outcome=replace(one.outcome, ranked=some)) for one, some in zip(judged, kept, strict=True)]


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


def _texts(watched: Watched) -> Iterator[str]:
    yield from (text for entry in watched.benchmark.entries for text in _own_texts(entry))
    yield from (case.question for case in watched.benchmark.questions)
    yield from (text for texts in watched.written.values() for text in texts)
