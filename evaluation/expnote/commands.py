"""What measures lessons that are drawn from cases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evaluation.command_parts import Commands, progress, show_tables, wide_console
from evaluation.reading import BadInput
from evaluation.streams.commands import Folder, Model, check_that_pictures_can_be_drawn

if TYPE_CHECKING:
    from evaluation.expnote.tasks.task import MakeSplit

_DEFAULT_OUT = Path("runs") / "expnote"


def expnote(
    *,
    out: Folder = _DEFAULT_OUT,
    task: Annotated[list[str] | None, typer.Option(help="Of letters, kinship and table; all of them.")] = None,
    model: Model = "embedded",
    seeds: Annotated[int, typer.Option(min=1, help="Of each task.")] = 3,
    cases: Annotated[int, typer.Option(min=1, help="That are learnt from.")] = 200,
    tests: Annotated[int, typer.Option(min=1, help="Held-out questions.")] = 100,
) -> None:
    """Have a model draw lessons from cases, and ask it new questions, in every setting of the paper.

    What was done stays in DIR, also after Ctrl-C: the same command goes on where it stopped.
    """
    from evaluation.expnote.report import tables, write_report
    from evaluation.expnote.running import Plan, run

    check_that_pictures_can_be_drawn()
    plan = Plan(_tasks(task or []), seeds, cases, tests, model)
    with progress("Asking", plan.steps) as told:
        measured = run(out, plan, told)
    console = wide_console()
    show_tables(tables(measured))
    console.print(write_report(out, measured))


def _tasks(names: list[str]) -> dict[str, MakeSplit]:
    from evaluation.expnote.tasks.kinship import kinship
    from evaluation.expnote.tasks.letters import letters
    from evaluation.expnote.tasks.table import table

    known = {"letters": letters, "kinship": kinship, "table": table}
    if unknown := {*names} - {*known}:
        raise BadInput(f"There is no task {', '.join(sorted(unknown))}; choose of {', '.join(known)}.")
    return {name: known[name] for name in names or known}


COMMANDS = Commands(plans={"expnote": expnote})
