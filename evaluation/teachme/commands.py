"""The commands that measure what facts are worth that were told."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assistant.settings import EMBEDDED
from evaluation.command_parts import Commands, progress, show_shares, show_table, show_tables, wide_console
from evaluation.reading import BadInput, set_named
from evaluation.streams.commands import Folder, Model, check_that_pictures_can_be_drawn

_DEFAULT_OUT = Path("runs") / "teachme"


def facts_told(
    questions: Annotated[str, typer.Argument(metavar="SET", help="A file, or the name of a set of Noted: chain_open.")],
    *,
    show: Annotated[bool, typer.Option("--show", help="List what was not right.")] = False,
) -> None:
    """Tell the app facts and ask what follows, on the embedded model, and count the answers by type and language.

    A line of SET is {"facts": [...], "question": "...", "answer": "yes|no|unknown|WORDS", "lang": "..."}.
    """
    from evaluation.teachme.told import Mark, by_group, marked

    results, rows = [*marked(set_named(questions))], []
    for name, some in by_group(results).items():
        counts = [sum(result.mark is each for result in some) for each in Mark]
        rows.append((name, len(some), *(f"{count} ({count / len(some):.0%})" for count in counts)))
    show_table("answers", ("questions", *Mark), rows)
    console = wide_console()
    for result in results:
        if show and result.mark is not Mark.RIGHT:
            line = result.line
            console.print(f"{result.mark}: {' '.join(line.facts)} {line.question} [{line.answer}] {result.answer}")


def teachme(
    *,
    out: Folder = _DEFAULT_OUT,
    seed: Annotated[int, typer.Option(help="Of the worlds, or of options and of which questions are hidden.")] = 0,
    data: Annotated[
        Path | None, typer.Option(help="Folder with EntailmentBank as dev.jsonl and facts.txt.", metavar="DIR")
    ] = None,
    model: Model = EMBEDDED,
    orders: Annotated[int, typer.Option(min=1, help="With --data, in which is taught; the paper has 3.")] = 1,
    most: Annotated[int, typer.Option(min=0, help="With --data, questions of a short run; 0 for all.")] = 0,
) -> None:
    """Teach as TeachMe does: a teacher who tells the facts that are missing where it is wrong.

    Without --data, the embedded model and a generated world. With --data, EntailmentBank and a language model that
    thinks each question through; wrong options are answers of other questions that are as long. That takes up to fifty
    calls for a question, so try it with --most first. How facts are found (Table A1) takes no model.

    What was done stays in DIR, also after Ctrl-C: the same command goes on where it stopped.
    """
    if data is None and model != EMBEDDED:
        raise BadInput("A generated world is taught to the embedded model; a language model needs --data.")
    if data is None:
        _world(out, seed)
    else:
        _bank(out, data, model, seed, orders, most)


def _world(out: Path, seed: int) -> None:
    from evaluation.teachme.teaching import STEPS, TYPES, run

    with progress("Asking", STEPS) as told:
        measures = run(out, seed, told)
    in_order = {name: {each: shares[each] for each in TYPES if each in shares} for name, shares in measures.items()}
    show_shares("yes/no questions right", in_order)


def _bank(out: Path, data: Path, model: str, seed: int, orders: int, most: int) -> None:
    from evaluation.facts.bank import Bank
    from evaluation.gate.fitting import bundled
    from evaluation.teachme.indexed import found
    from evaluation.teachme.report import table_of_indexes, tables, write_report
    from evaluation.teachme.simulated import Plan, run

    bank = Bank.read(data)
    indexes = table_of_indexes(*found(bank, bundled()))
    show_tables([indexes])
    if model == EMBEDDED:
        typer.echo("The embedded model has no options to choose from; --model M teaches a language model.", err=True)
        return
    check_that_pictures_can_be_drawn()
    plan = Plan(bank, model, seed, orders, most)
    with progress("Asking", plan.asked) as told:
        measured = run(out, plan, told)
    show_tables(tables(measured))
    typer.echo(write_report(out, measured, indexes))


COMMANDS = Commands([facts_told], plans={"teachme": teachme})
