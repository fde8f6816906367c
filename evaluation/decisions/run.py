"""Run a benchmark of decisions through the app, score Noted and the baselines, and report."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, TextIO

import typer

from assistant.errors import ModelError
from assistant.feedback.clarifications import build_clarification
from assistant.limits import Limits
from assistant.settings import EMBEDDED
from assistant.text.cleaning import check_text
from assistant.types import (
    Action,
    Decision,
    Key,
    KeyOrigin,
    NewEntry,
    Question,
    Reply,
    ReplyStatus,
    Scope,
    Turn,
    TurnState,
)
from evaluation.decisions.baselines import MEM0, WITHOUT_MEM0, find_baselines
from evaluation.decisions.benchmark import EVERYBODY, MOST_RANKED, Benchmark, CaseOutcome, DecisionCase, Id, StoredEntry
from evaluation.decisions.metrics import JudgedCase, group_cases, measure_cases
from evaluation.decisions.misunderstandings import FOLDER, PARTS, SETS, load, load_decision_set
from evaluation.harness.options import RUNS, Out
from evaluation.harness.report import Report, Settings, Table, publish
from evaluation.harness.runner import track
from evaluation.harness.simulated_user import SimulatedUser, open_fresh_app
from ui.server.services import Services

_PATIENCE = 3  # failures of the model in a row
Decide = Callable[[DecisionCase, "FilledApp"], CaseOutcome]


@dataclass(frozen=True, slots=True)
class FilledApp:
    """The app with the entries of a benchmark stored."""

    services: Services
    names: Mapping[str, Id]  # id in the store to id in the benchmark
    same: Mapping[Id, frozenset[Id]]  # entries that the store merged, by each of them

    def same_in(self, questions: Iterable[DecisionCase]) -> tuple[DecisionCase, ...]:
        """Return the questions with merged entries in `as_good`."""
        return tuple(
            case
            if case.applies is None
            else replace(case, as_good=case.as_good | self.same.get(case.applies, frozenset()) - {case.applies})
            for case in questions
        )


def build_draft(entry: StoredEntry, number: int, limits: Limits) -> NewEntry:
    """Return the draft that the app would store after a correction; `number` makes its turn unique."""
    first, *others = (check_text(question, limits.question) for question in entry.questions)
    reply = Reply.of(raw="", understanding=entry.wrong_understanding, status=ReplyStatus.OK)
    turn = Turn(f"evaluation-{number}", "evaluation", EVERYBODY, first, state=TurnState.ANSWERED, reply=reply)
    keys = (
        *(Key(question, KeyOrigin.QUESTION) for question in others),
        *(Key(check_text(text, limits.question), KeyOrigin.MODEL) for text in entry.keys),
    )
    return build_clarification(turn, check_text(entry.feedback, limits.clarification), keys)


@contextmanager
def fill_app(
    entries: Iterable[StoredEntry],
    model: str = EMBEDDED,
    embedder: str | None = None,
    draft: Callable[[StoredEntry, int, Limits], NewEntry] = build_draft,
) -> Iterator[FilledApp]:
    """Yield the app with a draft of each entry stored and indexed. Raises NotedError."""
    with open_fresh_app(model, embedder=embedder) as services:
        memory, limits, scope = services.assistant.memory, services.assistant.limits, Scope(EVERYBODY)
        saved = {entry.id: memory.remember(draft(entry, number, limits), scope) for number, entry in enumerate(entries)}
        services.upkeep.rebuild_index()
        became: dict[str, set[Id]] = defaultdict(set)
        for name, stored in saved.items():
            became[(memory.current(stored.id, scope) or stored).id].add(name)
        names = {stored.id: name for name, stored in saved.items()}
        yield FilledApp(services, names, {one: frozenset(some) for some in became.values() for one in some})


def decide_by_gate(case: DecisionCase, filled: FilledApp) -> CaseOutcome:
    """Return the decisions of retriever and gate, without a model."""
    scope, parts = Scope(EVERYBODY), filled.services.parts
    question = check_text(case.question, filled.services.assistant.limits.question)
    return _build_outcome(parts.gate(parts.recall(Question(question), scope), scope), filled.names)


def decide_by_model(case: DecisionCase, filled: FilledApp) -> CaseOutcome:
    """Return the decisions of a whole turn; the entries used are those that the model's reply names."""
    turn = SimulatedUser(filled.services.assistant, Scope(EVERYBODY)).ask(case.question)
    if turn.state is not TurnState.ANSWERED:
        return CaseOutcome(error=str(turn.error or "There was no answer."))
    used = tuple(filled.names[entry] for entry in turn.used if entry in filled.names)
    return _build_outcome(turn.decisions, filled.names, used)


def _build_outcome(
    decisions: Sequence[Decision], names: Mapping[str, Id], used: tuple[Id, ...] | None = None
) -> CaseOutcome:
    known = {names[decision.entry.id]: decision for decision in decisions if decision.entry.id in names}
    by_action = {
        action: tuple(name for name, decision in known.items() if decision.action is action) for action in Action
    }
    used = by_action[Action.USE] if used is None else used
    ranked, offered = tuple(known)[:MOST_RANKED], by_action[Action.OFFER]
    shown = dict.fromkeys((*ranked, *offered, *used))
    return CaseOutcome(
        ranked=ranked,
        used=used,
        offered=offered,
        scores={name: known[name].probability for name in shown},
        reasons={name: str(known[name].reason) for name in shown},
    )


