"""Run a benchmark of decisions through the app, score Noted and the baselines, and report."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from assistant.errors import ModelError
from assistant.feedback.learning import build_clarification
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
from evaluation.decisions.metrics import JudgedCase, measure_cases
from evaluation.decisions.misunderstandings import FOLDER, PARTS, SETS, load, load_decision_set
from evaluation.harness.model import MeasuredModel
from evaluation.harness.options import MODELS, RUNS, Out
from evaluation.harness.report import Report, Settings, Table, publish
from evaluation.harness.runner import track
from evaluation.harness.simulated_user import SimulatedUser, open_fresh_app
from ui.server.services import Services


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
    asked = check_text(entry.question, limits.question)
    reply = Reply.of(raw="", understanding=entry.wrong_understanding, status=ReplyStatus.OK)
    turn = Turn(f"evaluation-{number}", "evaluation", EVERYBODY, asked, state=TurnState.ANSWERED, reply=reply)
    keys = tuple(Key(check_text(text, limits.question), KeyOrigin.MODEL) for text in entry.keys)
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
        services.store.indexer.rebuild()
        became: dict[str, set[Id]] = defaultdict(set)
        for name, stored in saved.items():
            became[(memory.current(stored.id, scope) or stored).id].add(name)
        names = {stored.id: name for name, stored in saved.items()}
        yield FilledApp(services, names, {one: frozenset(some) for some in became.values() for one in some})


def decide_by_gate(case: DecisionCase, filled: FilledApp) -> CaseOutcome:
    """Return the decisions of retriever and gate, without a model."""
    scope, parts = Scope(EVERYBODY), filled.services.parts
    question = check_text(case.question, filled.services.assistant.limits.question)
    decisions = parts.gate(parts.recall(Question(question), scope), scope)
    used = [decision.entry.id for decision in decisions if decision.action is Action.USE]
    return _build_outcome(decisions, used, filled.names)


def decide_by_model(case: DecisionCase, filled: FilledApp) -> CaseOutcome:
    """Return the decisions of a whole turn; the entries used are those that the reply names. Raises ModelError."""
    turn = SimulatedUser(filled.services.assistant, Scope(EVERYBODY)).ask(case.question)
    if turn.error is not None:
        raise ModelError(turn.error.code, **turn.error.parameters)
    return _build_outcome(turn.decisions, turn.used, filled.names)


def _build_outcome(decisions: Sequence[Decision], used: Iterable[str], names: Mapping[str, Id]) -> CaseOutcome:
    scores = {names[one.entry.id]: one.probability for one in decisions if one.entry.id in names}
    return CaseOutcome(tuple(scores)[:MOST_RANKED], tuple(names[entry] for entry in used if entry in names), scores)


def measure(
    benchmark: Benchmark, model: str | None = None, cache: Path | None = None, written: Sequence[CaseOutcome] = ()
) -> Report:
    """Run and score a benchmark; return a table by method.

    Args:
        benchmark: Entries and questions.
        model: Decides by whole turns; without it, retriever and gate decide.
        cache: File for the replies of the model, so that a stopped run can continue.
        written: Outcomes written by a language model, if known.

    Raises:
        NotedError: the app cannot be composed, or the model failed.
    """
    decide = decide_by_model if model else decide_by_gate
    with fill_app(benchmark.entries, model or EMBEDDED) as filled:
        assistant = filled.services.assistant
        measured = assistant.with_parts(model=MeasuredModel(assistant.runner.model, cache))
        app = replace(filled, services=replace(filled.services, assistant=measured))
        benchmark = replace(benchmark, questions=app.same_in(benchmark.questions))
        outcomes: dict[str, Sequence[CaseOutcome]] = {
            f"Noted with {model}" if model else "Noted": [
                decide(case, app) for case in track(benchmark.questions, "Deciding")
            ]
        }
        if written:
            outcomes["a language model, as it wrote"] = written
        if embedder := app.services.parts.embedder:
            outcomes |= {name: one.outcomes(benchmark, embedder) for name, one in find_baselines().items()}
    methods = {name: measure_cases(list(map(JudgedCase, benchmark.questions, some))) for name, some in outcomes.items()}
    notes = () if MEM0 in outcomes else (WITHOUT_MEM0,)
    return Report(name="decisions", tables=(Table.of(f"{benchmark.title}: methods", methods),), notes=notes)


def read_replies(name: str, benchmark: Benchmark) -> list[CaseOutcome]:
    """Return the outcomes that a language model wrote for the questions of a set; empty ones if it saw no entries."""
    replies = {reply.question: reply for reply in load("replies", name)}
    found = (replies.get(case.question) for case in benchmark.questions)
    return [CaseOutcome(reply.shown, reply.used) if reply else CaseOutcome() for reply in found]


def decisions(
    name: Annotated[str, typer.Argument(help=f"Name of a set: {', '.join(SETS)}, or one in --data.")],
    *,
    out: Out = RUNS / "decisions",
    data: Annotated[Path, typer.Option(help="Folder of the set.", metavar="DIR")] = FOLDER,
    keys: Annotated[bool, typer.Option(help="Read the further keys of the set, as a model would write them.")] = True,
    among: Annotated[str, typer.Option(help="Another set whose entries are in the same memory.", metavar="SET")] = "",
    model: Annotated[str | None, typer.Option(help=f"Decide by whole turns: `embedded`, or {MODELS}.")] = None,
) -> None:
    """Measure which stored clarifications are found and used, and compare with baselines.

    A set is SET_entries.jsonl ({"id", "question", "wrong_understanding", "feedback", "lang"}), SET_questions.jsonl
    ({"question", "applies": id or null, "kind", "lang"}; the kinds `look-alike` and `everyday` are counted separately)
    and optionally SET_keys.jsonl ({"id", "keys": […]}). All entries are in one memory. Without a model, the gate
    decides what is used.
    """
    benchmark = load_decision_set(name, keys=keys, among=among, folder=data)
    is_written = name in PARTS["replies"].splits and among == "third" and data == FOLDER
    written = read_replies(name, benchmark) if is_written else ()
    report = measure(benchmark, model, None if model in {None, EMBEDDED} else out / "replies.sqlite3", written)
    settings: Settings = {"set": name, "keys": keys}
    publish(report.model_copy(update={"model": model or "retriever and gate alone", "settings": settings}), out)
