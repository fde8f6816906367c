"""The pictures of a report: accuracy over time, after figures 4 to 7 of MemPrompt."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from evaluation.streams.experiment import StreamSettings
from evaluation.streams.report.measures import Collected, running

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# By the place of a memory; distinct in print and to people who do not see red and green apart (after Okabe and Ito).
_COLOURS = ("#0072B2", "#D55E00", "#E69F00", "#555555", "#009E73", "#CC79A7", "#56B4E9", "#7A6A00", "#882255")
_STYLES = (":", "--", "-.")  # of the first; whatever comes behind them is drawn whole
_WIDTH, _HEIGHT = 3.6, 2.8  # inches of one panel
_FIRST_SHOWN = 5  # before it, a running mean jumps


def over_time(run: Collected, panels: Sequence[StreamSettings]) -> Figure:
    """Mean Acc(u) of all questions so far, after each question; one picture per panel, a line per memory.

    The band is from the lowest to the highest seed.
    """
    from matplotlib.figure import Figure

    columns = min(4, len(panels))
    rows = -(-len(panels) // columns)
    figure = Figure(figsize=(_WIDTH * columns, _HEIGHT * rows), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, sharey=True)
    for place, panel in enumerate(panels):
        _over_time(axes.flat[place], panel, run)
    for unused in list(axes.flat)[len(panels) :]:
        unused.set_axis_off()
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    return figure


def svg(figure: Figure) -> str:
    """The picture as it stands in a page: the same for the same numbers, and without anything from elsewhere."""
    import matplotlib as mpl

    file = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "noted", "svg.fonttype": "path"}):
        figure.savefig(file, format="svg", metadata={"Date": None})
    text = file.getvalue()
    return text[text.index("<svg") :]


def png(figure: Figure) -> bytes:
    """The picture as a file."""
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=150, metadata={"Software": None})
    return file.getvalue()


def _over_time(axes: Axes, panel: StreamSettings, run: Collected) -> None:
    for memory, seeds in run.panels[panel].items():
        shortest = min(len(steps) for steps in seeds.values())
        lines = np.array([running(steps[:shortest]) for steps in seeds.values()])[:, _FIRST_SHOWN:]
        steps = np.arange(lines.shape[1]) + _FIRST_SHOWN + 1
        place = run.order.index(memory)
        colour = _COLOURS[place % len(_COLOURS)]
        style = _STYLES[place] if place < len(_STYLES) else "-"
        axes.plot(steps, lines.mean(axis=0), label=memory, color=colour, linestyle=style)
        axes.fill_between(steps, lines.min(axis=0), lines.max(axis=0), color=colour, alpha=0.15, linewidth=0)
    axes.set_title(panel.title, fontsize="medium")
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("questions")
    axes.set_ylabel("Acc(u) so far")
    axes.grid(alpha=0.25)
