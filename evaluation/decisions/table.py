"""A report as tables for a terminal."""

from rich.console import Console

from evaluation.command_parts import number, plain_table, wide_console
from evaluation.decisions.report import ALL, AMONG, FEW_UNRELATED, Report, Summary

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
    methods = [
        (
            *(method.name, method.rule, *_decisions(method.summary)),
            *map(number, (method.summary.best_f1, method.summary.recall_few_unrelated)),
        )
        for method in reported.methods
    ]
    console.print(plain_table("method", ("splices at", *_DECISIONS, *_OVER_ALL_THRESHOLDS), methods))
    groups = [
        (name, summary.questions, *_decisions(summary), number(summary.calibration))
        for name, summary in reported.groups.items()
        if name == ALL or summary.questions < reported.groups[ALL].questions
    ]
    # ECE: the calibration error of the first candidates.
    console.print(plain_table("Noted, by group", ("questions", *_DECISIONS, "ECE"), groups))
    if reported.failed:
        console.print(f"{reported.failed} questions were not answered and are counted nowhere.")


def _decisions(summary: Summary) -> list[str]:
    found = (*summary.recall_at.values(), summary.precision, summary.recall, summary.f1)
    return [number(value) for value in (*found, summary.look_alikes, summary.unrelated)]
