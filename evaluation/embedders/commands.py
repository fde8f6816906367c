"""Commands that make trial embedders, measure the gate with them, and fit the gate for one."""

from __future__ import annotations

from dataclasses import astuple
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from assistant.settings import Settings
from evaluation.command_parts import Commands, plain_table, wide_console
from evaluation.embedders.results import USUAL_EVERY, Fitting, SetRow
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


def fit_embedder(
    name: Annotated[str, typer.Argument(help="Its name in `noted embedder list`, a folder, or its LiteLLM name.")],
    home: Annotated[Path | None, typer.Option(help="Data directory that keeps the result.")] = None,
    every: Annotated[int, typer.Option(min=1, help="Fit on one of so many questions.")] = USUAL_EVERY,
    *,
    undo: Annotated[bool, typer.Option("--undo", help="Remove what was fitted for it.")] = False,
) -> None:
    """Fit the gate for an embedder, which takes minutes. The result is a file in the data directory."""
    from evaluation.embedders import fitting
    from memory_store.embedding.in_use import undo_fit

    settings = Settings.load(home=home)
    if undo:
        typer.echo("Removed." if undo_fit(settings, name) else "Nothing was fitted for it.", err=True)
        return
    if find_spec("scipy") is None:
        raise BadInput("Fitting needs scipy: pip install scipy")
    found = fitting.fit_embedder(settings, name, every, lambda line: typer.echo(line, err=True))
    columns = ("right first", "best F1", "everyday spliced", "look-alikes spliced")
    rows = [(one.name, *_cells(one.fitted, one.bundled)) for one in found.sets]
    wide_console().print(plain_table("set: this embedder / bundled", columns, rows))
    typer.echo(_reading(found))
    typer.echo(f"Saved. To remove it: python -m evaluation fit-embedder {name} --undo", err=True)


def _cells(fitted: SetRow, bundled: SetRow) -> list[str]:
    pairs = zip(astuple(fitted), astuple(bundled), strict=True)
    return [f"{100 * mine:.1f} % / {100 * other:.1f} %" for mine, other in pairs]


def _reading(found: Fitting) -> str:
    plain, english = (f"{100 * share:.1f} %" for share in (found.as_they_are, found.in_english))
    way = "word by word in English" if found.english else "as they are"
    return f"Mean best F1 before: texts as they are {plain}, word by word in English {english}. They are read {way}."


COMMANDS = Commands((trial_embedders, left_out, fit_embedder))
