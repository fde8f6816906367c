"""The command line. Tables go to standard output, everything else to standard error or the folder of the run.

Exit codes: 0 done, 1 failed, 2 unusable input or command (one sentence says why), 130 stopped.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from assistant.errors import SettingsError
from evaluation.decisions.misunderstandings import DECIDED, PARTS
from evaluation.decisions.run import decisions
from evaluation.expnote.experiment import expnote
from evaluation.harness.dataset import BadInput, Dataset
from evaluation.harness.report import Report, Table, compare, read_report, show_report
from evaluation.labelled.sets import labelled, load_labelled_sets
from evaluation.memllm.experiment import memllm
from evaluation.memllm.web_questions import WEB_QUESTIONS
from evaluation.memprompt.experiment import memprompt
from evaluation.perf.command import perf
from evaluation.selection.experiment import FAIRYTALE_QA, selection
from evaluation.teachme.bank import ENTAILMENT_BANK
from evaluation.teachme.experiment import teachme
from ui.terminal.command_parts import PlainErrors


@dataclass(frozen=True, slots=True)
class Experiment:
    """A command of `run` and its data sets."""

    run: Callable[..., None]
    datasets: Sequence[Dataset[Any]] = ()


def load_experiments() -> Mapping[str, Experiment]:
    """Return all experiments by name."""
    return {
        "memprompt": Experiment(memprompt),
        "teachme": Experiment(teachme, [ENTAILMENT_BANK]),
        "memllm": Experiment(memllm, [WEB_QUESTIONS]),
        "expnote": Experiment(expnote),
        "selection": Experiment(selection, [FAIRYTALE_QA]),
        "decisions": Experiment(decisions, [PARTS[name] for name in DECIDED]),
        "labelled": Experiment(labelled, [one.dataset for one in load_labelled_sets().values()]),
    }


class Measurements(PlainErrors):
    input_errors = (BadInput, SettingsError)
    stopped = "Stopped. What was written so far is whole."


def command_line() -> typer.Typer:
    """Return the command line of `python -m evaluation`."""
    app = typer.Typer(
        cls=Measurements,
        help="Measure Noted. Memory is made afresh for each run.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # brackets are JSON here
        add_completion=False,
    )
    run = typer.Typer(help="Run an experiment; `list` names them.", no_args_is_help=True, rich_markup_mode=None)
    for name, experiment in load_experiments().items():
        run.command(name)(experiment.run)
    app.add_typer(run, name="run")
    app.command("list")(list_experiments)
    app.command()(report)
    app.command("compare")(compare_runs)
    app.command()(perf)
    return app


def list_experiments() -> None:
    """List the experiments and their data sets."""
    rows: dict[str, dict[str, str]] = {}
    for name, experiment in load_experiments().items():
        about = (experiment.run.__doc__ or "").partition("\n")[0]
        rows[name] = {"data set": "", "splits": "", "licence": "", "about": about}
        for one in experiment.datasets:
            source = f"from {one.source}" if one.source else ""
            rows[f"  {name}: {one.name}"] = {
                "data set": one.name, "splits": ", ".join(one.splits), "licence": one.licence, "about": source,
            }  # fmt: skip
    show_report(Report(name="experiments", tables=(Table.of("experiment", rows),)))


def report(folder: Annotated[Path, typer.Argument(help="Folder of a run.", metavar="DIR")]) -> None:
    """Show the report of a run."""
    show_report(read_report(folder))


def compare_runs(
    before: Annotated[Path, typer.Argument(help="Folder of a run.", metavar="A")],
    after: Annotated[Path, typer.Argument(help="Folder of another one.", metavar="B")],
) -> None:
    """Show the numbers that differ between two runs."""
    table = compare(read_report(before), read_report(after))
    show_report(Report(name="compare", tables=(table,)))
