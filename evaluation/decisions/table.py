"""A report as tables for a terminal."""

from rich import box
from rich.console import Console
from rich.table import Table

from evaluation.decisions.report import ALL, AMONG, FEW_UNRELATED, Report, Summary

_NARROWEST = 134  # columns; a narrower table would be cut where nobody looks at a terminal
_DECISIONS = (*(f"in {most}" for most in AMONG), "prec.", "recall", "F1", "look-alikes", "unrelated")
_OVER_ALL_THRESHOLDS = ("best F1", f"R, {FEW_UNRELATED:.0%}")


def show(reported: Report, console: Console | None = None) -> None:
    """Print the tables."""
    console = console or wide_console()
    console.print(f"\n{reported.title}", style="bold")
    console.print(
        "Right entry among the first, the splices, and how many questions that need none get one; over all thresholds "
        f"the best F1, and the recall where at most {FEW_UNRELATED:.0%} of the unrelated questions get a splice."
    )
    decisions = plain_table("method", "splices at", *_DECISIONS, *_OVER_ALL_THRESHOLDS)
    for method in reported.methods:
        best = (number(method.summary.best_f1), number(method.summary.recall_few_unrelated))
        decisions.add_row(method.name, method.rule, *_decisions(method.summary), *best)
    console.print(decisions)
    # ECE: the calibration error of the first candidates.
    groups = plain_table("Noted, by group", "questions", *_DECISIONS, "ECE")
    for name, summary in reported.groups.items():
        if name == ALL or summary.questions < reported.groups[ALL].questions:
            groups.add_row(name, str(summary.questions), *_decisions(summary), number(summary.calibration))
    console.print(groups)
    if reported.failed:
        console.print(f"{reported.failed} questions were not answered and are counted nowhere.")


def wide_console(narrowest: int = _NARROWEST) -> Console:
    """Standard output, never narrower than the tables, in columns."""
    console = Console(highlight=False, markup=False)  # names come from files
    console.width = max(console.width, narrowest)
    return console


def plain_table(first: str, *names: str) -> Table:
    """A table without lines between rows: the name of what is in a row, then a column of numbers for each name."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(first, no_wrap=True)
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _decisions(summary: Summary) -> list[str]:
    found = (*summary.recall_at.values(), summary.precision, summary.recall, summary.f1)
    return [number(value) for value in (*found, summary.look_alikes, summary.unrelated)]


def number(value: float | None) -> str:
    """A share with three places, or a dash."""
    return "–" if value is None else f"{value:.3f}"
