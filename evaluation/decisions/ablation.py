"""What each signal of the gate and each rule of the language part is worth: decisions with it, and without.

Without a rule, a stand-in that says nothing takes its place (`evaluation.decisions.ablation_parts`), in the data of the
gate and in the app; without a signal, the gate does not know of it. Each time the gate is fitted again. No set is
decided by a gate that was fitted on it: the first and the second decision set by a fit on all but themselves, and
nothing is ever fitted on the others.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from statistics import mean
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from assistant.choose.calibration import Calibration, Evidence
from assistant.choose.gate import Gate
from assistant.kinds import CLARIFICATION
from assistant.ports import Embedder
from assistant.text.cleaning import checked
from assistant.types import Candidate, Question, Scope
from evaluation.benchmarks.templates import templates
from evaluation.cases import Benchmark, Case, Id, with_as_good
from evaluation.command_parts import plain_table
from evaluation.decisions.ablation_parts import PARTS, Part, taken_out
from evaluation.decisions.metrics import JudgedCase, best_f1, curve, recall_at, recall_where
from evaluation.decisions.report import FEW_UNRELATED
from evaluation.decisions.running import outcome_of
from evaluation.gate.data import Remembered
from evaluation.gate.fitting import LOADING_SECONDS, calibration, candidates_of, memories
from evaluation.gate.regression import Pairs, fit
from evaluation.reading import DATA, decision_set
from evaluation.store_filling import filled
from memory_store.embedding.embedder import BUNDLED, SentenceEmbedder, choose_embedder
from memory_store.embedding.reading import for_memory
from memory_store.embedding.standard import Scale, StandardScale, as_they_are

FITTED_ON = ("first", "second")
KINDS = {"Q": "without keys", "K": "with keys", "S": "across scripts", "W": "ways of asking"}
NUMBERS = ("R@1", "R@5", "F1", "R2%")
"""Right entry among the first, among five, best F1, recall where at most 2 % of the unrelated questions are spliced."""
WHOLE = Part("as it is")

Data: TypeAlias = Callable[[], Mapping[Evidence, Sequence[Remembered]]]
Sets: TypeAlias = Mapping[str, Callable[[], Benchmark]]
Numbers: TypeAlias = dict[str, list[float]]
"""Set to its `NUMBERS`."""

T = TypeVar("T")


def decision_sets(kinds: Collection[str], every: int) -> dict[str, Callable[[], Benchmark]]:
    """The sets of these kinds, each by the letter of its kind and its name, with one of so many of its questions."""
    sets: dict[str, Callable[[], Benchmark]] = {}
    for name in ("first", "second", "third", "fourth"):
        sets[f"Q {name}"] = partial(decision_set, name)
        sets[f"K {name}"] = partial(decision_set, name, keys=True)
    sets["S scripts"] = partial(decision_set, "scripts")
    for path in (DATA / "templates.toml", *sorted((DATA / "ways").glob("*.toml"))):
        sets[f"W {path.stem}"] = partial(templates, 0, path)

    def some(make: Callable[[], Benchmark]) -> Benchmark:
        benchmark = make()
        return replace(benchmark, questions=tuple(_sample(benchmark.questions, every)))

    return {name: partial(some, make) for name, make in sets.items() if name[0] in kinds}


def gate_data(clinc150: Path, every: int) -> Mapping[Evidence, Sequence[Remembered]]:
    """What the gate is fitted on, with one of so many of its questions, each of which counts the more."""
    return {
        evidence: [
            replace(memory, questions=_sample(memory.questions, every), weight=memory.weight * every) for memory in some
        ]
        for evidence, some in memories(clinc150).items()
    }


def ablation(
    data: Data, sets: Sets, only: Collection[str] = (), rules: Sequence[Part] = PARTS, embedder: str = BUNDLED
) -> Iterator[tuple[str, Numbers]]:
    """The numbers of the whole, then without each rule and each signal, or `only` without those of these names.

    `data` makes what the gate is fitted on, `sets` what is decided, with the embedder of this name.
    """
    with remembered_vectors():
        whole = recalled(WHOLE, data, sets, embedder)
        yield WHOLE.name, numbers(whole)
        known = {name for pairs in whole.pairs.values() for each in pairs for name in each.names}
        signals = [Part(f"signal {name}", signals=frozenset({name})) for name in sorted(known)]
        for part in (*rules, *signals):
            if not only or part.name in only:
                found = recalled(part, data, sets, embedder) if part.stand_ins else whole
                yield part.name, numbers(found, part.signals)


@dataclass(frozen=True, slots=True)
class RecalledSets:
    """What recall finds, in the data of the gate and in the sets, in one state of the program."""

    pairs: Mapping[Evidence, Sequence[Pairs]]  # of the data
    answered: Mapping[str, Sequence[tuple[Case, Sequence[Candidate]]]]  # set to its questions with their candidates
    names: Mapping[str, Id]  # id of an entry in the store to its id in its set


def recalled(part: Part, data: Data, sets: Sets, name: str = BUNDLED) -> RecalledSets:
    """What recall finds without a part. All sets are in one store, each the memory of a person of its own."""
    with taken_out(part):
        embedder, scale = _as_memory_uses(name)
        pairs = {
            evidence: [Pairs.of(memory, candidates_of(memory, embedder, scale=scale)) for memory in some]
            for evidence, some in data().items()
        }
        benchmarks = {name: _owned(make(), name) for name, make in sets.items()}
        entries = tuple(entry for benchmark in benchmarks.values() for entry in benchmark.entries)
        with filled(entries, embedder=name) as app:
            recall, limit = app.services.parts.recall, app.services.assistant.limits.question
            answered = {
                name: [
                    (case, recall(Question(checked(case.question, limit)), Scope(name)))
                    for case in with_as_good(benchmark, app.same).questions
                ]
                for name, benchmark in benchmarks.items()
            }
    return RecalledSets(pairs, answered, app.names)


def _as_memory_uses(name: str) -> tuple[Embedder, Scale]:
    """The embedder of this name, which must be here, and how it is read."""
    embedder = for_memory(SentenceEmbedder(choose_embedder(name), LOADING_SECONDS))
    assert embedder is not None, "an embedder"  # noqa: S101
    return embedder, as_they_are if name == BUNDLED else StandardScale(embedder)


def numbers(found: RecalledSets, signals: Collection[str] = ()) -> Numbers:
    """How good the decisions on each set are, by a gate fitted without these signals and without the set."""
    gates = {own: _gate(found, own, signals) for own in {_own(name) for name in found.answered}}
    result = {}
    for name, answered in found.answered.items():
        decide, scope = gates[_own(name)], Scope(name)
        judged = [JudgedCase(case, outcome_of(decide(candidates, scope), found.names)) for case, candidates in answered]
        points = curve(judged)
        best = best_f1(points)
        values = recall_at(judged, 1), recall_at(judged, 5), best and best.f1, recall_where(points, FEW_UNRELATED)
        result[name] = [value or 0.0 for value in values]
    return result


def losses(whole: Numbers, rest: Numbers) -> Numbers:
    """Kind of set to what is lost on average over its sets."""
    return {
        kind: [mean(whole[name][at] - rest[name][at] for name in names) for at in range(len(NUMBERS))]
        for kind in KINDS
        if (names := [name for name in whole if name[0] == kind])
    }


def losses_table(found: Mapping[str, Numbers]) -> Table:
    """The whole's numbers, and what is lost without each part, the largest loss first."""
    whole = found[WHOLE.name]
    lost = {name: losses(whole, rest) for name, rest in found.items() if name != WHOLE.name}
    absolute = losses(whole, {name: [0.0] * len(NUMBERS) for name in whole})
    rows = [(WHOLE.name, *(_short(f"{value:.3f}") for values in absolute.values() for value in values))]
    for name, kinds in sorted(lost.items(), key=lambda row: -max(map(max, row[1].values()))):
        rows.append((name, *(_short(f"{-value:+.3f}") for values in kinds.values() for value in values)))
    return plain_table("without", [f"{kind} {what}" for kind in absolute for what in NUMBERS], rows)


