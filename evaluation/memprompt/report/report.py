"""The report of a run: one page that needs nothing else, its pictures as PNG files, its tables as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from evaluation.memprompt.log import read_logs
from evaluation.memprompt.report.charts import over_time, png, svg
from evaluation.memprompt.report.collected import Collected, Conditions, collected
from evaluation.memprompt.report.tables import Table, by_types, overview
from evaluation.memprompt.tasks.task import ENGLISH

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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


def write_report(folder: Path) -> Path:
    """Write the page, the pictures and the tables into the folder of a run; the path of the page.

    Raises:
        BadInput: the folder holds no run.
        OSError: the files cannot be written.
    """
    shown = [_shown(run) for run in collected(read_logs(folder))]
    for picture in (picture for one in shown for picture in one.pictures):
        (folder / picture.name).write_bytes(png(picture.figure))
    tables = {one.run.model: [asdict(table) for table in one.tables] for one in shown}
    (folder / "report.json").write_text(json.dumps(tables, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    loader = FileSystemLoader(Path(__file__).parent)
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    template = environment.get_template("report.html")
    page = folder / "report.html"
    page.write_text(template.render(runs=shown, svg=svg, made=datetime.now(UTC).date()), encoding="utf-8")
    return page


def _shown(run: Collected) -> Shown:
    panels = list(run.panels)
    seeds = sorted({seed for memories in run.panels.values() for steps in memories.values() for seed in steps})
    tables = [by_types(run, panel, name) for name, panel in _beside_the_paper(panels).items()]
    tables += [overview(run, panel) for panel in panels]
    return Shown(run, ", ".join(map(str, seeds)), _pictures(run, panels), tables)


def _pictures(run: Collected, panels: Sequence[Conditions]) -> list[Picture]:
    model = "".join(character if character.isalnum() else "-" for character in run.model)
    found = []
    for task in dict.fromkeys(panel.task for panel in panels):
        some = [panel for panel in panels if panel.task == task]
        caption = f"{_FIGURES.get(task, 'Accuracy over time')} ({task}): mean Acc(u) of all questions so far. {_BAND}"
        found.append(Picture(f"{model}-{task}-over-time.png", caption, over_time(run, some)))
    return found


def _beside_the_paper(panels: Sequence[Conditions]) -> dict[str, Conditions]:
    """For each table of the paper the panel that is nearest to it: English, everything is clarified, rightly."""
    found = {}
    for panel in reversed(panels):
        table = {"lexical": "table3", "scramble": "table4"}.get(panel.task)
        if table and (panel.lang, panel.clarifies, panel.errs, panel.people) == (ENGLISH, 1.0, 0.0, 1):
            found[table] = panel
    return dict(sorted(found.items()))


_BAND = "The band is from the lowest to the highest seed."
_FIGURES = {
    "lexical": "After figure 4, top",
    "scramble": "After figure 4, bottom",
    "factual": "After figure 7",
}
