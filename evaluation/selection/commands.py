"""The plan `selection`: which of five questions belongs to a text and its answer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evaluation.command_parts import Commands, Report, Seed, check_outputs


def selection(
    *,
    data: Annotated[Path, typer.Option(help="Folder with FairytaleQA as val.jsonl.", metavar="DIR")],
    rounds: Annotated[int, typer.Option(min=1, help="Draws of four other questions for each.")] = 3,
    seed: Seed = 0,
    report: Report = None,
) -> None:
    """Choose among five questions of people the one that belongs to a text and answer (Selecting Better Samples).

    No language model is asked. What is fitted is fitted on other stories than it is tried on.
    """
    from json import dumps

    from evaluation.decisions.table import plain_table, wide_console
    from evaluation.gate.fitting import bundled
    from evaluation.selection.questions import CHOICES, read_questions
    from evaluation.selection.running import measured

    check_outputs([report], [])
    asked = read_questions(data)
    found = measured(asked, bundled(), rounds, seed)
    table = plain_table(f"share right of {len(asked):,} questions, {rounds} draws", *found)
    for name in next(iter(found.values())):
        table.add_row(name, *(f"{shares[name]:.3f}" for shares in found.values()))
    table.add_row("chance", *(f"{1 / CHOICES:.3f}" for _ in found))
    wide_console().print(table)
    if report:
        report.write_text(dumps(found, indent=1) + "\n", encoding="utf-8")


COMMANDS = Commands(plans={"selection": selection})
