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
from evaluation.memprompt.report.measures import Estimate
from evaluation.memprompt.stream import Step

PUBLISHED = Path(__file__).parents[2] / "data" / "published.toml"
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
    published: bool = False  # the numbers are the paper's


@dataclass(frozen=True, slots=True)
class Table:
    caption: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]


def overview(run: Collected, panel: Conditions) -> Table:
    """Everything that is measured, by memory: means over seeds, with 95 % confidence intervals."""
    memories = run.panels[panel]
    rows = tuple(Row(memory, _cells(memory, memories)) for memory in memories)
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
