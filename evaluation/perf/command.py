"""The command `perf`."""

import os
import platform
from typing import Annotated

import typer

from evaluation.harness.options import RUNS, Out, Seed, parse_names
from evaluation.harness.report import Report, Table, publish
from evaluation.perf.memory import measure_memory
from evaluation.perf.page import measure_readers, measure_starts
from evaluation.perf.timing import build_table

_SIZES = (100, 1_000, 10_000)
PARTS = ("memory", "start", "page")


def perf(
    parts: Annotated[list[str] | None, typer.Argument(help=f"Of {', '.join(PARTS)}; all of them.")] = None,
    *,
    out: Out = RUNS / "perf",
    memories: Annotated[
        list[int] | None, typer.Option(min=1, help="Numbers of memories; 100, 1,000 and 10,000.")
    ] = None,
    questions: Annotated[int, typer.Option(min=1, help="Questions for each number of memories.")] = 200,
    times: Annotated[int, typer.Option(min=1, help="How often the page and an empty chat are started.")] = 5,
    people: Annotated[int, typer.Option(min=1, help="How many read an answer at once.")] = 100,
    seed: Seed = 0,
) -> None:
    """Measure a question, a save, a start, and many readers, each against its bar.

    Times are medians of processor time. Alternatives are measured in turns.
    """
    wanted, tables = parse_names(parts or PARTS, PARTS, "part"), list[Table]()
    if "memory" in wanted:
        tables += [
            build_table(f"{size:,} memories", measure_memory(size, questions, seed)) for size in memories or _SIZES
        ]
    if "start" in wanted:
        tables.append(build_table(f"starts: {times}", measure_starts(times)))
    if "page" in wanted:
        tables.append(build_table("page", measure_readers(people)))
    machine = {"cpus": os.cpu_count(), "python": platform.python_version(), "load": os.getloadavg()[0]}
    settings = {"questions": questions, "people": people, "seed": seed, **machine}
    publish(Report(name="perf", tables=tuple(tables), settings=settings), out)
