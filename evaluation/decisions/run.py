"""Decide every question of a benchmark with the app, score Noted and the baselines, and report."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TextIO

import typer

from assistant.errors import ModelError
from assistant.feedback.clarifications import clarification
from assistant.limits import Limits
from assistant.settings import EMBEDDED
from assistant.text.cleaning import checked
from assistant.types import (
    Action,
    Decision,
    Draft,
    Key,
    KeyOrigin,
    Question,
    Reply,
    ReplyStatus,
    Scope,
    Turn,
    TurnState,
)
from evaluation.decisions.baselines import baselines
from evaluation.decisions.benchmark import (
    EVERYBODY,
    MOST_RANKED,
    SETS,
    Benchmark,
    Case,
    Id,
    Outcome,
    Stored,
    decision_set,
)
from evaluation.decisions.metrics import Judged, by_group, measures
from evaluation.decisions.public import clinc150, hinglish_top, read_clinc150
from evaluation.decisions.templates import DATA as TEMPLATES
from evaluation.decisions.templates import templates
from evaluation.harness.dataset import DATA, BadInput
from evaluation.harness.options import RUNS, Data, Out, Seed
from evaluation.harness.report import Report, Table, publish
from evaluation.harness.runner import tracked
from evaluation.harness.subject import Subject, fresh_app
from ui.server.services import Services

_PATIENCE = 3  # questions in a row that a model may fail at
Decide = Callable[[Case, "Filled"], Outcome]


@dataclass(frozen=True, slots=True)
class Filled:
    """The app with the entries of a benchmark."""

    services: Services
    names: Mapping[str, Id]  # id of an entry in the store to its id in the benchmark
    same: Mapping[Id, frozenset[Id]]  # for each entry those that are one with it in the store


@contextmanager
def filled(entries: Iterable[Stored], model: str = EMBEDDED) -> Iterator[Filled]:
    """Yield the app with these entries stored, each by its owner, and the index up to date. Raises NotedError."""
    with fresh_app(model) as services:
        memory, limits = services.assistant.memory, services.assistant.limits
        saved = {
            entry.id: (memory.remember(draft_of(entry, number, limits), Scope(entry.owner)), Scope(entry.owner))
            for number, entry in enumerate(entries)
        }
        services.upkeep.rebuild_index()
        became: dict[str, set[Id]] = defaultdict(set)
        for name, (stored, scope) in saved.items():
            became[(memory.current(stored.id, scope) or stored).id].add(name)
        names = {stored.id: name for name, (stored, _) in saved.items()}
        yield Filled(services, names, {one: frozenset(some) for some in became.values() for one in some})


def draft_of(entry: Stored, number: int, limits: Limits) -> Draft:
    """Return what the app would store if the user had just corrected an answer; `number` tells it apart."""
    first, *others = (checked(question, limits.question) for question in entry.questions)
    reply = Reply.of(raw="", understanding=entry.wrong_understanding, status=ReplyStatus.OK)
    turn = Turn(f"evaluation-{number}", "evaluation", entry.owner, first, state=TurnState.ANSWERED, reply=reply)
    keys = (
        *(Key(question, KeyOrigin.QUESTION) for question in others),
        *(Key(checked(text, limits.question), KeyOrigin.MODEL) for text in entry.keys),
    )
    return clarification(turn, checked(entry.feedback, limits.clarification), keys)


def decide_by_gate(case: Case, filled: Filled) -> Outcome:
    """Return what retriever and gate decide; no model is asked."""
    scope, parts = Scope(EVERYBODY), filled.services.parts
    question = checked(case.question, filled.services.assistant.limits.question)
    return _outcome(parts.gate(parts.recall(Question(question), scope), scope), filled.names)


def decide_by_model(case: Case, filled: Filled) -> Outcome:
    """Return what a whole turn decides: what the gate marks, and what the reply of the model names."""
    turn = Subject(filled.services.assistant, Scope(EVERYBODY)).ask(case.question)
    if turn.state is not TurnState.ANSWERED:
        return Outcome(error=str(turn.error or "There was no answer."))
    used = tuple(filled.names[entry] for entry in turn.used if entry in filled.names)
    return _outcome(turn.decisions, filled.names, used)


def _outcome(decisions: Sequence[Decision], names: Mapping[str, Id], used: tuple[Id, ...] | None = None) -> Outcome:
    known = {names[decision.entry.id]: decision for decision in decisions if decision.entry.id in names}
    by_action = {
        action: tuple(name for name, decision in known.items() if decision.action is action) for action in Action
    }
    used = by_action[Action.USE] if used is None else used
    ranked, offered = tuple(known)[:MOST_RANKED], by_action[Action.OFFER]
    shown = dict.fromkeys((*ranked, *offered, *used))
    return Outcome(
        ranked=ranked,
        used=used,
        offered=offered,
        scores={name: known[name].probability for name in shown},
        reasons={name: str(known[name].reason) for name in shown},
    )


def measure(benchmark: Benchmark, model: str | None = None, lines: TextIO | None = None) -> list[Table]:
    """Decide every question and count; return a table of methods, and one of groups of questions.

    Args:
        benchmark: Entries and questions.
        model: Decides by whole turns; without it retriever and gate decide alone.
        lines: Takes one JSON line per question.

    Raises:
        NotedError: the app cannot be composed, or the model failed several times in a row.
    """
    decide = decide_by_model if model else decide_by_gate
    with filled(benchmark.entries, model or EMBEDDED) as app:
        benchmark = benchmark.with_same(app.same)
        judged, failed = [], 0
        for case in tracked(benchmark.questions, "Deciding"):
            outcome = decide(case, app)
            if lines:
                lines.write(line_of(case, outcome))
                lines.flush()
            judged.append(Judged(case, outcome))
            failed = failed + 1 if outcome.error else 0
            if failed == _PATIENCE:
                raise ModelError(f"The model failed at {failed} questions in a row, the last time so: {outcome.error}")
        embedder = app.services.parts.embedder
        others = baselines(benchmark, embedder) if embedder else {}
    answered = [one for one in judged if not one.outcome.error]
    kept = [place for place, one in enumerate(judged) if not one.outcome.error]
    methods = {"Noted": measures(answered, calibrated=True)}
    for name, outcomes in others.items():
        methods[name] = measures([Judged(benchmark.questions[place], outcomes[place]) for place in kept])
    groups = {name: measures(some, calibrated=True) for name, some in by_group(answered).items()}
    return [Table.of(f"{benchmark.title}: methods", methods), Table.of(f"{benchmark.title}: Noted, by group", groups)]


def line_of(case: Case, outcome: Outcome) -> str:
    """Return one line of JSON for one question."""
    fields = {
        "question": case.question,
        "ranked": outcome.ranked,
        "offered": outcome.offered,
        "used": outcome.used,
        "probability": {name: round(score, 6) for name, score in outcome.scores.items()},
        "reason": dict(outcome.reasons),
        **({"error": outcome.error} if outcome.error else {}),
    }
    return json.dumps(fields, ensure_ascii=False) + "\n"


def decisions(
    name: Annotated[str, typer.Argument(help=f"A set: {', '.join(SETS)}, or one of DIR.", metavar="SET")],
    *,
    out: Out = RUNS / "decisions",
    data: Annotated[Path, typer.Option(help="Folder of the files of the set.", metavar="DIR")] = DATA,
    keys: Annotated[bool, typer.Option(help="Read the further keys of the set, as a model would write them.")] = True,
    among: Annotated[str, typer.Option(help="Another set whose entries are in the same memory.", metavar="SET")] = "",
    model: Annotated[
        str | None, typer.Option(help="Decide by whole turns with this model: a LiteLLM name, or `embedded`.")
    ] = None,
) -> None:
    """Which stored clarifications are found, offered and used for which questions, beside two baselines.

    A set is SET_entries.jsonl ({"id", "question", "wrong_understanding", "feedback", "lang"}), SET_questions.jsonl
    ({"question", "applies": id or null, "kind", "lang"}; the kinds `look-alike` and `everyday` are counted apart) and,
    if it is there, SET_keys.jsonl ({"id", "keys": […]}). All entries are in one memory.

    OUT/decisions.jsonl has a line per question: {"question", "ranked": [ids, best first], "offered", "used",
    "probability", "reason"}. Without a model `used` is what the gate marks.
    """
    benchmark = decision_set(name, keys=keys, among=among, folder=data)
    out.mkdir(parents=True, exist_ok=True)
    # What no file can hold (a lone surrogate) is written as the escape that JSON has for it.
    with (out / "decisions.jsonl").open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as lines:
        tables = measure(benchmark, model, lines)
    publish(
        Report(
            name="decisions",
            model=model or "retriever and gate alone",
            tables=tuple(tables),
            settings={"set": name, "keys": keys},
        ),
        out,
    )


def public_clinc150(data: Data, out: Out = RUNS / "clinc150", seed: Seed = 0) -> None:
    """Decisions on CLINC150: an entry per intent, the validation questions, and those out of scope.

    Each intent is stored for one of its questions, then for five.
    """
    splits = read_clinc150(data)
    tables = [table for stored in (1, 5) for table in measure(clinc150(splits, stored, seed))]
    publish(Report(name="clinc150", tables=tuple(tables), settings={"seed": seed}), out)


def public_hinglish_top(
    data: Data,
    out: Out = RUNS / "hinglish-top",
    entries: Annotated[int, typer.Option(min=1, help="Requests that are entries, by translation.")] = 500,
    seed: Seed = 0,
) -> None:
    """Decisions on Hinglish-TOP: memory in English and questions in code-mixed Hindi, and the reverse."""
    tables = [table for benchmark in hinglish_top(data, entries, seed) for table in measure(benchmark)]
    publish(Report(name="hinglish-top", tables=tuple(tables), settings={"seed": seed}), out)


def ways_to_ask(
    out: Out = RUNS / "templates",
    ways: Annotated[Path, typer.Option(help="The ways to ask; more are in evaluation/data/ways/.")] = TEMPLATES,
    seed: Seed = 0,
) -> None:
    """Decisions on ways to ask for a word, in English, romanized Hindi and Punjabi, each explained once."""
    try:
        benchmark = templates(seed, ways)
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise BadInput(f"{ways} cannot be used: {error}.") from error
    publish(Report(name="templates", tables=tuple(measure(benchmark)), settings={"seed": seed}), out)
