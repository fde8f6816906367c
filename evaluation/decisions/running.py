"""A benchmark from its questions to its report: the store is filled, each question decided, the baselines scored.

The app itself decides: by recall and gate alone, or by its whole loop with a model.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import TypeVar

from rich.console import Console
from rich.progress import track

from assistant.errors import ModelError
from assistant.events import RunSoFar
from assistant.settings import EMBEDDED
from assistant.text.cleaning import checked
from assistant.types import Action, Decision, Question, Scope, TurnState
from evaluation.cases import EVERYBODY, MOST_RANKED, Benchmark, Case, Id, Outcome, with_as_good
from evaluation.decisions.baselines import baselines
from evaluation.decisions.report import Report, report
from evaluation.decisions.written_replies import WrittenReplies
from evaluation.reading import BadInput
from evaluation.store_filling import Filled, filled

T = TypeVar("T")
_PATIENCE = 3  # questions in a row that a model may fail at

Decide = Callable[[Case, Filled], Outcome]
Keep = Callable[[Case, Outcome], None]


def run(
    title: str,
    benchmark: Benchmark,
    model: str | None = None,
    keep: Keep | None = None,
    written: WrittenReplies | None = None,
) -> Report:
    """Decide every question and count.

    `model` is what answers, as in the setting, or the replies that were `written`; None of both decides by recall and
    gate alone. `keep` hears of each outcome.

    Raises:
        NotedError: the app cannot be put together, or the model does not answer.
        BadInput: a reply was not written.
    """
    decide: Decide = by_model if model or written else by_gate
    outcomes: list[Outcome] = []
    with filled(benchmark.entries, model or EMBEDDED) as bare:
        app = written.answering_in(bare) if written else bare
        benchmark = with_as_good(benchmark, app.same)
        decided = decide_all(benchmark.questions, app, decide)
        for asked, outcome in zip(with_progress(benchmark.questions, "Deciding"), decided, strict=True):
            outcomes.append(outcome)
            if keep:
                keep(asked, outcome)
        if written:
            written.check()
        others = baselines(benchmark, app.services.parts.embedder)
    return report(title, benchmark, outcomes, others)


def decide_all(cases: Sequence[Case], filled: Filled, decide: Decide) -> Iterator[Outcome]:
    """The outcome of each question, in order.

    Raises:
        ModelError: the model failed several times in a row.
    """
    failed = 0
    for case in cases:
        outcome = decide(case, filled)
        yield outcome
        failed = failed + 1 if outcome.error else 0
        if failed == _PATIENCE:
            raise ModelError(f"The model failed at {failed} questions in a row, the last time so: {outcome.error}")


def by_gate(asked: Case, filled: Filled) -> Outcome:
    """What recall and gate decide. Used is what the gate marks `use`; no model is asked."""
    scope, parts = Scope(EVERYBODY), filled.services.parts
    question = checked(asked.question, filled.services.assistant.limits.question)
    began = perf_counter()
    candidates = parts.recall(Question(question), scope)
    recalled = perf_counter()
    decisions = parts.gate(candidates, scope)
    seconds = {"recall": recalled - began, "gate": perf_counter() - recalled}
    ms = {part: round(1000 * taken, 3) for part, taken in seconds.items()}
    return outcome_of(decisions, filled.names, ms=ms)


def by_model(asked: Case, filled: Filled) -> Outcome:
    """What the app's loop decides: what the gate spliced and what the model's reply named.

    Each question has a conversation of its own.
    """
    turn = RunSoFar().after(filled.services.assistant.ask(asked.question, Scope(EVERYBODY))).turn
    if turn.state is not TurnState.ANSWERED:
        return Outcome(error=str(turn.error or "There was no answer."))
    used = tuple(filled.names[entry] for entry in turn.used if entry in filled.names)
    return outcome_of(turn.decisions, filled.names, used, dict(turn.ms))


def outcome_of(
    decisions: Sequence[Decision],
    names: Mapping[str, Id],
    used: tuple[Id, ...] | None = None,
    ms: Mapping[str, float] | None = None,
) -> Outcome:
    """The outcome of decisions, best first; `used` None takes what the gate marks."""
    told = {names[decision.entry.id]: decision for decision in decisions if decision.entry.id in names}
    ranked = tuple(told)[:MOST_RANKED]
    used = _marked(told, Action.USE) if used is None else used
    offered = _marked(told, Action.OFFER)
    shown = dict.fromkeys((*ranked, *offered, *used))
    return Outcome(
        ranked=ranked,
        used=used,
        offered=offered,
        scores={name: told[name].probability for name in shown},
        reasons={name: str(told[name].reason) for name in shown},
        ms=ms or {},
    )


def _marked(decisions: Mapping[Id, Decision], action: Action) -> tuple[Id, ...]:
    return tuple(name for name, decision in decisions.items() if decision.action is action)


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
