"""The commands that measure decisions: on files, on two public data sets, and on ways to ask for a word."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evaluation.command_parts import Commands, Report, Seed, check_outputs, write_json
from evaluation.reading import BadInput

if TYPE_CHECKING:
    from evaluation.cases import Benchmark


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
    replies: Annotated[
        Path | None, typer.Option(help="Decide by the whole loop with replies that were written.", metavar="R.jsonl")
    ] = None,
    report: Report = None,
) -> None:
    """Which stored clarifications are found, offered and used for which questions.

    E: {"id", "question", "wrong_understanding", "feedback", "lang"}. K: {"id", "keys": […]}. Q: {"question", "applies":
    id or null, "kind", "lang"}; the kinds `look-alike` and `everyday` (or `unrelated`) are counted apart. Other fields
    are ignored.

    P: {"question", "ranked": [ids, best first, at most 10], "offered": [ids], "used": [ids], "probability": {id: p},
    "reason": {id: text}, "ms": {part: milliseconds}}. `used` is what the gate splices; with --model, what is spliced in
    the end: that, and what the model's reply named. It is the same in every run, but for `ms` (and for what a model
    that answers by chance names).

    R: {"prompt": hash, "reply": text}. Prompts that have no reply there are written to a file beside it, as {"prompt",
    "messages"}, and nothing is counted.

    Questions in another script than the entry they need are counted apart by both scripts, unless one of the two is in
    English.

    All entries are in one memory. Baselines see the same.
    """
    from evaluation.decisions.report import as_json
    from evaluation.decisions.running import lines_to, run
    from evaluation.decisions.table import show
    from evaluation.decisions.written_replies import WrittenReplies
    from evaluation.reading import read_benchmark

    if model and replies:
        raise BadInput("--model and --replies are two ways to answer; give one of them.")
    benchmark = read_benchmark(entries, questions, keys, among)
    check_outputs([out, report], [entries, questions, keys, among])
    with lines_to(out) as keep:
        by = model or (f"the replies in {replies}" if replies else None)
        how = f"the whole loop with {by}" if by else "recall and gate alone"
        of = f"{len(benchmark.questions):,} questions with {len(benchmark.entries):,} entries"
        written = WrittenReplies(replies) if replies else None
        reported = run(f"Decisions on {of}, by {how}", benchmark, model, keep, written)
    write_json(report, as_json(reported))
    show(reported)


def clinc150(
    data: Annotated[Path, typer.Option(help="Folder with data_full.json (or dev.json).", metavar="DIR")],
    report: Report = None,
    seed: Seed = 0,
) -> None:
    """Decisions on CLINC150: an entry per intent, the validation questions, and those out of scope.

    Each intent is stored for one of its questions, then for five.

    The data set is not part of this repository: data/data_full.json of the repository clinc/oos-eval.
    """
    from evaluation.benchmarks.clinc150 import clinc150 as benchmark
    from evaluation.benchmarks.clinc150 import read_clinc150

    check_outputs([report], [])
    splits = read_clinc150(data)
    made = ((stored, benchmark(splits, stored, seed)) for stored in (1, 5))
    _run_all(((f"CLINC150, {stored} stored per intent, seed {seed}", one) for stored, one in made), report)


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
    from evaluation.benchmarks.hinglish_top import benchmarks, read_hinglish_top

    check_outputs([report], [])
    train, validation = read_hinglish_top(data)
    _run_all(benchmarks(train, validation, entries, seed), report)


def templates(
    ways: Annotated[
        Path | None, typer.Option(help="Ask in the ways of this file instead of the usual ones.", metavar="W.toml")
    ] = None,
    report: Report = None,
    seed: Seed = 0,
) -> None:
    """Decisions on ways to ask for a word, in English, romanized Hindi and Punjabi, each cleared up once.

    The five relations of MemPrompt, without brackets. Each way is asked about eight other words, with slips and
    fillers; as many questions need nothing. An entry of another way is right only where it is of the same type, for
    then it says the same, in whatever language. Further ways are in evaluation/data/ways/.
    """
    from evaluation.benchmarks.templates import DATA
    from evaluation.benchmarks.templates import templates as benchmark

    check_outputs([report], [ways])
    try:
        made = benchmark(seed, ways or DATA)
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise BadInput(f"{ways} cannot be used: {error}.") from error
    name = f"Templates of {ways.name}" if ways else "Templates"
    title = f"{name}: {len(made.entries)} ways to ask, {len(made.questions):,} questions, seed {seed}"
    _run_all([(title, made)], report)


def _run_all(titled: Iterable[tuple[str, Benchmark]], kept: Path | None) -> None:
    """Run benchmarks one after another, show each, and keep all."""
    from evaluation.decisions.report import as_json
    from evaluation.decisions.running import run
    from evaluation.decisions.table import show

    runs = []
    for title, benchmark in titled:
        reported = run(title, benchmark)
        runs.append(as_json(reported))
        show(reported)
        write_json(kept, {"runs": runs})


COMMANDS = Commands((decisions, clinc150, hinglish_top, templates))
