"""The command `perf`, and the size of prompts."""

import os
import platform
from datetime import date
from typing import Annotated

import typer

from assistant.gate.gate import JUST_TOLD
from assistant.prompt.prompt import PromptInput, estimate_tokens
from assistant.types import Action, Candidate, Decision, Scope
from evaluation.decisions.benchmark import EVERYBODY
from evaluation.decisions.misunderstandings import load_decision_set
from evaluation.decisions.run import fill_app
from evaluation.harness.options import RUNS, Out, Seed, parse_names
from evaluation.harness.report import Report, Table, publish
from evaluation.perf.memory import measure_memory
from evaluation.perf.page import measure_readers, measure_starts
from evaluation.perf.timing import TimingRow, build_table

_SIZES = (100, 1_000, 10_000)
PARTS = ("memory", "start", "page", "prompts")
_PROMPT_BARS = {"without notes": 900, "with five notes": 1_100}  # tokens, of a connected model
_OF_MESSAGE = 4  # tokens that most providers add per message
_WINDOW = 128_000


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
    """Measure a question, a save, a start, many readers and prompts, each against its bar.

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
    if "prompts" in wanted:
        tables.append(build_table("prompts", measure_prompts()))
    machine = {"cpus": os.cpu_count(), "python": platform.python_version(), "load": os.getloadavg()[0]}
    settings = {"questions": questions, "people": people, "seed": seed, **machine}
    publish(Report(name="perf", tables=tuple(tables), settings=settings), out)


def measure_prompts() -> list[TimingRow]:
    """Return the estimated tokens of the prompt of a first question with a connected model."""
    benchmark, me = load_decision_set("fourth", keys=False), Scope(EVERYBODY)
    with fill_app(benchmark.entries) as app:
        entries = app.services.assistant.memory.entries(me)[:5]
        builder = app.services.models.connected["prompt_builder"]
    notes = [Decision(Candidate(entry, entry.keys[0]), Action.OFFER, 1.0, JUST_TOLD) for entry in entries]
    rows = []
    for name, decisions in {"without notes": [], "with five notes": notes}.items():
        asking = PromptInput(benchmark.questions[0].question, me, decisions, today=date(2026, 1, 5))
        messages = builder.answer(asking, _WINDOW).messages
        tokens = sum(estimate_tokens(message.content) + _OF_MESSAGE for message in messages)
        rows.append(TimingRow(f"connected model, {name}", tokens, bar=_PROMPT_BARS[name], unit="tokens"))
    return rows
