"""The plan `memllm`: a sheet of facts is read, edited, and grows."""

from __future__ import annotations

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
    show_table,
    wide_console,
)
from evaluation.reading import BadInput

if TYPE_CHECKING:
    from assistant.ports import Embedder
    from evaluation.memllm.questions import TopicQuestion

_FEWEST = 100


def memllm(
    *,
    data: Annotated[
        Path | None, typer.Option(help="Folder with WebQuestions as train.jsonl and val.jsonl.", metavar="DIR")
    ] = None,
    triples: Annotated[str, typer.Option(help="Sizes to grow to, with commas between.")] = "1_000,10_000,100_000",
    edits: Annotated[int, typer.Option(min=0, help="Edits in a row.")] = 1_000,
    model: Annotated[
        str, typer.Option(help="Ask through the app as well: a LiteLLM name, or `embedded`.", metavar="M")
    ] = "",
    seed: Seed = 0,
    report: Report = None,
) -> None:
    """Read a sheet of facts, make edits in a row, and let it grow (MemLLM, sections 4.2 and 4.3).

    With DIR the triples of WebQuestions are read, by the stored relation and by the question's own words, and its
    questions are edited. The thresholds for own words were chosen with these questions in sight.
    """
    from json import dumps

    from evaluation.gate.fitting import bundled

    check_outputs([report], [])
    sizes, embedder = _sizes(triples), bundled()
    kept: dict[str, object] = {"relations": _relations(embedder)}
    if data is not None:
        kept |= {"reading": _read(data, embedder), "edits": _edited(data, embedder, model, edits, seed)}
    costs = kept["growth"] = {size: _grown(size, embedder) for size in sizes}
    columns = ("embedding", "read, named", "read, near", "save", "edit")
    rows = [(f"{size:,}", *(f"{value:.2f}" for value in cost.values())) for size, cost in costs.items()]
    show_table("triples", columns, rows)
    wide_console().print("Medians in ms. Embedding is of the two names of a read; a save of a fact without triples.")
    if report:
        report.write_text(dumps(kept, indent=1) + "\n", encoding="utf-8")


def _sizes(written: str) -> list[int]:
    try:
        sizes = sorted({int(number) for number in written.split(",") if number.strip()})
    except ValueError:
        raise BadInput(f'--triples must be whole numbers with commas between, not "{written}".') from None
    if any(size < _FEWEST for size in sizes):
        raise BadInput(f"--triples must be at least {_FEWEST}.")
    return sizes


def _relations(embedder: Embedder) -> dict[str, dict[str, float]]:
    """Print and return what is found by a relation in other words, by thresholds."""
    from dataclasses import asdict

    from evaluation.memllm.relations import measured

    found = measured(embedder)
    shown = {name: {"the same found": one.same, "something else found": one.other} for name, one in found.items()}
    show_shares("relations in other words, by thresholds", shown)
    return {name: asdict(shares) for name, shares in found.items()}


def _read(data: Path, embedder: Embedder) -> dict[str, dict[str, dict[str, float]]]:
    """Print and return, by way and split, what questions find in a sheet of the triples of both."""
    from dataclasses import asdict

    from evaluation.memllm.questions import SPLITS, read_questions
    from evaluation.memllm.reading import WAYS, fill, measured, opened

    asked = {split: read_questions(data, split) for split in SPLITS}
    with opened(embedder) as store:
        number = fill(store, (triple for some in asked.values() for one in some for triple in one.triples))
        with progress("Reading", len(WAYS) * sum(map(len, asked.values()))) as told:
            found = {
                way: {split: asdict(measured(store, some, way, told)) for split, some in asked.items()} for way in WAYS
            }
    rows = [
        (way, *("{hit:.3f} / {precision:.3f}".format(**by_split[split]) for split in SPLITS))
        for way, by_split in found.items()
    ]
    show_table(f"{number:,} triples, hit / precision", SPLITS, rows)
    return found


def _edited(data: Path, embedder: Embedder, model: str, edits: int, seed: int) -> dict[str, dict[str, float]]:
    """Print and return what became of the edits, by who answers."""
    from evaluation.memllm.edits import Chat, Plan, Sheet, forms_of, run, run_again, steps
    from evaluation.memllm.questions import SPLITS, read_questions
    from evaluation.memllm.reading import opened
    from evaluation.store_filling import fresh_app

    asked: list[TopicQuestion] = [one for split in SPLITS for one in read_questions(data, split)]
    plan = Plan.of(asked, seed, edits)
    found: dict[str, dict[str, float]] = {}
    with opened(embedder) as store, progress("Editing", steps(plan) + edits) as told:
        sheet = Sheet(store, forms_of(plan))
        found["without a model"] = run(sheet, plan, told) | run_again(sheet, plan, told)
    if model:
        with fresh_app(model) as services, progress("Asking", steps(plan)) as told:
            found[model] = run(Chat(services.assistant), plan, told)
    reworded = sum(map(len, plan.reworded.values()))
    others = f"{len(plan.unrelated):,} unrelated, {len(plan.near)} near"
    show_shares(f"{len(plan.edits):,} edits; {reworded} reworded, {others}", found)
    return found


def _grown(size: int, embedder: Embedder) -> dict[str, float]:
    from dataclasses import asdict

    from evaluation.memllm.growth import measured
    from evaluation.store_filling import fresh_folder

    with fresh_folder() as folder:
        return asdict(measured(folder, size, embedder))


COMMANDS = Commands(plans={"memllm": memllm})
