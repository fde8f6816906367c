"""The tables of a report: each panel by memory, and tables 3 and 4 of MemPrompt beside the published numbers."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from evaluation.memprompt.report import measures
from evaluation.memprompt.report.charts import title_of
from evaluation.memprompt.report.collected import NO_MEMORY, Collected, Conditions
from evaluation.memprompt.report.measures import Estimate, Prices
from evaluation.memprompt.stream import Step

PUBLISHED = Path(__file__).parents[2] / "data" / "published.toml"
_NOTHING = "–"
_COLUMNS = (
    "Acc(u), last 100",
    "Acc(u)",
    "Acc(y)",
    "had to clarify",
    "right splices",
    "wrong",
    "missed",
    "without effect",
    "mended",
    "spoilt",
    "stayed wrong",
    "prompt tokens",
    "against none",
    "seconds",
    "cost",
)


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    cells: tuple[str, ...]
    published: bool = False  # the numbers are the paper's


@dataclass(frozen=True, slots=True)
class Table:
    caption: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]


def overview(run: Collected, panel: Conditions, prices: Prices) -> Table:
    """Everything that is measured, by memory: means over seeds, with 95 % confidence intervals."""
    memories = run.panels[panel]
    rows = tuple(Row(memory, _cells(memory, memories, prices)) for memory in memories)
    return Table(f"{title_of(panel)} ({panel.variant}), {panel.length} questions", _COLUMNS, rows)


def by_types(run: Collected, panel: Conditions, published: str) -> Table:
    """Acc(u) by type of question beside a table of the paper."""
    paper = tomllib.loads(PUBLISHED.read_text(encoding="utf-8"))[published]
    types: list[str] = paper["types"]
    rows = [
        Row(memory, tuple(_by_type(list(seeds.values()), kind) for kind in types))
        for memory, seeds in run.panels[panel].items()
    ]
    rows += [
        Row(f"{memory}, published", tuple(f"{value:.2f}" for value in paper[memory]), published=True)
        for memory in (NO_MEMORY, "grow", "memprompt")
        if memory in paper
    ]
    return Table(f"{title_of(panel)}. Beside it: MemPrompt, {paper['caption']}", tuple(types), tuple(rows))


def shown(value: Estimate, digits: int = 3) -> str:
    """A mean with half of its interval."""
    if value.half_width is None:
        return f"{value.mean:.{digits}f}"
    return f"{value.mean:.{digits}f} ± {value.half_width:.{digits}f}"


def _by_type(seeds: Sequence[Sequence[Step]], kind: str) -> str:
    values = [found[kind] for steps in seeds if kind in (found := measures.by_type(steps))]
    return shown(measures.estimate(values), 2) if values else _NOTHING


def _cells(memory: str, memories: Mapping[str, Mapping[int, Sequence[Step]]], prices: Prices) -> tuple[str, ...]:
    seeds = memories[memory]
    runs = list(seeds.values())
    spliced = [measures.splices(steps) for steps in runs]
    without = memories.get(NO_MEMORY, {})
    tokens = fmean(measures.prompt_tokens(steps) for steps in runs)
    return (
        shown(measures.estimate([measures.final(steps) for steps in runs])),
        shown(measures.estimate([measures.acc_u(steps) for steps in runs])),
        shown(measures.estimate([measures.acc_y(steps) for steps in runs])),
        f"{fmean(measures.clarifications(steps) for steps in runs):.0f}",
        *(f"{fmean(one[name] for one in spliced):.3f}" for name in ("right", "wrong", "missed", "no effect")),
        *_flipped(seeds, without),
        f"{tokens:.0f}",
        _ratio(tokens, without),
        f"{fmean(measures.seconds(steps)['question'] for steps in runs):.2f}",
        f"{fmean(measures.cost(steps, prices) for steps in runs):.4g}",
    )


def _flipped(seeds: Mapping[int, Sequence[Step]], without: Mapping[int, Sequence[Step]]) -> list[str]:
    both = [measures.flips(without[seed], steps) for seed, steps in seeds.items() if seed in without]
    names = ("mended", "spoilt", "stayed wrong")
    return [f"{fmean(one[name] for one in both):.0f}" if both else _NOTHING for name in names]


def _ratio(tokens: float, without: Mapping[int, Sequence[Step]]) -> str:
    if not without:
        return _NOTHING
    return f"{tokens / fmean(measures.prompt_tokens(steps) for steps in without.values()):.2f}"
