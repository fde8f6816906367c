"""The commands. Tables go to standard output, everything else to standard error or to the file that is named.

Exit codes: 0 done, 1 it did not work, 2 the input or the command cannot be used (one sentence says why), 130 stopped.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from assistant.errors import NotedError, SettingsError
from evaluation.reading import BadInput

Report = Annotated[Path | None, typer.Option("--report", help="Keep all numbers and curves here.", metavar="R.json")]
Seed = Annotated[int, typer.Option(help="Repeats a random choice.")]


def command_line() -> typer.Typer:
    """The commands, as `python -m evaluation` runs them."""
    app = typer.Typer(
        help="Measure Noted. Memory is made afresh for each run, in a folder of its own that is removed again.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        add_completion=False,
    )

    @app.callback()
    def measure() -> None:
        """Keeps the commands commands where there is only one."""

    app.command("decisions")(decisions)
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

        benchmark = read_benchmark(entries, questions, keys)
        if per_user:
            benchmark = each_with_an_owner(benchmark, seed)
        check_outputs([out, report], [entries, questions, keys])
        with lines_to(out) as keep:
            reported = run(_title(len(benchmark.entries), len(benchmark.questions), model), benchmark, model, keep)
        if report:
            write_json(report, as_json(reported))
        show(reported)


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
