"""The commands that measure what facts are worth that were told."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evaluation.command_parts import Commands
from evaluation.streams.commands import Folder

_DATA = Path(__file__).parents[1] / "data"
_DEFAULT_OUT = Path("runs") / "teachme"


def facts_told(
    questions: Annotated[str, typer.Argument(metavar="SET", help="A file, or the name of a set of Noted: chain_open.")],
    *,
    show: Annotated[bool, typer.Option("--show", help="List what was not right.")] = False,
) -> None:
    """Tell the app facts and ask what follows, on the embedded model, and count the answers by type and language.

    A line of SET is {"facts": [...], "question": "...", "answer": "yes|no|unknown|WORDS", "lang": "..."}.
    """
    from evaluation.decisions.table import plain_table, wide_console
    from evaluation.teachme.told import Mark, by_group, marked

    path = Path(questions)
    results = [*marked(path if path.exists() else _DATA / f"{questions}.jsonl")]
    table = plain_table("answers", "questions", *Mark)
    for name, some in by_group(results).items():
        counts = [sum(result.mark is each for result in some) for each in Mark]
        table.add_row(name, str(len(some)), *(f"{count} ({count / len(some):.0%})" for count in counts))
    console = wide_console()
    console.print(table)
    for result in results:
        if show and result.mark is not Mark.RIGHT:
            line = result.line
            console.print(f"{result.mark}: {' '.join(line.facts)} {line.question} [{line.answer}] {result.answer}")


def teachme(*, out: Folder = _DEFAULT_OUT, seed: Annotated[int, typer.Option(help="Of the worlds.")] = 0) -> None:
    """Teach the embedded model a generated world: a teacher who tells the facts that are missing where it is wrong.

    What was done stays in DIR, also after Ctrl-C: the same command goes on where it stopped.
    """
    from rich.console import Console
    from rich.progress import Progress

    from evaluation.decisions.table import plain_table, wide_console
    from evaluation.teachme.teaching import TYPES, run

    with Progress(console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("Asking", total=None)
        measures = run(out, seed, lambda done, total: progress.update(bar, completed=done, total=total))
    table = plain_table("yes/no questions right", *TYPES)
    for name, shares in measures.items():
        table.add_row(name, *(f"{shares[each]:.3f}" if each in shares else "" for each in TYPES))
    wide_console().print(table)


COMMANDS = Commands([facts_told], plans={"teachme": teachme})
