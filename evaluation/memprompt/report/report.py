"""The report of a run: one page that needs nothing else, its pictures as PNG files, its tables as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from evaluation.memprompt.charts import final_bars, over_time, png, svg
from evaluation.memprompt.collected import Collected, Panel, collected
from evaluation.memprompt.log import read_logs
from evaluation.memprompt.measures import Prices
from evaluation.memprompt.tables import Table, as_json, by_types, overview
from evaluation.memprompt.tasks.task import ENGLISH, MIXED

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEVIATIONS = (
    "The model is not GPT-3 (davinci): it is the one named above, behind Noted's own prompt, in which it says what it "
    "understood before it answers. “embedded” is an example-follower with a lexicon and no language model.",
    "The questions and what people say are written for this project, five ways of asking for each type; the paper has "
    "three, and some of its questions say plainly what they want. Words come from the project's lexicon.",
    "The ways of asking come in rounds: each once, in an order by chance, then each again.",
    "Half of the questions, by chance, have the word asked about in < brackets >, as all have in the paper.",
    "What a person says is drawn from several wordings, one in four in another language, and does not always quote the "
    "question; in the paper it follows one pattern.",
    "“none” is NO-MEM. “grow” is GROW-PROMPT: the last 20 questions that were put right stand among the examples, with "
    "the understanding that was right then. “memprompt” is MEM-PROMPT: in English the stored question that is nearest, "
    "if its cosine is above 0.9, with the sentence embedder that Noted uses; in Hindi, Punjabi and the mixed stream "
    "the nearest by Levenshtein distance (appendix D), from a likeness of 0.6 on; the paper names no threshold there.",
    "Whether an understanding is right is told by its words, as in the paper (section 4.1.2), and it has to name the "
    "word asked about.",
    "The question is asked again after a clarification, as in the app; only the first try counts.",
)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture with its file name and what it shows."""

    name: str
    caption: str
    figure: Figure

    @property
    def svg(self) -> str:
        return svg(self.figure)


@dataclass(frozen=True, slots=True)
class Shown:
    """What the page shows of the streams of one model."""

    model: str
    began: tuple[str, str]
    seeds: str
    unfinished: int
    pictures: tuple[Picture, ...]
    tables: tuple[Table, ...]


def write_report(folder: Path, prices: Prices) -> Path:
    """Write the page, the pictures and the tables into the folder of a run.

    Args:
        folder: of the run.
        prices: what the model costs.

    Returns:
        The page.

    Raises:
        BadInput: the folder holds no run.
        OSError: the files cannot be written.
    """
    runs = [_shown(run, prices) for run in collected(read_logs(folder))]
    for run in runs:
        for picture in run.pictures:
            (folder / picture.name).write_bytes(png(picture.figure))
    tables = {run.model: [as_json(table) for table in run.tables] for run in runs}
    (folder / "report.json").write_text(json.dumps(tables, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    page = folder / "report.html"
    page.write_text(_page(runs), encoding="utf-8")
    return page


def _page(runs: Sequence[Shown]) -> str:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    made = datetime.now(UTC).date().isoformat()
    return environment.get_template("report.html").render(runs=runs, deviations=DEVIATIONS, made=made)


def _shown(run: Collected, prices: Prices) -> Shown:
    panels = list(run.panels)
    seeds = sorted({seed for memories in run.panels.values() for steps in memories.values() for seed in steps})
    tables = [by_types(run, panel, name) for name, panel in _beside_the_paper(panels).items()]
    tables += [overview(run, panel, prices) for panel in panels]
    return Shown(
        run.model, run.began, ", ".join(map(str, seeds)), run.unfinished, tuple(_pictures(run, panels)), tuple(tables)
    )


def _pictures(run: Collected, panels: Sequence[Panel]) -> list[Picture]:
    model = "".join(character if character.isalnum() else "-" for character in run.model)
    found = []
    for task in dict.fromkeys(panel.task for panel in panels):
        some = [panel for panel in panels if panel.task == task]
        caption = f"{_FIGURES.get(task, 'Accuracy over time')} ({task}): mean Acc(u) of all questions so far. {_BAND}"
        found.append(Picture(f"{model}-{task}-over-time.png", caption, over_time(run, some)))
    spoken = [panel for panel in panels if panel.task == "lexical" and panel.lang not in (ENGLISH, MIXED)]
    always = [panel for panel in spoken if panel.clarifies == 1.0 and not panel.errs and panel.people == 1]
    if always:
        caption = "After figure 10: Hindi and Punjabi in Latin script, Acc(u) over the last 100 questions."
        found.append(Picture(f"{model}-languages.png", caption, final_bars(run, always)))
    return found


def _beside_the_paper(panels: Sequence[Panel]) -> dict[str, Panel]:
    """For each table of the paper the panel that is nearest to it: English, everything is clarified, rightly."""
    found = {}
    for table, task in (("table3", "lexical"), ("table4", "scramble")):
        nearest = [
            panel
            for panel in panels
            if (panel.task, panel.lang, panel.clarifies, panel.errs, panel.people) == (task, ENGLISH, 1.0, 0.0, 1)
        ]
        if nearest:
            found[table] = nearest[0]
    return found


_BAND = "The band is from the lowest to the highest seed."
_FIGURES = {
    "lexical": "After figure 4, top",
    "scramble": "After figure 4, bottom",
    "ethical-category": "After figures 5 and 6",
    "factual": "After figure 7",
}
