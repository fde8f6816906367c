"""The commands `run` and `report`."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assistant.settings import EMBEDDED
from evaluation.reading import BadInput

if TYPE_CHECKING:
    from evaluation.memprompt.stream import StreamSettings

PAPER = "paper"
_DEFAULT_OUT = Path("runs") / "memprompt"

Folder = Annotated[Path, typer.Option("--out", help="Folder of the run; one that is there goes on.", metavar="DIR")]


def run(  # noqa: PLR0913  each is an option of the command
    task: Annotated[str, typer.Argument(help="paper, lexical, scramble or factual.")],
    *,
    out: Folder = _DEFAULT_OUT,
    model: Annotated[str, typer.Option(help="What answers: a LiteLLM name, or `embedded`.", metavar="M")] = EMBEDDED,
    memory: Annotated[
        str, typer.Option(help="Memories with commas between: none, grow, memprompt, noted, …")
    ] = "none,grow,memprompt,noted",
    lang: Annotated[str, typer.Option(help="en, hi-latn, pa-latn, mixed; all where not given.")] = "",
    clarify: Annotated[str, typer.Option("--p", help="How often a person says what they meant; with commas.")] = "1",
    wrong: Annotated[float, typer.Option("--r", help="How often what they say is wrong.")] = 0.0,
    seeds: Annotated[int, typer.Option(min=1, help="How many, from 0.")] = 1,
    length: Annotated[int, typer.Option(min=1, help="Questions of a stream.")] = 300,
    brackets: Annotated[str, typer.Option(help="How many questions have < brackets >: all, half or none.")] = "half",
    data: Annotated[str, typer.Option(help="File of the questions, for factual.")] = "",
    people: Annotated[int, typer.Option(min=1, help="How many people ask.")] = 1,
    processes: Annotated[int, typer.Option(min=1, help="How many streams run at a time.")] = os.cpu_count() or 1,
    shared: Annotated[bool, typer.Option("--shared", help="They are one to the memory.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="`paper`: one seed of the English stream only.")] = False,
) -> None:
    """Replay experiments of MemPrompt with simulated people, on any model.

    Each stream is a person who asks one question after the other and, where they were misunderstood, says what they
    meant. What was done stays in DIR, also after Ctrl-C: the same command goes on where it stopped, and a model is
    never asked the same twice. At the end the report is written.

    `noted-without-meaning`, `-keys`, `-gate` and `-learning` are Noted without a part; `memprompt-levenshtein` is the
    lookup that the paper uses for Hindi and Punjabi. --quick takes under a minute, `paper` some 20.
    """
    from evaluation.memprompt.plans import paper, streams
    from evaluation.memprompt.plans import quick as quick_plan
    from evaluation.memprompt.tasks.choice import WITHOUT_DATA

    _check_that_pictures_can_be_drawn()
    if task == PAPER:
        chosen = quick_plan(model) if quick else paper(model)
    else:
        variant = brackets if task in WITHOUT_DATA else data
        chosen = streams(
            task,
            variant,
            model,
            _listed(lang),
            _listed(memory),
            [_share(text, "--p") for text in _listed(clarify)],
            _share(str(wrong), "--r"),
            seeds=seeds,
            length=length,
            people=people,
            is_shared=shared,
        )
    _run(chosen, out, processes)
    report(out)


def report(
    folder: Annotated[Path, typer.Argument(help="Folder of a run.", metavar="DIR")],
    prompt_price: Annotated[float, typer.Option(min=0, help="Price of a million tokens of prompts.")] = 0.0,
    reply_price: Annotated[float, typer.Option(min=0, help="Price of a million tokens of replies.")] = 0.0,
) -> None:
    """Write the report of a run: DIR/report.html with its pictures, also as PNG files, and DIR/report.json."""
    from evaluation.memprompt.report.measures import Prices
    from evaluation.memprompt.report.report import write_report

    _check_that_pictures_can_be_drawn()
    try:
        page = write_report(folder, Prices(prompt_price, reply_price))
    except OSError as error:
        raise BadInput(f"The report cannot be written: {error}.") from None
    typer.echo(page)


def _run(chosen: Sequence[StreamSettings], out: Path, processes: int) -> None:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from evaluation.memprompt.running import run_all

    columns = (TextColumn("Asking"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, disable=not sys.stderr.isatty(), transient=True) as progress:
        bar = progress.add_task("", total=sum(stream.length for stream in chosen))

        def told(done: int, total: int) -> None:
            progress.update(bar, completed=done, total=total)

        run_all(chosen, out, processes, told)


def _check_that_pictures_can_be_drawn() -> None:
    """`make run` does not install what draws the report, and a run takes minutes.

    Raises:
        BadInput: it is not there.
    """
    if importlib.util.find_spec("matplotlib") is None:
        install = "python -m pip install --group experiments"
        raise BadInput(f"The report is drawn by matplotlib, which is not installed; install it with: {install}")


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _share(text: str, name: str) -> float:
    try:
        share = float(text)
    except ValueError:
        raise BadInput(f'{name} must be a number from 0 to 1, not "{text}".') from None
    if not 0 <= share <= 1:
        raise BadInput(f"{name} must be from 0 to 1, not {text}.")
    return share
