"""The report of a run: one page that needs nothing else, its pictures as PNG files, its tables as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from evaluation.streams.experiment import StreamSettings
from evaluation.streams.log import read_logs
from evaluation.streams.report.charts import over_time, png, svg
from evaluation.streams.report.collected import Collected, collected
from evaluation.streams.report.tables import Table, overview

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_BAND = "The band is from the lowest to the highest seed."


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

    Args:
        folder: of the run.
        template: of the page; extends `page.html`.
        order: of the memories.
        figures: what the pictures show, by task.
        tables: those before the ones of everything that is measured.

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