def _short(value: str) -> str:
    """A share without the 0 before its point, so that a row fits on a line."""
    return value.replace("0.", ".", 1)


def remembered_vectors() -> AbstractContextManager[None]:
    """Each text is embedded once, for it is asked about again with every part."""
    vectors: defaultdict[str, dict[str, NDArray[np.float32]]] = defaultdict(dict)
    embed = SentenceEmbedder.encode

    def encode(embedder: SentenceEmbedder, texts: Sequence[str]) -> NDArray[np.float32]:
        known = vectors[embedder.fingerprint]
        if new := [text for text in dict.fromkeys(texts) if text not in known]:
            known.update(zip(new, embed(embedder, new), strict=True))
        return np.stack([known[text] for text in texts])

    return taken_out(Part("", {"memory_store.embedding.embedder:SentenceEmbedder.encode": encode}))


def _owned(benchmark: Benchmark, owner: str) -> Benchmark:
    """The benchmark as the memory of one person, its ids told from those of all others."""

    def named(name: Id | None) -> Id | None:
        return None if name is None else f"{owner}/{name}"

    return Benchmark(
        tuple(replace(entry, id=f"{owner}/{entry.id}", owner=owner) for entry in benchmark.entries),
        tuple(
            replace(case, applies=named(case.applies), as_good=frozenset(f"{owner}/{name}" for name in case.as_good))
            for case in benchmark.questions
        ),
    )


def _own(name: str) -> str:
    """The part of the gate's data that a set is; empty for none."""
    return next((one for one in FITTED_ON if name.endswith(f" {one}")), "")


def _gate(found: RecalledSets, left_out: str, signals: Collection[str]) -> Gate:
    """A gate fitted without one set and without these signals."""
    calibrations = {}
    for evidence, pairs in found.pairs.items():
        kept = [each for each in pairs if not left_out or not each.memory.name.startswith(left_out)]
        calibrations[evidence] = Calibration(**calibration(*fit(kept, signals)))
    return Gate({CLARIFICATION.name: calibrations}, {CLARIFICATION.name: calibrations})


def _sample(items: Sequence[T], every: int) -> list[T]:
    chance = Random(0)  # noqa: S311  a repeatable choice is wanted
    return [item for item in items if chance.random() * every < 1]
