"""What measures lessons that are drawn from cases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evaluation.command_parts import Commands, progress, show_table, show_tables, wide_console
from evaluation.reading import BadInput, set_named
from evaluation.streams.commands import Folder, Model, check_that_pictures_can_be_drawn

if TYPE_CHECKING:
    from evaluation.expnote.tasks.task import MakeSplit

_DEFAULT_OUT = Path("runs") / "expnote"


def lessons_worded(
    lines: Annotated[str, typer.Argument(metavar="SET", help="A file, or the name of a set of Noted: lessons_worded.")],
    *,
    show: Annotated[bool, typer.Option("--show", help="List what was learnt and answered.")] = False,
) -> None:
    """Teach the embedded model one case in everyday words, ask it another question, and count the right answers.

    A line of SET is {"family": "...", "case": "...", "answer": "...", "question": "...", "right": "..."}; where the
    case does not tell, `right` is empty.
    """
    from evaluation.expnote.worded import worded

    results, rows = [*worded(set_named(lines))], []
    for family in dict.fromkeys(each.line.family for each in results):
        some = [each for each in results if each.line.family == family]
        learnt, right = sum(bool(each.lesson) for each in some), sum(each.right for each in some)
        rows.append((family, learnt, right, len(some)))
    show_table("", ("learnt", "right", "of"), rows)
    console = wide_console()
    for each in results if show else ():
        mark = "" if each.right else "! "
        console.print(f"{mark}{each.line.case} [{each.line.answer}] {each.lesson} | {each.line.question} {each.said}")


def lessons_shown() -> None:
    """Which lessons a model that chooses among notes is shown, of all that the embedded one learns from the tasks.

    Of the tests, the share for which all lessons are shown from which the answer follows; of everyday questions, the
    share for which any is; and how many are shown for each.
    """
    from evaluation.expnote.shown import shown

    found = shown(_tasks([]), seed=0)
    rows = [(one.way, one.questions, f"{one.share:.3f}", f"{one.lessons:.2f}") for one in found]
    show_table("found", ("questions", "share", "lessons shown"), rows)


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
    from assistant.settings import EMBEDDED
    from evaluation.expnote.report import tables, write_report
    from evaluation.expnote.running import Plan, found, run

    check_that_pictures_can_be_drawn()
    plan = Plan(_tasks(task or []), seeds, cases, tests, model)
    with progress("Asking", plan.steps) as told:
        measured = run(out, plan, told)
    console = wide_console()
    show_tables(tables(measured))
    if "letters" in measured and model == EMBEDDED:
        console.print(
            f"One lesson for each word: all three shown for {found(out / 'found', seeds, tests):.3f} of LETS."
        )
    console.print(write_report(out, measured))


def _tasks(names: list[str]) -> dict[str, MakeSplit]:
    from evaluation.expnote.tasks.kinship import kinship
    from evaluation.expnote.tasks.letters import letters
    from evaluation.expnote.tasks.table import table

    known = {"letters": letters, "kinship": kinship, "table": table}
    if unknown := {*names} - {*known}:
        raise BadInput(f"There is no task {', '.join(sorted(unknown))}; choose of {', '.join(known)}.")
    return {name: known[name] for name in names or known}


COMMANDS = Commands([lessons_worded, lessons_shown], plans={"expnote": expnote})
