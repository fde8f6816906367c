"""The command line. Tables go to standard output, everything else to standard error or the folder of the run.

Exit codes: 0 done, 1 failed, 2 unusable input or command (one sentence says why), 130 stopped.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias

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
from ui.terminal.output import PlainErrors

Experiments: TypeAlias = Mapping[str, tuple[Callable[..., None], Sequence[Dataset[Any]]]]
"""Commands of `run` by name, with their data sets."""


def load_experiments() -> Experiments:
    """Return all experiments."""
    return {
        "memprompt": (memprompt, []),
        "teachme": (teachme, [ENTAILMENT_BANK]),
        "memllm": (memllm, [WEB_QUESTIONS]),
        "expnote": (expnote, []),
        "selection": (selection, [FAIRYTALE_QA]),
        "decisions": (decisions, [PARTS[name] for name in DECIDED]),
        "labelled": (labelled, [one.dataset for one in load_labelled_sets().values()]),
    }


class Measurements(PlainErrors):
    input_errors = (BadInput, SettingsError)
    stopped = "Stopped. The files written so far are complete."


def command_line() -> typer.Typer:
    """Return the command line of `python -m evaluation`."""
    app = typer.Typer(
        cls=Measurements,
        help="Measure Noted. Each run starts with an empty memory.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # brackets are JSON here
        add_completion=False,
    )
    run = typer.Typer(help="Run an experiment; `list` names them.", no_args_is_help=True, rich_markup_mode=None)
    for name, (experiment, _) in load_experiments().items():
        run.command(name)(experiment)
    app.add_typer(run, name="run")
    app.command("list")(list_experiments)
    app.command()(report)
    app.command("compare")(compare_runs)
    app.command()(perf)
    return app


def list_experiments() -> None:
    """List the experiments and their data sets."""
    rows: dict[str, dict[str, str]] = {}
    for name, (experiment, datasets) in load_experiments().items():
        rows[name] = {"about": (experiment.__doc__ or "").partition("\n")[0], "splits": "", "licence": ""}
        for one in datasets:
            about = f"from {one.source}" if one.source else ""
            rows[f"  {name}: {one.name}"] = {"about": about, "splits": ", ".join(one.splits), "licence": one.licence}
    show_report(Report(name="experiments", tables=(Table.of("experiment", rows),)))


def report(folder: Annotated[Path, typer.Argument(help="Folder of a run.", metavar="DIR")]) -> None:
    """Show the report of a run."""
    show_report(read_report(folder))


def compare_runs(
    before: Annotated[Path, typer.Argument(help="Folder of a run.", metavar="A")],
    after: Annotated[Path, typer.Argument(help="Folder of another run.", metavar="B")],
) -> None:
    """Show the numbers that differ between two runs."""
    table = compare(read_report(before), read_report(after))
    show_report(Report(name="compare", tables=(table,)))
