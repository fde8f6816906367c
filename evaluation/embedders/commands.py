"""The commands that make other embedders to try with, and measure the gate with one that it was not fitted on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evaluation.command_parts import Commands, plain_table, wide_console
from evaluation.reading import BadInput

_LARGE, _SMALL = ("first", "second", "third"), ("fourth", "fifth", "scripts")  # packaged sets


def trial_embedders(
    folder: Annotated[Path, typer.Argument(help="Where they are made, outside of the repository.", metavar="DIR")],
    only: Annotated[
        list[str] | None,
        typer.Option(help="Make this one: `pieces` and `glossed` come only so. May be given more than once."),
    ] = None,
) -> None:
    """Make embedders that differ, from the bundled weights: cut, narrowed, crowded, and word vectors."""
    from evaluation.embedders.trial import NAMES
    from evaluation.embedders.trial import trial_embedders as make

    if unknown := set(only or ()) - set(NAMES):
        raise BadInput(f"There is none that is called {', '.join(sorted(unknown))}.")
    for path in make(folder, only or (), lambda name: typer.echo(f"Made: {name}", err=True)).values():
        typer.echo(str(path))


def left_out(
    clinc150: Annotated[Path, typer.Option(help="Folder with CLINC150 as dev.json.", metavar="DIR")],
    trial: Annotated[Path, typer.Option(help="Folder of the embedders to try with; made where missing.")],
    every: Annotated[int, typer.Option(min=1, help="Fit and ask one of so many questions, drawn evenly.")] = 4,
) -> None:
    """How well the gate does with an embedder that it was not fitted on.

    For each of the bundled embedder and those to try with, and each packaged set, without further keys: the right entry
    first, the best F1, and the shares of everyday questions and look-alikes with a splice; by the embedder's own fit on
    its cosines, and by a fit on all others over standardised similarities. No fit has seen the set. The small sets are
    asked whole. It takes some fifteen minutes on two cores.
    """
    from assistant.choose.calibration import Evidence
    from evaluation.embedders.standard import compared, loaded
    from evaluation.gate.data import decisions, one_of
    from evaluation.gate.fitting import memories

    data = [one_of(memory, every) for memory in memories(clinc150)[Evidence.QUESTION]]
    sets = {name: one_of(decisions(name, keys=False), every) for name in _LARGE}
    sets |= {name: decisions(name, keys=False) for name in _SMALL}
    columns, rows = ("set", *(f"{how}: first, F1, everyday, look-alikes" for how in ("own", "left out")), "F1"), []
    for name, one, own, others in compared(
        loaded(trial), data, sets, lambda name: typer.echo(f"Asked: {name}", err=True)
    ):
        cells = [f"{row.first:.3f} {row.f1:.3f} {row.everyday:.3f} {row.look_alikes:.3f}" for row in (own, others)]
        rows.append((name, one, *cells, f"{others.f1 / own.f1:.2f}" if own.f1 else ""))
    wide_console(140).print(plain_table("embedder", columns, rows))


COMMANDS = Commands((trial_embedders, left_out))
