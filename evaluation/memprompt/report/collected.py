"""The streams of a run, put side by side: what was asked in the same way, by memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evaluation.memprompt.log import Logged
from evaluation.memprompt.report.measures import Estimate, estimate
from evaluation.memprompt.stream import Step

NO_MEMORY = "none"


class Conditions(NamedTuple):
    """What the streams of one picture have in common, but for memory and seed."""

    task: str
    variant: str
    lang: str
    clarifies: float
    errs: float
    people: int
    is_shared: bool
    length: int


@dataclass(frozen=True, slots=True)
class Collected:
    """What one model answered."""

    model: str
    began: tuple[str, str]  # first and last day and time at which a stream was begun
    # Conditions to memory to seed to steps. Streams without memory are in every panel of their questions: nothing that
    # is said makes a difference to them.
    panels: Mapping[Conditions, Mapping[str, Mapping[int, Sequence[Step]]]]
    unfinished: int  # streams that are not at their end

    def estimates(self, panel: Conditions, measure: Callable[[Sequence[Step]], float]) -> dict[str, Estimate]:
        """Memory to a measure, over seeds."""
        return {
            memory: estimate([measure(steps) for steps in seeds.values()])
            for memory, seeds in self.panels[panel].items()
        }


def collected(logs: Iterable[Logged]) -> list[Collected]:
    """The streams that hold anything, by model."""
    by_model: dict[str, list[Logged]] = defaultdict(list)
    for log in logs:
        if log.steps:
            by_model[log.settings.model].append(log)
    return [_collected(model, some) for model, some in sorted(by_model.items())]


def _collected(model: str, logs: Sequence[Logged]) -> Collected:
    panels: dict[Conditions, dict[str, dict[int, Sequence[Step]]]] = defaultdict(lambda: defaultdict(dict))
    without = [log for log in logs if log.settings.memory == NO_MEMORY]
    for log in logs:
        if log.settings.memory != NO_MEMORY:
            panels[_panel(log)][log.settings.memory][log.settings.seed] = log.steps
    for log in without:
        asked = [panel for panel in panels if _asked(panel) == _asked(_panel(log))]
        for panel in asked or [_panel(log)]:
            panels[panel][NO_MEMORY][log.settings.seed] = log.steps
    began = sorted(log.began for log in logs)
    ordered = {panel: dict(sorted(panels[panel].items(), key=_order)) for panel in sorted(panels)}
    return Collected(model, (began[0], began[-1]), ordered, sum(not log.is_whole for log in logs))


def _panel(log: Logged) -> Conditions:
    of, person = log.settings, log.settings.person
    return Conditions(of.task, of.variant, of.lang, person.clarifies, person.errs, of.people, of.is_shared, of.length)


def _asked(panel: Conditions) -> tuple[object, ...]:
    return (panel.task, panel.variant, panel.lang, panel.length)


_FIRST = (NO_MEMORY, "grow", "memprompt", "memprompt-levenshtein", "noted")


def _order(named: tuple[str, object]) -> tuple[int, str]:
    """The memories of the paper first, in its order, then Noted and what it is without some part."""
    name = named[0]
    return (_FIRST.index(name) if name in _FIRST else len(_FIRST), name)
