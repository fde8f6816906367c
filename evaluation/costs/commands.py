"""The commands that measure what it costs: the speed of recall, saving, the page."""

from typing import Annotated

import typer

from evaluation.command_parts import Commands, Report, Seed, check_outputs
from evaluation.reading import BadInput

_MOST_KEYS = 10_000_000


def speed(
    keys: Annotated[str, typer.Option(help="Numbers of keys, with commas between.")] = "1000,10000",
    questions: Annotated[int, typer.Option(min=1, help="How many questions are asked.")] = 200,
    report: Report = None,
    seed: Seed = 0,
) -> None:
    """How long recall and gate take with more and more keys, against embedding the question alone.

    Keys are made-up questions of one person in mixed languages, eight to an entry, with made-up vectors: only the time
    of searching counts.
    """
    from evaluation.costs.speed import as_json, measure_all, show
    from evaluation.decisions.report import write_json

    check_outputs([report], [])
    measured = []
    for one in measure_all(_sizes(keys), questions, seed):
        measured.append(one)
        write_json(report, as_json(measured, questions, seed))
    show(measured)


def saving(
    entries: Annotated[int, typer.Option(min=1, help="Entries of the person in the filled store.")] = 1_000,
    saves: Annotated[int, typer.Option(min=1, help="How many saves are timed.")] = 200,
    report: Report = None,
    seed: Seed = 0,
) -> None:
    """How long "Saved" takes against one commit with full sync.

    Clarifications are made up, in mixed languages, and saved by the call that the page makes: in a new store, in one
    that is filled, and in that with index and further keys being written behind it. By turns with each, one row as
    large is committed to a plain SQLite file on the same disk.
    """
    from evaluation.costs.saving import measure_all, show_saved
    from evaluation.costs.timing import machine
    from evaluation.decisions.report import write_json

    check_outputs([report], [])
    kept: dict[str, object] = {"seed": seed, "machine": machine()}
    measured = []
    for one in measure_all(entries, saves, seed):
        measured.append(one)
        kept["saved"] = [each.as_json() for each in measured]
        write_json(report, kept)
    show_saved(measured)


def page(
    people: Annotated[int, typer.Option(min=1, help="How many read an answer at once.")] = 100,
    starts: Annotated[int, typer.Option(min=1, help="How often page and empty page are started.")] = 9,
    report: Report = None,
) -> None:
    """What the page costs: added time to a word with many readers, and the first request after a start.

    The model is a server on this machine that writes ten words a second to each. It is read directly, then through the
    page, with as many readers; each word says when it was written and for whom. Counted are the words that are written
    while all are being answered, with every wait for an update of the page. The app and an empty Gradio page are
    started by turns. What a browser loads is measured by a test, tests/ui/browser/test_looks.py.
    """
    from evaluation.costs.page import measure_all, show
    from evaluation.decisions.report import write_json

    check_outputs([report], [])
    measured = measure_all(people, starts)
    write_json(report, measured.as_json())
    show(measured)


def prompts() -> None:
    """What the prompt of each kind of turn costs in tokens, by part, for each model's prompt.

    Beside what ten memories cost that are sent with every question, whether they apply or not.
    """
    from evaluation.costs.prompts import measure, show, tokenizer

    count, name = tokenizer()
    show(list(measure(count)), name)


def _sizes(written: str) -> list[int]:
    try:
        sizes = sorted({int(number.replace("_", "")) for number in written.split(",")})
    except ValueError:
        raise BadInput(f'--keys must be whole numbers with commas between, not "{written}".') from None
    if sizes[0] < 2 or sizes[-1] > _MOST_KEYS:
        raise BadInput(f"--keys must be from 2 to {_MOST_KEYS:,}.")
    return sizes


COMMANDS = Commands((speed, saving, page, prompts))
