"""The commands that measure what it costs: what a chat feels, starts, the page."""

from pathlib import Path
from typing import Annotated

import typer

from evaluation.command_parts import Commands, Report, Seed, check_outputs, show_table, write_json
from evaluation.reading import BadInput

_MOST_MEMORIES = 1_000_000


def speed(
    memories: Annotated[str, typer.Option(help="Numbers of memories, with commas between.")] = "100,1000,10000",
    questions: Annotated[int, typer.Option(min=1, help="How many questions are asked.")] = 200,
    beside: Annotated[
        Path | None, typer.Option(help="Measure mem0 beside it, which this Python has.", metavar="PYTHON")
    ] = None,
    report: Report = None,
    seed: Seed = 0,
) -> None:
    """What a question, a save and a restart cost with more and more memories, each with its bar.

    Memories are made up: questions in mixed languages and what was meant, saved as the app saves them, but with
    made-up vectors: only the time of searching counts. Times are medians. For --beside, an environment of its own with
    this version of Python is needed: pip install mem0ai==2.2.1 faiss-cpu qdrant-client
    """
    from evaluation.costs.speed import as_json, measure_all, show

    check_outputs([report], [])
    sizes, also = _sizes(memories), None
    if beside:
        from evaluation.costs import peer

        also = peer.beside(beside)
    measured = []
    for one in measure_all(sizes, questions, seed, also):
        measured.append(one)
        write_json(report, as_json(measured, questions, seed))
        show(one)


def start(
    times: Annotated[int, typer.Option(min=1, help="How often each is started.")] = 5,
    report: Report = None,
) -> None:
    """What it takes from a start to the first page and the first answer, each with its bar.

    The app and an empty Gradio chat are started by turns, then `ask` from the shell on a home that is new, and on one
    that is served. Seconds, medians.
    """
    from evaluation.costs.start import measure
    from evaluation.costs.timing import machine, show_rows

    check_outputs([report], [])
    rows = measure(times)
    write_json(report, {"machine": machine(), "rows": [row.as_json() for row in rows]})
    show_rows(f"starts: {times}", rows)


def page(
    people: Annotated[int, typer.Option(min=1, help="How many read an answer at once.")] = 100,
    report: Report = None,
) -> None:
    """What the page costs: added time to a word with many readers.

    The model is a server on this machine that writes ten words a second to each. It is read directly, then through the
    page, with as many readers; each word says when it was written and for whom. Counted are the words that are written
    while all are being answered, with every wait for an update of the page. What a browser loads is measured by a test,
    tests/ui/browser/test_looks.py.
    """
    from evaluation.costs.page import load, show

    check_outputs([report], [])
    measured = load(people)
    write_json(report, measured.as_json())
    show(measured)


def prompts() -> None:
    """What the prompt of each kind of turn costs in tokens, by part, for each model's prompt.

    Beside what ten memories cost that are sent with every question, whether they apply or not.
    """
    from evaluation.costs.prompts import PARTS, measure, tokenizer

    count, name = tokenizer()
    show_table(f"Tokens ({name})", PARTS, [(f"{cost.prompt}: {cost.turn}", *cost.tokens) for cost in measure(count)])


def _sizes(written: str) -> list[int]:
    try:
        sizes = sorted({int(number.replace("_", "")) for number in written.split(",")})
    except ValueError:
        raise BadInput(f'--memories must be whole numbers with commas between, not "{written}".') from None
    if sizes[0] < 1 or sizes[-1] > _MOST_MEMORIES:
        raise BadInput(f"--memories must be from 1 to {_MOST_MEMORIES:,}.")
    return sizes


COMMANDS = Commands((speed, start, page, prompts))