def measure(
    benchmark: Benchmark, model: str | None = None, lines: TextIO | None = None, written: Sequence[CaseOutcome] = ()
) -> Report:
    """Run and score a benchmark; return a table by method, and one by group of questions.

    Args:
        benchmark: Entries and questions.
        model: Decides by whole turns; without it, retriever and gate decide.
        lines: File for one JSON line per question.
        written: Outcomes written by a language model, if known.

    Raises:
        NotedError: the app cannot be composed, or the model failed several times in a row.
    """
    noted = f"Noted with {model}" if model else "Noted"
    with fill_app(benchmark.entries, model or EMBEDDED) as app:
        benchmark = replace(benchmark, questions=app.same_in(benchmark.questions))
        embedder = app.services.parts.embedder
        decide = decide_by_model if model else decide_by_gate
        outcomes: dict[str, Sequence[CaseOutcome]] = {noted: _decide_all(benchmark, decide, app, lines)}
        if written:
            outcomes["a language model, as it wrote"] = written
        if embedder:
            outcomes |= {name: one.outcomes(benchmark, embedder) for name, one in find_baselines().items()}
    judged = {
        name: [JudgedCase(case, one) for case, one in zip(benchmark.questions, some, strict=True) if not one.error]
        for name, some in outcomes.items()
    }
    methods = {name: measure_cases(some) for name, some in judged.items()}
    groups = {name: measure_cases(some) for name, some in group_cases(judged[noted]).items()}
    tables = (
        Table.of(f"{benchmark.title}: methods", methods),
        Table.of(f"{benchmark.title}: {noted}, by group", groups),
    )
    return Report(name="decisions", tables=tables, notes=() if MEM0 in outcomes else (WITHOUT_MEM0,))


def _decide_all(benchmark: Benchmark, decide: Decide, app: FilledApp, lines: TextIO | None) -> list[CaseOutcome]:
    """Decide every question. Raises ModelError after several failures in a row."""
    outcomes, failed = list[CaseOutcome](), 0
    for case in track(benchmark.questions, "Deciding"):
        outcomes.append(decide(case, app))
        if lines:
            lines.write(format_line(case, outcomes[-1]))
            lines.flush()
        failed = failed + 1 if outcomes[-1].error else 0
        if failed == _PATIENCE:
            error = outcomes[-1].error
            raise ModelError(f"The model failed at {failed} questions in a row, the last time so: {error}")
    return outcomes


def read_replies(name: str, benchmark: Benchmark) -> list[CaseOutcome]:
    """Return the outcomes that a language model wrote for the questions of a set; empty ones if it saw no entries."""
    replies = {reply.question: reply for reply in load("replies", name)}
    found = (replies.get(case.question) for case in benchmark.questions)
    return [CaseOutcome(reply.shown, reply.used) if reply else CaseOutcome() for reply in found]


def format_line(case: DecisionCase, outcome: CaseOutcome) -> str:
    """Return a line of JSON for a question."""
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
    name: Annotated[str, typer.Argument(help=f"Name of a set: {', '.join(SETS)}, or one in --data.")],
    *,
    out: Out = RUNS / "decisions",
    data: Annotated[Path, typer.Option(help="Folder of the set.", metavar="DIR")] = FOLDER,
    keys: Annotated[bool, typer.Option(help="Read the further keys of the set, as a model would write them.")] = True,
    among: Annotated[str, typer.Option(help="Another set whose entries are in the same memory.", metavar="SET")] = "",
    lookalikes: Annotated[
        bool, typer.Option("--lookalikes", help="Ask the further look-alikes of the set too.")
    ] = False,
    model: Annotated[
        str | None, typer.Option(help="Decide by whole turns with this model: a LiteLLM name, or `embedded`.")
    ] = None,
) -> None:
    """Measure which stored clarifications are found, offered and used, and compare with baselines.

    A set is SET_entries.jsonl ({"id", "question", "wrong_understanding", "feedback", "lang"}), SET_questions.jsonl
    ({"question", "applies": id or null, "kind", "lang"}; the kinds `look-alike` and `everyday` are counted separately)
    and optionally SET_keys.jsonl ({"id", "keys": […]}). All entries are in one memory.

    OUT/decisions.jsonl has a line per question: {"question", "ranked": [ids, best first], "offered", "used",
    "probability", "reason"}. Without a model, `used` is the gate's decision.
    """
    benchmark = load_decision_set(name, keys=keys, among=among, lookalikes=lookalikes, folder=data)
    is_written = name in PARTS["replies"].splits and among == "third" and data == FOLDER and not lookalikes
    out.mkdir(parents=True, exist_ok=True)
    # Lone surrogates, which no file can hold, are written as JSON escapes.
    with (out / "decisions.jsonl").open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as lines:
        report = measure(benchmark, model, lines, read_replies(name, benchmark) if is_written else ())
    settings: Settings = {"set": name, "keys": keys, "lookalikes": lookalikes}
    publish(report.model_copy(update={"model": model or "retriever and gate alone", "settings": settings}), out)
