"""The report of a run: one page that needs nothing else, its pictures as PNG files, its tables as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from evaluation.memprompt.log import read_logs
from evaluation.memprompt.report.charts import final_bars, over_time, png, svg
from evaluation.memprompt.report.collected import Collected, Conditions, collected
from evaluation.memprompt.report.measures import Prices
from evaluation.memprompt.report.tables import Table, by_types, overview
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

    run: Collected
    seeds: str
    pictures: Sequence[Picture]
    tables: Sequence[Table]


def write_report(folder: Path, prices: Prices) -> Path:
    """Write the page, the pictures and the tables into the folder of a run; the path of the page.

    Raises:
        BadInput: the folder holds no run.
        OSError: the files cannot be written.
    """
    shown = [_shown(run, prices) for run in collected(read_logs(folder))]
    for picture in (picture for one in shown for picture in one.pictures):
        (folder / picture.name).write_bytes(png(picture.figure))
    tables = {one.run.model: [asdict(table) for table in one.tables] for one in shown}
    (folder / "report.json").write_text(json.dumps(tables, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    loader = FileSystemLoader(Path(__file__).parent)
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    made = datetime.now(UTC).date().isoformat()
    page = folder / "report.html"
    text = environment.get_template("report.html").render(runs=shown, deviations=DEVIATIONS, made=made)
    page.write_text(text, encoding="utf-8")
    return page


def _shown(run: Collected, prices: Prices) -> Shown:
    panels = list(run.panels)
    seeds = sorted({seed for memories in run.panels.values() for steps in memories.values() for seed in steps})
    tables = [by_types(run, panel, name) for name, panel in _beside_the_paper(panels).items()]
    tables += [overview(run, panel, prices) for panel in panels]
    return Shown(run, ", ".join(map(str, seeds)), _pictures(run, panels), tables)


def _pictures(run: Collected, panels: Sequence[Conditions]) -> list[Picture]:
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
