"""Score decisions.

A question *needs* an entry if `applies` names one; the entries in `as_good` are equally right. A share is None if its
denominator is 0.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from evaluation.decisions.benchmark import CaseOutcome, DecisionCase, Id
from evaluation.harness.report import Cell

AMONG = (1, 5)
"""Values of k for which recall at k (R@k) is reported."""


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """A question with the outcome of a method."""

    case: DecisionCase
    outcome: CaseOutcome

    @property
    def needs(self) -> bool:
        return self.case.applies is not None

    @property
    def used(self) -> tuple[Id, ...]:
        """Return the used entries, except those that are optional for this question."""
        return tuple(name for name in self.outcome.used if name not in self.case.also)

    def is_right_among(self, most: int) -> bool:
        return not self.case.right.isdisjoint(self.outcome.ranked[:most])


def measure_cases(judged: Sequence[JudgedCase]) -> dict[str, Cell]:
    """Return the measures of one method by name.

    `look-alikes` is the share of look-alike questions for which an entry is used, and `everyday` that of everyday
    questions. `best F1` is the maximum over all thresholds.
    """
    needing = [one for one in judged if one.needs]
    used = [(name, one) for one in judged for name in one.used]
    precision = share(sum(name in one.case.right for name, one in used), len(used))
    recall = share(sum(not one.case.right.isdisjoint(one.outcome.used) for one in needing), len(needing))
    return {
        "questions": len(judged),
        **{f"R@{most}": share(sum(one.is_right_among(most) for one in needing), len(needing)) for most in AMONG},
        "precision": precision,
        "recall": recall,
        "F1": f1(precision, recall),
        "look-alikes": _share_with_use(one for one in judged if one.case.is_look_alike),
        "everyday": _share_with_use(one for one in judged if one.case.is_everyday),
        "best F1": best_f1(judged),
    }


def share(part: float, whole: float) -> float | None:
    """Return part / whole; None if `whole` is 0."""
    return part / whole if whole else None


def f1(precision: float | None, recall: float | None) -> float | None:
    """Return the harmonic mean; 0 if nothing is right; None if no question needs an entry."""
    if recall is None:
        return None
    if not precision or not recall:
        return 0.0
    return 2 * precision * recall / (precision + recall)


def best_f1(judged: Sequence[JudgedCase]) -> float | None:
    """Return the best F1 of using the first candidate above a threshold, over all thresholds; None without one."""
    needing = sum(one.needs for one in judged)
    scored = sorted(((one.outcome.best, one) for one in judged if one.outcome.best is not None), key=lambda it: -it[0])
    right = used = 0
    found = list[float]()
    for _, group in groupby(scored, key=lambda it: it[0]):
        for _, one in group:
            used += 1
            right += one.is_right_among(1)
        found.append(f1(right / used, share(right, needing)) or 0.0)
    return max(found, default=None)


def _share_with_use(judged: Iterable[JudgedCase]) -> float | None:
    used = [bool(one.used) for one in judged]
    return share(sum(used), len(used))
