"""The plan `selection`, which chooses the better question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evaluation.command_parts import (
    Commands,
    Report,
    Seed,
    check_outputs,
    progress,
    show_shares,
    write_json,
)
from evaluation.streams.commands import Folder

if TYPE_CHECKING:
    from evaluation.selection.questions import Asked

_DEFAULT_OUT = Path("runs") / "selection"


def selection(
    *,
    data: Annotated[Path, typer.Option(help="Folder with FairytaleQA as val.jsonl.", metavar="DIR")],
    model: Annotated[
        str, typer.Option(help="Has this one write questions: a LiteLLM name, or `embedded`.", metavar="M")
    ] = "",
    out: Folder = _DEFAULT_OUT,
    samples: Annotated[int, typer.Option(min=1, max=5, help="Questions that are written each time.")] = 5,
    limit: Annotated[int, typer.Option(min=0, help="So many texts and answers; 0 for all.")] = 0,
    judged: Annotated[bool, typer.Option("--judged", help="Prompt scores too: 16 calls for each question.")] = False,
    rounds: Annotated[int, typer.Option(min=1, help="Without a model: draws of four other questions for each.")] = 3,
    seed: Seed = 0,
    report: Report = None,
) -> None:
    """Choose the better question about a text and its answer (Selecting Better Samples).

    With a model: it writes several, and BLEU-4 and ROUGE-L say how near to a person's is the greedy one, one at random,
    the best by each scorer and ensemble, and the nearest of all. What was asked stays in DIR, also after Ctrl-C.

    Without one: among five questions of people, which belongs to the text and answer.
    """
    from evaluation.selection.questions import read_questions

    check_outputs([report], [])
    asked = read_questions(data)
    if model:
        _generated(asked[: limit or None], model, samples, out, report, judged=judged)
    else:
        _paired(asked, rounds, seed, report)


def _generated(
    asked: Sequence[Asked], model: str, samples: int, out: Path, report: Path | None, *, judged: bool
) -> None:
    from contextlib import closing
    from dataclasses import asdict, replace

    from app import compose
    from evaluation.selection.generated import drawn, table
    from evaluation.selection.metrics import check_that_there_are_metrics
    from evaluation.store_filling import settings_in

    check_that_there_are_metrics()
    name = "".join(character if character.isalnum() else "-" for character in model)
    log = out / f"{name}-{samples}{'-judged' if judged else ''}.jsonl"
    out.mkdir(parents=True, exist_ok=True)
    settings = replace(settings_in(out / "home", model), draft_judging=judged)
    with closing(compose(settings)) as services, progress("Asking", len(asked)) as told:
        found = drawn(services.study, asked, samples, log, told)
    rows = [*table(asked, found)]
    answered = sum(bool(one.questions) for one in found)
    shown = {row.way: {"BLEU-4": row.bleu, "ROUGE-L": row.rouge} for row in rows}
    show_shares(f"{answered:,} of {len(asked):,} asked about by {model}", shown)
    write_json(report, {"model": model, "asked": answered, "rows": [asdict(row) for row in rows]})


def _paired(asked: Sequence[Asked], rounds: int, seed: int, report: Path | None) -> None:
    from evaluation.gate.fitting import bundled
    from evaluation.selection.questions import CHOICES
    from evaluation.selection.running import measured

    found = measured(asked, bundled(), rounds, seed)
    chance = {"chance": dict.fromkeys(found, 1 / CHOICES)}
    show_shares(f"share right of {len(asked):,} questions, {rounds} draws", _by_way(found) | chance)
    write_json(report, found)


def _by_way(found: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """The same, by what chooses first."""
    return {way: {of: shares[way] for of, shares in found.items()} for way in next(iter(found.values()))}


COMMANDS = Commands(plans={"selection": selection})
