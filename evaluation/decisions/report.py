"""The numbers of one measurement: per method, and for Noted per group of questions. Values only, and their JSON."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from evaluation.cases import Benchmark, Outcome
from evaluation.decisions import metrics
from evaluation.decisions.baselines import Baseline
from evaluation.decisions.metrics import JudgedCase

AMONG = (1, 3, 5, 10)
FEW_UNRELATED = 0.02
NOTED = "Noted"
ALL = "all"


@dataclass(frozen=True, slots=True)
class Summary:
    """The numbers of one method over some questions. None where there is nothing to count.

    `best_f1` is the best over all thresholds, `recall_few_unrelated` the best recall where at most 2 % of the unrelated
    questions are spliced, and `calibration` the error over the first candidates.
    """

    questions: int
    needing: int
    recall_at: dict[int, float | None]
    precision: float | None
    recall: float | None
    f1: float | None
    look_alikes: float | None
    unrelated: float | None
    best_f1: float | None
    recall_few_unrelated: float | None
    calibration: float | None = None


@dataclass(frozen=True, slots=True)
class MethodReport:
    name: str
    rule: str  # by which threshold it splices, in words
    summary: Summary


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a command shows and keeps."""

    title: str  # what was measured
    methods: tuple[MethodReport, ...]  # Noted first
    groups: dict[str, Summary]  # Noted by group of questions
    failed: int  # how many questions failed, and are counted nowhere


def report(title: str, benchmark: Benchmark, outcomes: Sequence[Outcome], others: Sequence[Baseline]) -> Report:
    """The numbers of Noted's outcomes and of the baselines, over the questions that Noted answered."""
    kept = [place for place, outcome in enumerate(outcomes) if not outcome.error]
    judged = _judged(benchmark, outcomes, kept)
    noted = MethodReport(NOTED, "its own", summarize(judged, calibrated=True))
    rest = (MethodReport(one.name, one.rule, summarize(_judged(benchmark, one.outcomes, kept))) for one in others)
    groups = {name: summarize(some, calibrated=True) for name, some in _groups(judged).items()}
    return Report(title, (noted, *rest), groups, len(outcomes) - len(kept))


def summarize(judged: Sequence[JudgedCase], *, calibrated: bool = False) -> Summary:
    """The numbers of one method; `calibrated` where its scores are probabilities."""
    points = metrics.curve(judged)
    best = metrics.best_f1(points)
    return Summary(
        questions=len(judged),
        needing=sum(one.needs for one in judged),
        recall_at={most: metrics.recall_at(judged, most) for most in AMONG},
        precision=metrics.precision(judged),
        recall=metrics.recall(judged),
        f1=metrics.f1(metrics.precision(judged), metrics.recall(judged)),
        look_alikes=metrics.spliced(one for one in judged if one.case.is_look_alike),
        unrelated=metrics.spliced(one for one in judged if one.case.is_unrelated),
        best_f1=None if best is None else best.f1,
        recall_few_unrelated=metrics.recall_where(points, FEW_UNRELATED),
        calibration=metrics.calibration_error(metrics.first_pairs(judged)) if calibrated else None,
    )


def as_json(reported: Report) -> dict[str, Any]:
    """The report as plain values."""
    return {
        "title": reported.title,
        "failed": reported.failed,
        "methods": [{"name": one.name, "rule": one.rule, **asdict(one.summary)} for one in reported.methods],
        "groups": {name: asdict(summary) for name, summary in reported.groups.items()},
    }


def _judged(benchmark: Benchmark, outcomes: Sequence[Outcome], kept: Sequence[int]) -> tuple[JudgedCase, ...]:
    return tuple(JudgedCase(benchmark.questions[place], outcomes[place]) for place in kept)


def _groups(judged: Sequence[JudgedCase]) -> dict[str, list[JudgedCase]]:
    """All questions, the English and the mixed ones, each mixed language, and what the benchmark names."""
    groups: dict[str, list[JudgedCase]] = {ALL: list(judged), "en": [], "mixed": []}
    for one in judged:
        lang = one.case.lang.casefold()
        names = ["en"] if lang == "en" else dict.fromkeys(["mixed", lang])
        for name in (*names, *one.case.groups):
            groups.setdefault(name, []).append(one)
    first = (ALL, "en", "mixed")
    return {name: groups[name] for name in (*first, *sorted(groups.keys() - set(first))) if groups[name]}
