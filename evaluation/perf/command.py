"""The command `perf`."""

from typing import Annotated

import typer

from evaluation.harness.dataset import BadInput
from evaluation.harness.options import Seed
from evaluation.harness.report import Report, Table
from evaluation.perf.memory import measure_memory
from evaluation.perf.page import measure_readers, measure_starts
from evaluation.perf.prompts import measure_prompts
from evaluation.perf.timing import machine, table_of

PARTS = ("memory", "start", "page", "prompts")
_MOST_MEMORIES = 1_000_000


def perf(
    parts: Annotated[list[str] | None, typer.Argument(help=f"Of {', '.join(PARTS)}; all of them.")] = None,
    *,
    memories: Annotated[str, typer.Option(help="Numbers of memories, with commas between.")] = "100,1000,10000",
    questions: Annotated[int, typer.Option(min=1, help="Questions for each number of memories.")] = 200,
    times: Annotated[int, typer.Option(min=1, help="How often the page and an empty chat are started.")] = 5,
    people: Annotated[int, typer.Option(min=1, help="How many read an answer at once.")] = 100,
    seed: Seed = 0,
) -> Report:
    """What a question, a save, a restart, a start, many readers and prompts cost, each with its bar.

    Times are medians, of the processor and by the clock. What is compared is asked, or started, by turns.
    """
    chosen = parts or list(PARTS)
    if unknown := {*chosen} - {*PARTS}:
        raise BadInput(f"There is no part {', '.join(sorted(unknown))}; choose of {', '.join(PARTS)}.")
    tables: list[Table] = []
    if "memory" in chosen:
        for size in _sizes(memories):
            tables.append(table_of(f"{size:,} memories", measure_memory(size, questions, seed)))
    if "start" in chosen:
        tables.append(table_of(f"starts: {times}", measure_starts(times)))
    if "page" in chosen:
        tables.append(table_of("page", measure_readers(people)))
    if "prompts" in chosen:
        tables.append(table_of("prompts", measure_prompts()))
    settings = {"memories": memories, "questions": questions, "people": people, "seed": seed, **machine()}
    return Report(name="perf", tables=tuple(tables), settings=settings)


def _sizes(written: str) -> list[int]:
    try:
        sizes = sorted({int(number.replace("_", "")) for number in written.split(",")})
    except ValueError:
        raise BadInput(f'--memories must be whole numbers with commas between, not "{written}".') from None
    if sizes[0] < 1 or sizes[-1] > _MOST_MEMORIES:
        raise BadInput(f"--memories must be from 1 to {_MOST_MEMORIES:,}.")
    return sizes
