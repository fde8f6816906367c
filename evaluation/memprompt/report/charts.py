"""The pictures of a report, after figures 4 to 7 and 10 of MemPrompt."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from evaluation.memprompt.report.collected import Collected, Conditions
from evaluation.memprompt.report.measures import final, running

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from evaluation.memprompt.stream import Step

# Distinct in print and to people who do not see red and green apart (Okabe and Ito).
_COLOURS = {"none": "#0072B2", "grow": "#D55E00", "memprompt": "#E69F00", "noted": "#009E73"}
_OTHER_COLOURS = ("#CC79A7", "#56B4E9", "#7A6A00", "#555555", "#882255")
_STYLES = {"none": ":", "grow": "--", "memprompt": "-."}
_WIDTH, _HEIGHT = 3.6, 2.8  # inches of one panel
_FIRST_SHOWN = 5  # before it, a running mean jumps


def over_time(run: Collected, panels: Sequence[Conditions]) -> Figure:
    """Mean Acc(u) of all questions so far, after each question; one picture per panel, a line per memory.

    The band is from the lowest to the highest seed.
    """
    from matplotlib.figure import Figure

    columns = min(4, len(panels))
    rows = -(-len(panels) // columns)
    figure = Figure(figsize=(_WIDTH * columns, _HEIGHT * rows), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, sharey=True)
    for place, panel in enumerate(panels):
        _over_time(axes.flat[place], panel, run.panels[panel])
    for unused in list(axes.flat)[len(panels) :]:
        unused.set_axis_off()
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    return figure


def final_bars(run: Collected, panels: Sequence[Conditions]) -> Figure:
    """Acc(u) over the last questions as bars, a group per language: figure 10 of the paper."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH * 2, _HEIGHT), layout="constrained")
    axes = figure.subplots()
    memories = list(dict.fromkeys(memory for panel in panels for memory in run.panels[panel]))
    width = 0.8 / len(memories)
    for number, memory in enumerate(memories):
        found = [run.estimates(panel, final).get(memory) for panel in panels]
        heights = [one.mean if one else 0.0 for one in found]
        errors = [one.half_width or 0.0 if one else 0.0 for one in found]
        places = np.arange(len(panels)) + number * width
        axes.bar(places, heights, width, yerr=errors, label=memory, color=_colour(memory, number), capsize=2)
    axes.set_xticks(np.arange(len(panels)) + 0.4 - width / 2, [panel.lang for panel in panels])
    axes.set_ylim(0, 1)
    axes.set_ylabel("Acc(u), last questions")
    figure.legend(loc="outside lower center", ncols=len(memories), frameon=False)
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


def _over_time(axes: Axes, panel: Conditions, memories: Mapping[str, Mapping[int, Sequence[Step]]]) -> None:
    for number, (memory, seeds) in enumerate(memories.items()):
        shortest = min(len(steps) for steps in seeds.values())
        lines = np.array([running(steps[:shortest]) for steps in seeds.values()])[:, _FIRST_SHOWN:]
        steps = np.arange(lines.shape[1]) + _FIRST_SHOWN + 1
        colour = _colour(memory, number)
        axes.plot(steps, lines.mean(axis=0), label=memory, color=colour, linestyle=_STYLES.get(memory, "-"))
        axes.fill_between(steps, lines.min(axis=0), lines.max(axis=0), color=colour, alpha=0.15, linewidth=0)
    axes.set_title(title_of(panel), fontsize="medium")
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("questions")
    axes.set_ylabel("Acc(u) so far")
    axes.grid(alpha=0.25)


def title_of(panel: Conditions) -> str:
    """A panel in a few words."""
    title = f"{panel.task}, {panel.lang}, p = {panel.clarifies:g}"
    if panel.errs:
        title += f", {panel.errs:.0%} wrong"
    if panel.people > 1:
        title += f", {panel.people} people{', one memory' if panel.is_shared else ''}"
    return title


def _colour(memory: str, number: int) -> str:
    return _COLOURS.get(memory, _OTHER_COLOURS[number % len(_OTHER_COLOURS)])
