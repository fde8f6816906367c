"""The gate for any embedder: fitted on several together over standardised similarities, tried with each left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assistant.choose.calibration import Calibration, Evidence
from assistant.choose.gate import Gate
from assistant.kinds import CLARIFICATION
from assistant.ports import Embedder
from assistant.types import Candidate, Entry, Scope
from evaluation.cases import Case
from evaluation.decisions.ablation_parts import Part, taken_out
from evaluation.decisions.metrics import JudgedCase, best_f1, curve, recall_at, spliced
from evaluation.decisions.running import outcome_of
from evaluation.embedders.results import SetRow
from evaluation.embedders.trial import CROWDED, trial_embedders
from evaluation.gate.data import OWNER, Remembered
from evaluation.gate.fitting import LOADING_SECONDS, bundled, calibration, candidates_of
from evaluation.gate.regression import Pairs, fit
from memory_store.embedding.embedder import SentenceEmbedder, choose_embedder
from memory_store.embedding.reading import MeasuredEmbedder
from memory_store.embedding.standard import Scale, StandardScale, as_they_are
from memory_store.recall.features import best_wording

Answered = Sequence[tuple[Case, Sequence[Candidate]]]
Told = Callable[[str], None]
_BUNDLED = "bundled"


@dataclass(frozen=True, slots=True)
class Recalled:
    """What one embedder finds: in the data of the gate, and in the sets that it is tried on."""

    pairs: Sequence[Pairs]  # of the data for questions alone
    sets: Mapping[str, Answered]


class Remembering:
    """The port `Embedder`, which embeds no text twice."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, Any] = {}
        self.name = embedder.name

    @property
    def fingerprint(self) -> str:
        return self._embedder.fingerprint

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    def encode(self, texts: Sequence[str]) -> Any:
        import numpy as np

        if new := [text for text in dict.fromkeys(texts) if text not in self._known]:
            self._known.update(zip(new, self._embedder.encode(new), strict=True))
        return np.stack([self._known[text] for text in texts])


def loaded(trial: Path) -> dict[str, Embedder]:
    """The bundled embedder, and those to try with that are in this folder, by name, as memory uses them."""
    found: dict[str, Embedder] = {_BUNDLED: bundled()}
    for name, path in trial_embedders(trial).items():
        found[name] = MeasuredEmbedder(SentenceEmbedder(choose_embedder(str(path)), LOADING_SECONDS))
    return found


def recalled(
    embedder: Embedder, data: Sequence[Remembered], sets: Mapping[str, Remembered], scale: Scale | None = None
) -> Recalled:
    """What this embedder finds, on the standardised scale or on that which is given."""
    embedder = Remembering(embedder)
    scale = scale or StandardScale(embedder)
    pairs = [Pairs.of(memory, candidates_of(memory, embedder, scale=scale)) for memory in data]
    return Recalled(pairs, {name: answered(memory, embedder, scale) for name, memory in sets.items()})


def answered(memory: Remembered, embedder: Embedder, scale: Scale) -> Answered:
    """The questions of a memory with what is found for each."""
    return list(zip(memory.questions, candidates_of(memory, embedder, scale=scale), strict=True))


def rows(found: Recalled, fitted_on: Sequence[Pairs]) -> dict[str, SetRow]:
    """How good a gate is that is fitted on this, without what it has of a set itself; by set."""
    made: dict[str, Gate] = {}
    result = {}
    for name, asked in found.sets.items():
        kept = [pairs for pairs in fitted_on if not pairs.memory.name.startswith(name)]
        own = name if len(kept) < len(fitted_on) else ""
        made[own] = made.get(own) or _gate(kept)
        result[name] = row(made[own], asked)
    return result


def compared(
    embedders: Mapping[str, Embedder], data: Sequence[Remembered], sets: Mapping[str, Remembered], told: Told
) -> Iterator[tuple[str, str, SetRow, SetRow]]:
    """Embedder, set, and how good its own fit is, and that of all others that differ.

    Its own fit reads cosines as they are; the other one standardised ones, on which the crowded one is the bundled one.
    """
    plain, standard = {}, {}
    with worded_once():
        for name, embedder in embedders.items():
            kept = Remembering(embedder)
            plain[name] = recalled(kept, data, sets, as_they_are)
            standard[name] = recalled(kept, data, sets)
            told(name)
    for name in embedders:
        own = rows(plain[name], plain[name].pairs)
        itself = {name, CROWDED, _BUNDLED} if name == CROWDED else {name, CROWDED}
        others = [pairs for other in embedders if other not in itself for pairs in standard[other].pairs]
        left_out = rows(standard[name], others)
        for one in sets:
            yield name, one, own[one], left_out[one]


def worded_once() -> AbstractContextManager[None]:
    """How two texts are worded is compared once, for it says the same whatever embeds them."""
    known: dict[tuple[str, tuple[str, ...], str, str], dict[str, float]] = {}
    compare = best_wording

    def best(question: str, keys: Iterable[str], entry: Entry) -> dict[str, float]:
        texts = tuple(keys)
        key = (question, texts, entry.id, entry.text)
        if key not in known:
            known[key] = compare(question, texts, entry)
        return known[key]

    return taken_out(Part("", {"memory_store.recall.features:best_wording": best}))


def _gate(pairs: Sequence[Pairs]) -> Gate:
    fitted = {CLARIFICATION.name: {Evidence.QUESTION: Calibration(**calibration(*fit(pairs)))}}
    return Gate(fitted, fitted)


def row(gate: Gate, found: Answered) -> SetRow:
    """How good the decisions of a gate are on what is found for a set."""
    judged = []
    for case, candidates in found:
        names = {found.entry.id: found.entry.id for found in candidates}
        judged.append(JudgedCase(case, outcome_of(gate(candidates, Scope(OWNER)), names)))
    best = best_f1(curve(judged))
    return SetRow(
        recall_at(judged, 1) or 0.0,
        best.f1 if best else 0.0,
        spliced(one for one in judged if one.case.is_unrelated) or 0.0,
        spliced(one for one in judged if one.case.is_look_alike) or 0.0,
    )
