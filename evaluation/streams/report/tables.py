"""The tables of a report: everything that is measured, or Acc(u) by group, by memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from evaluation.streams.experiment import StreamSettings
from evaluation.streams.report import measures
from evaluation.streams.report.charts import title_of
from evaluation.streams.report.collected import NO_MEMORY, Collected
from evaluation.streams.report.measures import Estimate
from evaluation.streams.stream import Step

_NOTHING = "–"
_FLIPS = ("mended", "spoilt", "stayed wrong")
_COLUMNS = (
    *("Acc(u), last 100", "Acc(u)", "Acc(y)", "had to clarify", "right splices", "wrong", "missed", "without effect"),
    *_FLIPS,
    *("prompt tokens", "against none", "seconds"),
)


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    cells: tuple[str, ...]
    published: bool = False  # the numbers are those of a paper


@dataclass(frozen=True, slots=True)
class Table:
    caption: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]


def overview(run: Collected, panel: StreamSettings) -> Table:
    """Everything that is measured, by memory: means over seeds, with 95 % confidence intervals."""
    memories = run.panels[panel]
    rows = tuple(Row(memory, _cells(memory, memories)) for memory in memories)
    return Table(f"{title_of(panel)} ({panel.variant}), {panel.length} questions", _COLUMNS, rows)


def shown(value: Estimate, digits: int = 3) -> str:
    """A mean with half of its interval."""
    if value.half_width is None:
        return f"{value.mean:.{digits}f}"
    return f"{value.mean:.{digits}f} ± {value.half_width:.{digits}f}"


def by_groups(memories: Mapping[str, Mapping[int, Sequence[Step]]], groups: Sequence[str]) -> list[Row]:
    """Acc(u) by memory, for each of these types or groups of questions."""
    return [
        Row(memory, tuple(_of_group(list(seeds.values()), group) for group in groups))
        for memory, seeds in memories.items()
    ]


def _of_group(seeds: Sequence[Sequence[Step]], group: str) -> str:
    values = [found[group] for steps in seeds if group in (found := measures.by_group(steps))]
    return shown(measures.estimate(values), 2) if values else _NOTHING


def _cells(memory: str, memories: Mapping[str, Mapping[int, Sequence[Step]]]) -> tuple[str, ...]:
    seeds = memories[memory]
    runs = list(seeds.values())
    spliced = [measures.splices(steps) for steps in runs]
    without = memories.get(NO_MEMORY, {})
    both = [measures.flips(without[seed], steps) for seed, steps in seeds.items() if seed in without]
    tokens = fmean(map(measures.prompt_tokens, runs))
    alone = fmean(map(measures.prompt_tokens, without.values())) if without else None
    return (
        *(shown(measures.estimate(list(map(of, runs)))) for of in (measures.final, measures.acc_u, measures.acc_y)),
        f"{fmean(measures.clarifications(steps) for steps in runs):.0f}",
        *(f"{fmean(one[name] for one in spliced):.3f}" for name in ("right", "wrong", "missed", "no effect")),
        *(f"{fmean(one[name] for one in both):.0f}" if both else _NOTHING for name in _FLIPS),
        f"{tokens:.0f}",
        f"{tokens / alone:.2f}" if alone else _NOTHING,
        f"{fmean(measures.seconds(steps)['question'] for steps in runs):.2f}",
    )
