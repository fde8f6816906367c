"""The report of a run: one page that needs nothing else, its pictures as PNG files, its tables as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from evaluation.streams.experiment import StreamSettings
from evaluation.streams.log import read_logs
from evaluation.streams.report import measures
from evaluation.streams.report.charts import over_time, png, svg
from evaluation.streams.report.measures import NO_MEMORY, Collected, Estimate, collected
from evaluation.streams.stream import Step

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NOTHING = "–"
_FLIPS = ("mended", "spoilt", "stayed wrong")
_COLUMNS = (
    *("Acc(u), last 100", "Acc(u)", "Acc(y)", "had to clarify", "right splices", "wrong", "missed", "without effect"),
    *_FLIPS,
    *("prompt tokens", "against none", "seconds"),
)
_BAND = "The band is from the lowest to the highest seed."


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


class Picture(NamedTuple):
    """A picture with its file name and what it shows."""

    name: str
    caption: str
    figure: Figure


class Shown(NamedTuple):
    """What the page shows of the streams of one model."""

    run: Collected
    seeds: str
    pictures: Sequence[Picture]
    tables: Sequence[Table]


def write_report(
    folder: Path,
    template: Path,
    order: Sequence[str],
    figures: Mapping[str, str],
    tables: Callable[[Collected], Sequence[Table]],
) -> Path:
    """Write the page, the pictures and the tables into the folder of a run; the path of the page.

    The template extends `page.html`; `order` is that of the memories, `figures` says by task what the pictures show,
    and `tables` come before those of everything that is measured.

    Raises:
        BadInput: the folder holds no run.
        OSError: the files cannot be written.
    """
    shown = [_shown(run, figures, tables(run)) for run in collected(read_logs(folder), order)]
    for picture in (picture for one in shown for picture in one.pictures):
        (folder / picture.name).write_bytes(png(picture.figure))
    numbers = {one.run.model: [asdict(table) for table in one.tables] for one in shown}
    (folder / "report.json").write_text(json.dumps(numbers, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    loader = FileSystemLoader([template.parent, Path(__file__).parent])
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    text = environment.get_template(template.name).render(runs=shown, svg=svg, made=datetime.now(UTC).date())
    page = folder / "report.html"
    page.write_text(text, encoding="utf-8")
    return page


def _shown(run: Collected, figures: Mapping[str, str], first: Sequence[Table]) -> Shown:
    panels = list(run.panels)
    seeds = sorted({seed for memories in run.panels.values() for steps in memories.values() for seed in steps})
    tables = [*first, *(overview(run, panel) for panel in panels)]
    return Shown(run, ", ".join(map(str, seeds)), _pictures(run, panels, figures), tables)


def _pictures(run: Collected, panels: Sequence[StreamSettings], figures: Mapping[str, str]) -> list[Picture]:
    model = "".join(character if character.isalnum() else "-" for character in run.model)
    found = []
    for task in dict.fromkeys(panel.task for panel in panels):
        some = [panel for panel in panels if panel.task == task]
        caption = f"{figures.get(task, 'Accuracy over time')} ({task}): mean Acc(u) of all questions so far. {_BAND}"
        found.append(Picture(f"{model}-{task}-over-time.png", caption, over_time(run, some)))
    return found


def overview(run: Collected, panel: StreamSettings) -> Table:
    """Everything that is measured, by memory: means over seeds, with 95 % confidence intervals."""
    memories = run.panels[panel]
    rows = tuple(Row(memory, _cells(memory, memories)) for memory in memories)
    return Table(f"{panel.title} ({panel.variant}), {panel.length} questions", _COLUMNS, rows)


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
