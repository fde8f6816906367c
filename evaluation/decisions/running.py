"""A benchmark from its questions to its report: the store is filled, each question decided, the baselines scored."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from rich.console import Console
from rich.progress import track

from assistant.settings import EMBEDDED
from evaluation.cases import Benchmark, Case, Outcome, with_as_good
from evaluation.decisions.baselines import baselines
from evaluation.decisions.deciding import Decide, by_gate, by_model, decide_all
from evaluation.decisions.report import Report, report
from evaluation.reading import BadInput
from evaluation.store_filling import filled

T = TypeVar("T")
Keep = Callable[[Case, Outcome], None]


def run(title: str, benchmark: Benchmark, model: str | None = None, keep: Keep | None = None) -> Report:
    """Decide every question and count.

    `model` is what answers, as in the setting; None decides by recall and gate alone. `keep` hears of each outcome.

    Raises:
        NotedError: the app cannot be put together, or the model does not answer.
    """
    decide: Decide = by_gate if model is None else by_model
    outcomes: list[Outcome] = []
    with filled(benchmark.entries, model or EMBEDDED) as app:
        benchmark = with_as_good(benchmark, app.same)
        decided = decide_all(benchmark.questions, app, decide)
        for asked, outcome in zip(with_progress(benchmark.questions, "Deciding"), decided, strict=True):
            outcomes.append(outcome)
            if keep:
                keep(asked, outcome)
        others = baselines(benchmark, app.services.parts.embedder)
    return report(title, benchmark, outcomes, others)


def with_progress(items: Sequence[T], what: str) -> Iterator[T]:
    """The items, with a bar on standard error where somebody looks at it."""
    console = Console(stderr=True)
    return iter(track(items, what, console=console, disable=not console.is_terminal, transient=True))


@contextmanager
def lines_to(path: Path) -> Iterator[Keep]:
    """What writes one line per outcome, whole and at once, so that a run that is stopped leaves whole lines.

    Raises:
        BadInput: the file cannot be written.
    """
    try:
        # What no file can hold (a lone surrogate) is written as the escape that JSON has for it.
        file = path.open("w", encoding="utf-8", errors="backslashreplace", newline="\n")
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror or error}.") from None
    with file:

        def keep(asked: Case, outcome: Outcome) -> None:
            try:
                file.write(line_of(asked, outcome))
                file.flush()
            except OSError as error:
                raise BadInput(f"{path} cannot be written: {error.strerror or error}.") from None

        yield keep


def line_of(asked: Case, outcome: Outcome) -> str:
    """One line of JSON for one question."""
    fields = {
        "question": asked.question,
        "ranked": outcome.ranked,
        "offered": outcome.offered,
        "used": outcome.used,
        "probability": {name: round(score, 6) for name, score in outcome.scores.items()},
        "reason": dict(outcome.reasons),
        "ms": dict(outcome.ms),
    }
    if outcome.error:
        fields["error"] = outcome.error
    return json.dumps(fields, ensure_ascii=False) + "\n"
