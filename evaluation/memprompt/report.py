"""The report of a run, with tables 3 and 4 of MemPrompt beside the numbers of today."""

import tomllib
from collections.abc import Sequence
from pathlib import Path

from evaluation.memprompt.memories import MEMORIES
from evaluation.memprompt.plans import PAPER_MEMORIES
from evaluation.memprompt.tasks.word_tasks import ENGLISH
from evaluation.streams.experiment import Person, StreamSettings
from evaluation.streams.report import report
from evaluation.streams.report.measures import Collected
from evaluation.streams.report.report import Row, Table, by_groups

_PUBLISHED = Path(__file__).parents[1] / "data" / "published.toml"
_TEMPLATE = Path(__file__).with_name("report.html")
_TABLES = {"lexical": "table3", "scramble": "table4"}
_FIGURES = {"lexical": "After figure 4, top", "scramble": "After figure 4, bottom"}


def write_report(folder: Path) -> Path:
    """Write the report into the folder of a run; the path of the page."""
    return report.write_report(folder, _TEMPLATE, tuple(MEMORIES), _FIGURES, beside_the_paper)


def beside_the_paper(run: Collected) -> Sequence[Table]:
    """For each table of the paper the panel that is nearest to it: English, everything is clarified, rightly."""
    found = {}
    for panel in reversed(list(run.panels)):
        table = _TABLES.get(panel.task)
        if table and (panel.lang, panel.person, panel.people) == (ENGLISH, Person(), 1):
            found[table] = panel
    return [_with_published(run, panel, table) for table, panel in sorted(found.items())]


def _with_published(run: Collected, panel: StreamSettings, published: str) -> Table:
    paper = tomllib.loads(_PUBLISHED.read_text(encoding="utf-8"))[published]
    rows = by_groups(run.panels[panel], paper["types"])
    rows += [
        Row(f"{memory}, published", tuple(f"{value:.2f}" for value in paper[memory]), published=True)
        for memory in PAPER_MEMORIES
        if memory in paper
    ]
    title = f"{panel.title}. Beside it: MemPrompt, {paper['caption']}"
    return Table(title, tuple(paper["types"]), tuple(rows))
