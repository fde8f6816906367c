"""The plan `selection`, which question belongs to a text and its answer, and the command that judges further keys."""

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


def keys_kept(*, report: Report = None) -> None:
    """Whether further keys are better dropped by look-alikes, on the second and third decision set, by the gate alone.

    Look-alikes, four for each entry, were written by strangers who saw the entries only. A key is dropped that is not
    nearer, by a margin, to another text of its entry than to any look-alike. Or all are kept, and an entry is not for a
    question that is nearer to one of them than to its texts; unasked are those that the set does not ask in nearly the
    same words. The set's own look-alikes say how much any could bring.

    Columns: the share of keys kept, and the share of the set's look-alikes spliced at the strictest threshold with at
    least that recall; one is the recall of the gate as it is.
    """
    from evaluation.decisions.ablation import remembered_vectors
    from evaluation.decisions.report import write_json
    from evaluation.decisions.table import number, plain_table, wide_console
    from evaluation.gate.data import DECISIONS
    from evaluation.gate.fitting import bundled
    from evaluation.selection.keys import measured, read_watched

    check_outputs([report], [])
    found = {}
    with remembered_vectors():
        for name in ("second", "third"):
            rows = found[name] = dict(measured(read_watched(DECISIONS, name), bundled()))
            table = plain_table(f"{name} set", *rows["all keys"])
            for what, numbers in rows.items():
                table.add_row(what, *map(number, numbers.values()))
            wide_console().print(table)
    write_json(report, found)


COMMANDS = Commands((keys_kept,), plans={"selection": selection})
