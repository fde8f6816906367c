"""One question to one outcome, by the app itself: by recall and gate alone, or by its whole loop with a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from time import perf_counter

from assistant.errors import ModelError
from assistant.events import RunSoFar
from assistant.text.cleaning import checked
from assistant.types import Action, Decision, Question, Scope, TurnState
from evaluation.cases import Case, Id, Outcome
from evaluation.store_filling import Filled

MOST_RANKED = 10
_PATIENCE = 3  # questions in a row that a model may fail at

Decide = Callable[[Case, Filled], Outcome]


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
    scope, parts = Scope(asked.person), filled.services.parts
    question = checked(asked.question, filled.services.assistant.limits.question)
    began = perf_counter()
    candidates = parts.recall(Question(question), scope)
    recalled = perf_counter()
    decisions = parts.choose(candidates, scope)
    seconds = {"recall": recalled - began, "gate": perf_counter() - recalled}
    ms = {part: round(1000 * taken, 3) for part, taken in seconds.items()}
    return outcome_of(decisions, filled.names, ms=ms)


def by_model(asked: Case, filled: Filled) -> Outcome:
    """What the app's loop decides: what the gate spliced and what the model's reply named.

    Each question has a conversation of its own.
    """
    turn = RunSoFar().after(filled.services.assistant.ask(asked.question, Scope(asked.person))).turn
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
