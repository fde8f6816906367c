"""The numbers of one measurement: per method, and for Noted per group of questions. Values only, and their JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evaluation.baselines import Baseline
from evaluation.cases import Benchmark, Outcome
from evaluation.metrics import (
    Judged,
    Point,
    best_f1,
    calibration_error,
    curve,
    f1,
    first_pairs,
    look_alikes_spliced,
    percentile,
    precision,
    precision_at,
    recall,
    recall_at,
    recall_where,
    reliability,
    shown_pairs,
    unrelated_spliced,
)
from evaluation.reading import BadInput

AMONG = (1, 3, 5, 10)
RECALLS = (0.28, 0.35, 0.60)
FEW_UNRELATED = 0.02
_CURVE_POINTS = 200
NOTED = "Noted"
ALL = "all"


@dataclass(frozen=True, slots=True)
class Summary:
    """The numbers of one method over some questions. None where there is nothing to count.

    `precision_at` reads the best precision off the curve over the threshold, where recall is at least so high;
    `recall_few_unrelated` the best recall where at most 2 % of the unrelated questions are spliced. The calibration
    errors are over the first candidates, and over all pairs that were used or offered.
    """

    questions: int
    needing: int
    recall_at: dict[int, float | None]
    precision: float | None
    recall: float | None
    f1: float | None
    look_alikes: float | None
    unrelated: float | None
    precision_at: dict[float, float | None]
    recall_few_unrelated: float | None
    calibration_first: float | None = None
    calibration_shown: float | None = None


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds of recall and gate, embedding included, and of the embedding alone, measured by turns."""

    p50: float | None
    p95: float | None
    embedding_p50: float | None
    ratio_p50: float | None


@dataclass(frozen=True, slots=True)
class MethodReport:
    """One method over all questions.

    Args:
        name: what it is called.
        rule: by which threshold it splices, in words.
        summary: its numbers.
        points: its whole curve.
    """

    name: str
    rule: str
    summary: Summary
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a command shows and keeps.

    Args:
        title: what was measured, in one line.
        methods: Noted first.
        groups: Noted by group of questions.
        times: of Noted.
        judged: Noted's questions and outcomes, those that failed left out.
        failed: how many questions failed.
    """

    title: str
    methods: tuple[MethodReport, ...]
    groups: dict[str, Summary]
    times: Times
    judged: tuple[Judged, ...]
    failed: int


def report(title: str, benchmark: Benchmark, outcomes: Sequence[Outcome], others: Sequence[Baseline]) -> Report:
    """The numbers of Noted's outcomes and of the baselines, over the questions that Noted answered."""
    kept = [place for place, outcome in enumerate(outcomes) if not outcome.error]
    judged = _judged(benchmark, outcomes, kept)
    methods = [_method(NOTED, "its own", judged, calibrated=True)]
    methods += [_method(one.name, one.rule, _judged(benchmark, one.outcomes, kept)) for one in others]
    groups = {name: summarize(some, curve(some), calibrated=True) for name, some in _groups(judged).items()}
    return Report(title, tuple(methods), groups, _times(judged), judged, len(outcomes) - len(kept))


def summarize(judged: Sequence[Judged], points: Sequence[Point], *, calibrated: bool) -> Summary:
    """The numbers of one method; `calibrated` where its scores are probabilities."""
    return Summary(
        questions=len(judged),
        needing=sum(one.needs for one in judged),
        recall_at={most: recall_at(judged, most) for most in AMONG},
        precision=precision(judged),
        recall=recall(judged),
        f1=f1(precision(judged), recall(judged)),
        look_alikes=look_alikes_spliced(judged),
        unrelated=unrelated_spliced(judged),
        precision_at={level: precision_at(points, level) for level in RECALLS},
        recall_few_unrelated=recall_where(points, FEW_UNRELATED),
        calibration_first=calibration_error(first_pairs(judged)) if calibrated else None,
        calibration_shown=calibration_error(shown_pairs(judged)) if calibrated else None,
    )


def as_json(reported: Report) -> dict[str, Any]:
    """The report as plain values. Curves are thinned to a few hundred points; the numbers come from the whole ones."""
    return {
        "title": reported.title,
        "failed": reported.failed,
        "methods": [
            {
                "name": method.name,
                "rule": method.rule,
                **asdict(method.summary),
                "best_f1": _point(best_f1(method.points)),
                "curve": [_point(point) for point in thinned(method.points, _CURVE_POINTS)],
            }
            for method in reported.methods
        ],
        "groups": {name: asdict(summary) for name, summary in reported.groups.items()},
        "reliability": {
            "first": [asdict(one) for one in reliability(first_pairs(reported.judged))],
            "shown": [asdict(one) for one in reliability(shown_pairs(reported.judged))],
        },
        "ms": asdict(reported.times),
    }


def write_json(path: Path, values: object) -> None:
    """Keep a report.

    Raises:
        BadInput: the file cannot be written.
    """
    try:
        path.write_text(json.dumps(rounded(values), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror or error}.") from None


def rounded(values: object) -> object:
    """The same with every fraction cut to four places, so that two runs can be compared."""
    if isinstance(values, float):
        return round(values, 4)
    if isinstance(values, dict):
        return {name: rounded(value) for name, value in values.items()}
    if isinstance(values, list | tuple):
        return [rounded(value) for value in values]
    return values


def thinned(points: Sequence[Point], most: int) -> list[Point]:
    """At most so many of the points, evenly spread, the first and the last among them."""
    if len(points) <= most:
        return list(points)
    return [points[round(number * (len(points) - 1) / (most - 1))] for number in range(most)]


def _method(name: str, rule: str, judged: Sequence[Judged], *, calibrated: bool = False) -> MethodReport:
    points = curve(judged)
    return MethodReport(name, rule, summarize(judged, points, calibrated=calibrated), tuple(points))


def _judged(benchmark: Benchmark, outcomes: Sequence[Outcome], kept: Sequence[int]) -> tuple[Judged, ...]:
    return tuple(Judged(benchmark.questions[place], outcomes[place]) for place in kept)


def _groups(judged: Sequence[Judged]) -> dict[str, list[Judged]]:
    """All questions, the English and the mixed ones, each mixed language, and what the benchmark names."""
    groups: dict[str, list[Judged]] = {ALL: list(judged), "en": [], "mixed": []}
    for one in judged:
        lang = one.asked.lang.casefold()
        names = ["en"] if lang == "en" else dict.fromkeys(["mixed", lang])
        for name in (*names, *one.asked.groups):
            groups.setdefault(name, []).append(one)
    first = (ALL, "en", "mixed")
    return {name: groups[name] for name in (*first, *sorted(groups.keys() - set(first))) if groups[name]}


def _times(judged: Sequence[Judged]) -> Times:
    both = [one.outcome.ms["recall"] + one.outcome.ms["gate"] for one in judged if "recall" in one.outcome.ms]
    alone = [one.outcome.ms["embed"] for one in judged if "embed" in one.outcome.ms]
    p50, embedding = percentile(both, 50), percentile(alone, 50)
    ratio = p50 / embedding if p50 is not None and embedding else None
    return Times(p50, percentile(both, 95), embedding, ratio)


def _point(point: Point | None) -> dict[str, Any] | None:
    return None if point is None else asdict(point)
