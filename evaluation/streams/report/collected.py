"""The streams of a run, put side by side: what was asked in the same way, by memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from evaluation.streams.experiment import Person, StreamSettings
from evaluation.streams.log import Logged
from evaluation.streams.stream import Step

NO_MEMORY = "none"
"""What a memory is called that keeps nothing, whatever is said."""


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
