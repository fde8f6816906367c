"""The plans of `run` that replay MemPrompt."""

from pathlib import Path
from typing import Annotated

import typer

from assistant.settings import EMBEDDED
from evaluation.command_parts import Commands
from evaluation.reading import BadInput
from evaluation.streams.commands import CORES, Folder, Model, Processes, run_streams

_DEFAULT_OUT = Path("runs") / "memprompt"


def paper(
    *,
    out: Folder = _DEFAULT_OUT,
    model: Model = EMBEDDED,
    processes: Processes = CORES,
    quick: Annotated[bool, typer.Option("--quick", help="One seed of the English stream only.")] = False,
) -> None:
    """Replay the experiments of MemPrompt with simulated people: every task, every language.

    It takes some 20 minutes, with --quick under one.
    """
    from evaluation.memprompt import plans

    run_streams((plans.quick if quick else plans.paper)(model), plans.experiment, out, processes)


def one_task(  # noqa: PLR0913  each is an option of the command
    ctx: typer.Context,
    *,
    out: Folder = _DEFAULT_OUT,
    model: Model = EMBEDDED,
    memory: Annotated[str, typer.Option(help="Memories with commas between.")] = "none,grow,memprompt,noted",
    lang: Annotated[str, typer.Option(help="en, hi-latn, pa-latn, mixed; all where not given.")] = "",
    clarify: Annotated[str, typer.Option("--p", help="How often a person says what they meant; with commas.")] = "1",
    wrong: Annotated[float, typer.Option("--r", min=0, max=1, help="How often what they say is wrong.")] = 0.0,
    seeds: Annotated[int, typer.Option(min=1, help="How many, from 0.")] = 1,
    length: Annotated[int, typer.Option(min=1, help="Questions of a stream.")] = 300,
    brackets: Annotated[str, typer.Option(help="How many questions have < brackets >: all, half or none.")] = "half",
    people: Annotated[int, typer.Option(min=1, help="How many people ask.")] = 1,
    processes: Processes = CORES,
    shared: Annotated[bool, typer.Option("--shared", help="They are one to the memory.")] = False,
) -> None:
    """Replay one task of MemPrompt with simulated people.

    `memprompt-levenshtein` is the lookup that the paper uses for Hindi and Punjabi.
    """
    from evaluation.memprompt.plans import experiment, streams
    from evaluation.streams.experiment import Person, StreamSettings

    task, person = str(ctx.info_name), Person(errs=wrong)
    like = StreamSettings(task, brackets, lang, memory, model, person, 0, length, people, shared)
    chosen = streams(like, _listed(lang), _listed(memory), [_share(text) for text in _listed(clarify)], seeds)
    run_streams(chosen, experiment, out, processes)


def _report(folder: Path) -> Path:
    from evaluation.memprompt.report import write_report

    return write_report(folder)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        raise BadInput(f'--p must be a number from 0 to 1, not "{text}".') from None
    if not 0 <= share <= 1:
        raise BadInput(f"--p must be from 0 to 1, not {text}.")
    return share


_TASKS = ("lexical", "described", "scramble")
COMMANDS = Commands(
    plans={"paper": paper} | dict.fromkeys(_TASKS, one_task),
    reports=dict.fromkeys(_TASKS, _report),
)
