"""The streams of a run side by side, and what comes of them as numbers.

These are the metrics of MemPrompt (section 4), and what tells why they are so. Pure.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from statistics import fmean, stdev

from scipy.special import stdtrit

from evaluation.streams.experiment import Person, StreamSettings
from evaluation.streams.log import Logged
from evaluation.streams.stream import Step

NO_MEMORY = "none"
"""What a memory is called that keeps nothing, whatever is said."""
LAST = 100
"""Steps at the end of a stream over which the final accuracy is taken."""
_QUANTILE = 0.975  # of Student's t, for an interval of 95 % with two sides


@dataclass(frozen=True, slots=True)
class Collected:
    """What one model answered."""

    model: str
    began: tuple[str, str]  # first and last day and time at which a stream was begun
    # Settings but for memory and seed, to memory to seed to steps. Streams without memory are in every panel of their
    # questions: nothing that is said makes a difference to them.
    panels: Mapping[StreamSettings, Mapping[str, Mapping[int, Sequence[Step]]]]
    order: tuple[str, ...]  # of the memories
    unfinished: int  # streams that are not at their end


def collected(logs: Iterable[Logged], order: Sequence[str]) -> list[Collected]:
    """The streams that hold anything, by model, with the memories in this order and others behind it."""
    by_model: dict[str, list[Logged]] = defaultdict(list)
    for log in logs:
        if log.steps:
            by_model[log.settings.model].append(log)
    return [_collected(model, some, order) for model, some in sorted(by_model.items())]


def _collected(model: str, logs: Sequence[Logged], known: Sequence[str]) -> Collected:
    panels: dict[StreamSettings, dict[str, dict[int, Sequence[Step]]]] = defaultdict(lambda: defaultdict(dict))
    without = [log for log in logs if log.settings.memory == NO_MEMORY]
    for log in logs:
        if log.settings.memory != NO_MEMORY:
            panels[_panel(log)][log.settings.memory][log.settings.seed] = log.steps
    for log in without:
        asked = [panel for panel in panels if _asked(panel) == _asked(_panel(log))]
        for panel in asked or [_panel(log)]:
            panels[panel][NO_MEMORY][log.settings.seed] = log.steps
    began = sorted(log.began for log in logs)
    unfinished = sum(len(log.steps) < log.settings.length for log in logs)
    order = tuple(dict.fromkeys([*known, *sorted(log.settings.memory for log in logs)]))
    ordered = {
        panel: {memory: panels[panel][memory] for memory in order if memory in panels[panel]}
        for panel in sorted(panels)
    }
    return Collected(model, (began[0], began[-1]), ordered, order, unfinished)


def _panel(log: Logged) -> StreamSettings:
    return replace(log.settings, memory="", seed=0)


def _asked(panel: StreamSettings) -> StreamSettings:
    return replace(panel, person=Person(), people=1, is_shared=False)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over seeds with its 95 % confidence interval (Student's t); without one where there is one seed."""

    mean: float
    spread: float | None  # standard deviation; None for one seed
    seeds: int  # how many

    @property
    def half_width(self) -> float | None:
        if self.spread is None:
            return None
        return float(stdtrit(self.seeds - 1, _QUANTILE)) * self.spread / math.sqrt(self.seeds)


def estimate(values: Sequence[float]) -> Estimate:
    """The values are one per seed, at least one."""
    return Estimate(fmean(values), stdev(values) if len(values) > 1 else None, len(values))


def acc_u(steps: Sequence[Step]) -> float:
    """Share of the questions that were understood at the first try."""
    return fmean(step.understood for step in steps)


def acc_y(steps: Sequence[Step]) -> float:
    """Share of right answers at the first try, among those of which it can be told; 0 where it never can."""
    told = [step.answered for step in steps if step.answered is not None]
    return fmean(told) if told else 0.0


def final(steps: Sequence[Step]) -> float:
    """Acc(u) over the last `LAST` questions."""
    return acc_u(steps[-LAST:])


def running(steps: Iterable[Step]) -> list[float]:
    """Acc(u) over all questions so far, after each question."""
    counts = accumulate(int(step.understood) for step in steps)
    return [count / number for number, count in enumerate(counts, 1)]


def by_group(steps: Iterable[Step]) -> dict[str, float]:
    """Acc(u) for each type and group of questions, and for `all`."""
    found: dict[str, list[Step]] = defaultdict(list)
    for step in steps:
        for group in (step.type, *step.groups, "all"):
            found[group].append(step)
    return {kind: acc_u(some) for kind, some in found.items()}


def splices(steps: Sequence[Step]) -> Mapping[str, float]:
    """Share of the questions with a right, a wrong and a missed splice, and with a right one that had no effect."""
    counted = Counter(step.splice for step in steps)
    counted["no effect"] = sum(step.splice == "right" and not step.understood for step in steps)
    return {name: counted[name] / len(steps) for name in ("right", "wrong", "missed", "no effect")}


def flips(without: Sequence[Step], steps: Sequence[Step]) -> Mapping[str, int]:
    """What became of each question that was asked without memory when there was one."""
    names = {(1, 1): "stayed right", (0, 1): "mended", (1, 0): "spoilt", (0, 0): "stayed wrong"}
    pairs = zip(without, steps, strict=False)
    counted = Counter(names[before.understood, after.understood] for before, after in pairs)
    return {name: counted[name] for name in names.values()}


def clarifications(steps: Sequence[Step]) -> int:
    """How often the person had to say what they meant."""
    return sum(bool(step.said) for step in steps)


def prompt_tokens(steps: Sequence[Step]) -> float:
    """Mean length of the first prompt."""
    return fmean(step.prompt_tokens for step in steps)


def seconds(steps: Sequence[Step]) -> Mapping[str, float]:
    """Mean seconds of a question, all that followed included (`question`), and of the parts of its first turn."""
    parts = {name for step in steps for name in step.ms}
    means = {name: fmean(step.ms.get(name, 0.0) for step in steps) / 1000 for name in sorted(parts)}
    return {"question": fmean(step.seconds for step in steps), **means}
