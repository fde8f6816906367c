"""The commands. Tables go to standard output, everything else to standard error or to the file that is named.

Exit codes: 0 done, 1 it did not work, 2 the input or the command cannot be used (one sentence says why), 130 stopped.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assistant.errors import NotedError, SettingsError
from evaluation.memprompt.commands import report, run
from evaluation.reading import BadInput

if TYPE_CHECKING:
    from evaluation.cases import Benchmark

Report = Annotated[Path | None, typer.Option("--report", help="Keep all numbers and curves here.", metavar="R.json")]
Seed = Annotated[int, typer.Option(help="Repeats a random choice.")]

_MOST_KEYS = 10_000_000


def command_line() -> typer.Typer:
    """The commands, as `python -m evaluation` runs them."""
    app = typer.Typer(
        help="Measure Noted. Memory is made afresh for each run, in a folder of its own that is removed again.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # brackets are JSON here
        add_completion=False,
    )

    app.command("decisions")(decisions)
    app.command("clinc150")(clinc150)
    app.command("hinglish-top")(hinglish_top)
    app.command("templates")(templates)
    app.command("speed")(speed)
    app.command("saving")(saving)
    app.command("page")(page)
    app.command("run")(run)
    app.command("report")(report)
    return app


def decisions(
    entries: Annotated[Path, typer.Option(help="Entries to store, one JSON object per line.", metavar="E.jsonl")],
    questions: Annotated[Path, typer.Option(help="Questions to ask.", metavar="Q.jsonl")],
    out: Annotated[Path, typer.Option(help="The decisions, one line per question.", metavar="P.jsonl")],
    model: Annotated[
        str | None,
        typer.Option(help="Decide by the whole loop with this model: a LiteLLM name, or `embedded`.", metavar="M"),
    ] = None,
    keys: Annotated[
        Path | None, typer.Option(help="Further keys, as a model would write them.", metavar="K.jsonl")
    ] = None,
    among: Annotated[Path | None, typer.Option(help="Further entries in the same memory.", metavar="E2.jsonl")] = None,
    report: Report = None,
    seed: Seed = 0,
    *,
    per_user: Annotated[
        bool, typer.Option("--per-user", help="Every entry belongs to a person of its own (see above).")
    ] = False,
) -> None:
    """Which stored clarifications are found, offered and used for which questions.

    E: {"id", "question", "wrong_understanding", "feedback", "lang"}. K: {"id", "keys": […]}. Q: {"question", "applies":
    id or null, "kind", "lang"}; the kinds `look-alike` and `everyday` (or `unrelated`) are counted apart. Other fields
    are ignored.

    P: {"question", "ranked": [ids, best first, at most 10], "offered": [ids], "used": [ids], "probability": {id: p},
    "reason": {id: text}, "ms": {part: milliseconds}}. `used` is what the gate splices; with --model, what is spliced in
    the end: that, and what the model's reply named. It is the same in every run, but for `ms` (and for what a model
    that answers by chance names).

    Questions in another script than the entry they need are counted apart by both scripts, unless one of the two is in
    English.

    All entries are in one memory that everybody asks, unless --per-user: then a question that needs an entry is asked
    by its owner, a look-alike by the owner of the entry that its field "near" names, and any other by an owner chosen
    at random (--seed). Baselines see the same entries.
    """
    with plain_errors():
        from evaluation.cases import each_with_an_owner
        from evaluation.reading import read_benchmark
        from evaluation.report import as_json, write_json
        from evaluation.running import lines_to, run
        from evaluation.table import show

        benchmark = read_benchmark(entries, questions, keys, among)
        if per_user:
            benchmark = each_with_an_owner(benchmark, seed)
        check_outputs([out, report], [entries, questions, keys, among])
        with lines_to(out) as keep:
            reported = run(_title(len(benchmark.entries), len(benchmark.questions), model), benchmark, model, keep)
        if report:
            write_json(report, as_json(reported))
        show(reported)


def clinc150(
    data: Annotated[Path, typer.Option(help="Folder with data_full.json (or dev.json).", metavar="DIR")],
    stored: Annotated[
        list[int] | None,
        typer.Option(help="Stored questions per intent; may be given more than once.  [default: 1, 5]"),
    ] = None,
    intents: Annotated[int | None, typer.Option(min=2, help="Only so many intents, chosen at random.")] = None,
    report: Report = None,
    seed: Seed = 0,
) -> None:
    """Decisions on CLINC150: an entry per intent, the validation questions, and those out of scope.

    The data set is not part of this repository: data/data_full.json of the repository clinc/oos-eval.
    """
    with plain_errors():
        from evaluation.clinc150 import clinc150 as benchmark
        from evaluation.clinc150 import read_clinc150

        check_outputs([report], [])
        splits = read_clinc150(data)
        numbers = stored or [1, 5]
        if any(number < 1 for number in numbers):
            raise BadInput("--stored must be at least 1.")
        _run_all(
            (
                (f"CLINC150, {number} stored per intent, seed {seed}", benchmark(splits, number, intents, seed))
                for number in numbers
            ),
            report,
        )


def hinglish_top(
    data: Annotated[Path, typer.Option(help="Folder with train.tsv and validation.tsv.", metavar="DIR")],
    entries: Annotated[
        int, typer.Option(min=1, help="Requests that are entries, in the variant by translation.")
    ] = 500,
    report: Report = None,
    seed: Seed = 0,
) -> None:
    """Decisions on Hinglish-TOP: memory in English and questions in code-mixed Hindi, and the reverse.

    Each by translation (a request is its own entry, right for its translation only) and by intent (an entry per intent,
    stored for five requests; a fifth of the intents has none). The data set is not part of this repository: the
    human-annotated splits of the repository google-research-datasets/Hinglish-TOP-Dataset.
    """
    with plain_errors():
        from evaluation.hinglish_top import benchmarks, read_hinglish_top

        check_outputs([report], [])
        train, validation = read_hinglish_top(data)
        _run_all(benchmarks(train, validation, entries, seed), report)


def templates(report: Report = None, seed: Seed = 0) -> None:
    """Decisions on ways to ask for a word, in English, romanized Hindi and Punjabi, each cleared up once.

    The five relations of MemPrompt, without brackets. Each way is asked about eight other words, with slips and
    fillers; as many questions need nothing. An entry of another way is right only where it is of the same type, for
    then it says the same, in whatever language.
    """
    with plain_errors():
        from evaluation.templates import templates as benchmark

        check_outputs([report], [])
        made = benchmark(seed)
        title = f"Templates: {len(made.entries)} ways to ask, {len(made.questions):,} questions, seed {seed}"
        _run_all([(title, made)], report)


def speed(
    keys: Annotated[str, typer.Option(help="Numbers of keys, with commas between.")] = "1000,10000",
    layout: Annotated[str, typer.Option(help="`own`, `among` (others), or `both`.")] = "both",
    questions: Annotated[int, typer.Option(min=1, help="How many questions are asked.")] = 200,
    stores: Annotated[
        Path | None, typer.Option(help="Folder in which filled stores are kept and found again.", metavar="DIR")
    ] = None,
    report: Report = None,
    seed: Seed = 0,
) -> None:
    """How long recall and gate take with more and more keys, against embedding the question alone.

    Keys are made-up questions in mixed languages, eight to an entry, with made-up vectors: only the time of searching
    counts. Once all keys are the asker's own (`own`), once the asker has 1,000 and 1,000 more are shared among those of
    other people (`among`).
    """
    with plain_errors():
        from evaluation.report import write_json
        from evaluation.speed import as_json, measure_all
        from evaluation.speed_table import show

        check_outputs([report], [])
        layouts = {"own": ["own"], "among": ["among"], "both": ["own", "among"]}.get(layout)
        if layouts is None:
            raise BadInput("--layout must be own, among or both.")
        measured = []
        for one in measure_all(_sizes(keys), layouts, questions, seed, stores):
            measured.append(one)
            if report:
                write_json(report, as_json(measured, questions, seed))
        show(measured)


def saving(
    entries: Annotated[int, typer.Option(min=1, help="Entries of the person in the filled store.")] = 1_000,
    saves: Annotated[int, typer.Option(min=1, help="How many saves are timed.")] = 200,
    disk: Annotated[int, typer.Option(min=0, help="Saves after which the disk is looked at; 0 for not.")] = 10_000,
    report: Report = None,
    seed: Seed = 0,
) -> None:
    """How long "Saved" takes against one commit with full sync, and the room on the disk against what the rows say.

    Clarifications are made up, in mixed languages, and saved by the call that the page makes: in a new store, in one
    that is filled, and in that with index and further keys being written behind it. By turns with each, one row as
    large is committed to a plain SQLite file on the same disk. The saves before the disk is looked at take long: some
    minutes for each thousand on a slow machine.
    """
    with plain_errors():
        from evaluation.report import write_json
        from evaluation.saving import measure_all
        from evaluation.saving_disk import measure as measure_disk
        from evaluation.saving_table import show_disk, show_saved
        from evaluation.speed import machine

        check_outputs([report], [])
        kept: dict[str, object] = {"seed": seed, "machine": machine()}

        def keep(name: str, numbers: object) -> None:
            kept[name] = numbers
            if report:
                write_json(report, kept)

        measured = []
        for one in measure_all(entries, saves, seed):
            measured.append(one)
            keep("saved", [each.as_json() for each in measured])
        show_saved(measured)
        if disk:
            room = measure_disk(disk, seed)
            keep("disk", room.as_json())
            show_disk(room)


def page(
    people: Annotated[int, typer.Option(min=1, help="How many read an answer at once.")] = 100,
    starts: Annotated[int, typer.Option(min=1, help="How often page and empty page are started.")] = 9,
    report: Report = None,
) -> None:
    """What the page costs: added time to a word with many readers, and the first request after a start.

    The model is a server on this machine that writes ten words a second to each. It is read directly, then through the
    page, with as many readers; each word says when it was written and for whom. Counted are the words that are written
    while all are being answered, with every wait for an update of the page. The app and an empty Gradio page are
    started by turns. What a browser loads is measured by a test, tests/ui/test_page_weight.py.
    """
    with plain_errors():
        from evaluation.page import measure_all
        from evaluation.page_table import show
        from evaluation.report import write_json

        check_outputs([report], [])
        measured = measure_all(people, starts)
        if report:
            write_json(report, measured.as_json())
        show(measured)


def _sizes(written: str) -> list[int]:
    try:
        sizes = sorted({int(number.replace("_", "")) for number in written.split(",")})
    except ValueError:
        raise BadInput(f'--keys must be whole numbers with commas between, not "{written}".') from None
    if sizes[0] < 2 or sizes[-1] > _MOST_KEYS:
        raise BadInput(f"--keys must be from 2 to {_MOST_KEYS:,}.")
    return sizes


def _run_all(titled: Iterable[tuple[str, Benchmark]], kept: Path | None) -> None:
    """Run benchmarks one after another, show each, and keep all."""
    from evaluation.report import as_json, write_json
    from evaluation.running import run
    from evaluation.table import show

    runs = []
    for title, benchmark in titled:
        reported = run(title, benchmark)
        runs.append(as_json(reported))
        show(reported)
        if kept:
            write_json(kept, {"runs": runs})


def check_outputs(outputs: list[Path | None], inputs: list[Path | None]) -> None:
    """Nothing that is read may be written over, and whatever is to be written at the end must be writable now.

    Raises:
        BadInput: it would be, or is not.
    """
    taken = {path.resolve() for path in inputs if path}
    for path in (path for path in outputs if path):
        if path.resolve() in taken:
            raise BadInput(f"{path} is named twice; it would be overwritten.")
        taken.add(path.resolve())
        if not path.absolute().parent.is_dir():
            raise BadInput(f"{path} cannot be written: there is no folder {path.absolute().parent}.")
        if path.is_dir():
            raise BadInput(f"{path} cannot be written: it is a folder.")


@contextmanager
def plain_errors() -> Iterator[None]:
    """What went wrong, as one sentence and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character shows a mark in its place.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        yield
    except (BadInput, SettingsError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from None
    except NotedError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        typer.echo("Stopped. What was written so far is whole.", err=True)
        raise typer.Exit(130) from None


def _title(entries: int, questions: int, model: str | None) -> str:
    how = "recall and gate alone" if model is None else f"the whole loop with {model}"
    return f"Decisions on {questions:,} questions with {entries:,} entries, by {how}"
