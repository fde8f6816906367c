"""How good decisions are. Pure.

A question *needs* an entry where `applies` names one; those in `as_good` are as right. A share of nothing is None,
never 0 or 1. Questions that were not answered (`outcome.error`) are for the caller to leave out.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from evaluation.cases import Case, Id, Outcome

_BINS = 10  # of probabilities


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """A question, and what a method made of it."""

    case: Case
    outcome: Outcome

    @property
    def needs(self) -> bool:
        return self.case.applies is not None

    @property
    def used(self) -> tuple[Id, ...]:
        """What is spliced, less what may be and need not."""
        return tuple(name for name in self.outcome.used if name not in self.case.also)

    @property
    def first_is_right(self) -> bool:
        return not self.case.right.isdisjoint(self.outcome.ranked[:1])


@dataclass(frozen=True, slots=True)
class Point:
    """What would be if the first candidate were used wherever its score is at least `threshold`."""

    threshold: float
    precision: float  # right splices among all
    recall: float | None  # right splices among the questions that need one
    unrelated: float | None  # share of the unrelated questions with a splice

    @property
    def f1(self) -> float:
        return f1(self.precision, self.recall) or 0.0


def share(part: float, whole: float) -> float | None:
    """`part / whole`; None of nothing."""
    return part / whole if whole else None


def recall_at(judged: Sequence[JudgedCase], most: int) -> float | None:
    """Of the questions that need an entry, the share with it among the first `most` candidates."""
    needing = [one for one in judged if one.needs]
    return share(sum(not one.case.right.isdisjoint(one.outcome.ranked[:most]) for one in needing), len(needing))


def precision(judged: Sequence[JudgedCase]) -> float | None:
    """Of all splices, the share of right ones. A question with two splices counts twice."""
    right = sum(name in one.case.right for one in judged for name in one.used)
    return share(right, sum(len(one.used) for one in judged))


def recall(judged: Sequence[JudgedCase]) -> float | None:
    """Of the questions that need an entry, the share that gets it spliced."""
    used = sum(not one.case.right.isdisjoint(one.outcome.used) for one in judged)
    return share(used, sum(one.needs for one in judged))


def f1(precision: float | None, recall: float | None) -> float | None:
    """Their harmonic mean; 0 where nothing is right; None without a question that needs an entry."""
    if recall is None:
        return None
    if not precision or not recall:
        return 0.0
    return 2 * precision * recall / (precision + recall)


def spliced(judged: Iterable[JudgedCase]) -> float | None:
    """The share of questions that get any entry spliced."""
    used = [bool(one.used) for one in judged]
    return share(sum(used), len(used))


def curve(judged: Sequence[JudgedCase]) -> list[Point]:
    """One point per score that a first candidate has, from the strictest threshold to the laxest."""
    needing = sum(one.needs for one in judged)
    unrelated = sum(one.case.is_unrelated for one in judged)
    right = all_used = unrelated_used = 0
    points = []
    scored = [(one.outcome.best, one) for one in judged if one.outcome.best is not None]
    scored.sort(key=lambda pair: -pair[0])
    for threshold, group in groupby(scored, key=lambda pair: pair[0]):
        for _, one in group:
            all_used += 1
            right += one.first_is_right
            unrelated_used += one.case.is_unrelated
        points.append(Point(threshold, right / all_used, share(right, needing), share(unrelated_used, unrelated)))
    return points


def best_f1(points: Sequence[Point]) -> Point | None:
    """The point with the best F1, the strictest of several; None without points."""
    return max(points, key=lambda point: point.f1, default=None)


def recall_where(points: Iterable[Point], most_unrelated: float) -> float | None:
    """The best recall while at most this share of the unrelated questions is spliced; None without such questions."""
    found = [(point.recall, point.unrelated) for point in points]
    if any(recall is None or unrelated is None for recall, unrelated in found):
        return None
    return max((recall or 0.0 for recall, unrelated in found if (unrelated or 0.0) <= most_unrelated), default=0.0)


def first_pairs(judged: Iterable[JudgedCase]) -> list[tuple[float, bool]]:
    """For each question with a candidate, the score of the first one and whether it is the right one."""
    return [(one.outcome.best, one.first_is_right) for one in judged if one.outcome.best is not None]


def calibration_error(pairs: Sequence[tuple[float, bool]]) -> float | None:
    """Expected calibration error: how far promise and truth lie apart, on average over the pairs, by bin."""
    apart: dict[int, float] = defaultdict(float)
    for probability, right in pairs:
        apart[min(int(probability * _BINS), _BINS - 1)] += probability - right
    return share(sum(map(abs, apart.values())), len(pairs))


def percentile(values: Sequence[float], percent: float) -> float | None:
    """The value that `percent` of the values do not exceed (nearest rank); None of nothing."""
    return sorted(values)[max(0, math.ceil(percent / 100 * len(values)) - 1)] if values else None
