"""One question to one outcome, by the app itself: by recall and gate alone, or by its whole loop with a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from time import perf_counter

from assistant.errors import ModelError
from assistant.events import Finished
from assistant.text import checked
from assistant.types import Action, Decision, Scope, TurnState
from evaluation.cases import Asked, Id, Outcome
from evaluation.store_filling import Filled

MOST_RANKED = 10
_PATIENCE = 3  # questions in a row that a model may fail at

Decide = Callable[[Asked, Filled], Outcome]


def decide_all(questions: Sequence[Asked], filled: Filled, decide: Decide) -> Iterator[Outcome]:
    """The outcome of each question, in order.

    Beside each question, its embedding alone is timed (`embed`), before and after by turns, so that neither gains.

    Raises:
        ModelError: the model failed several times in a row.
    """
    failed = 0
    _warm_up(questions, filled)
    for number, asked in enumerate(questions):
        before = _embedding_ms(asked.question, filled) if number % 2 else None
        outcome = decide(asked, filled)
        alone = before or _embedding_ms(asked.question, filled)
        if alone is not None:
            outcome = _with_ms(outcome, "embed", alone)
        yield outcome
        failed = failed + 1 if outcome.error else 0
        if failed == _PATIENCE:
            raise ModelError(f"The model failed at {failed} questions in a row, the last time so: {outcome.error}")


def by_gate(asked: Asked, filled: Filled) -> Outcome:
    """What recall and gate decide. Used is what the gate marks `use`; no model is asked."""
    scope, parts = Scope(asked.person), filled.services.parts
    question = checked(asked.question, filled.services.limits.question)
    began = perf_counter()
    candidates = parts.recall(question, scope)
    recalled = perf_counter()
    decisions = parts.choose(candidates, scope)
    ms = {"recall": _ms(recalled - began), "gate": _ms(perf_counter() - recalled)}
    used = _named(decisions, filled, Action.USE)
    return _outcome(decisions, filled, used, ms)


def by_model(asked: Asked, filled: Filled) -> Outcome:
    """What the app's loop decides: what the gate spliced and what the model's reply named.

    Each question has a conversation of its own.
    """
    turn = None
    for event in filled.services.assistant.ask(asked.question, Scope(asked.person)):
        if isinstance(event, Finished):
            turn = event.turn
    if turn is None or turn.state is not TurnState.ANSWERED:
        return Outcome(error=(turn and turn.error) or "There was no answer.")
    used = tuple(filled.names[entry] for entry in turn.used if entry in filled.names)
    return _outcome(turn.decisions, filled, used, dict(turn.ms))


def _outcome(decisions: Sequence[Decision], filled: Filled, used: tuple[Id, ...], ms: dict[str, float]) -> Outcome:
    ranked = _named(decisions, filled)[:MOST_RANKED]
    offered = _named(decisions, filled, Action.OFFER)
    told = {filled.names[decision.entry.id]: decision for decision in decisions if decision.entry.id in filled.names}
    shown = dict.fromkeys((*ranked, *offered, *used))
    return Outcome(
        ranked=ranked,
        used=used,
        offered=offered,
        scores={name: told[name].probability for name in shown},
        reasons={name: told[name].reason for name in shown},
        ms=ms,
    )


def _named(decisions: Sequence[Decision], filled: Filled, action: Action | None = None) -> tuple[Id, ...]:
    return tuple(
        filled.names[decision.entry.id]
        for decision in decisions
        if decision.entry.id in filled.names and action in {None, decision.action}
    )


def _warm_up(questions: Sequence[Asked], filled: Filled) -> None:
    """What loads at the first question is not what a question takes."""
    if questions:
        by_gate(replace(questions[0], question="ready?"), filled)
        _embedding_ms("ready?", filled)


def _with_ms(outcome: Outcome, part: str, ms: float) -> Outcome:
    return replace(outcome, ms={**outcome.ms, part: ms})


def _embedding_ms(question: str, filled: Filled) -> float | None:
    """How long it takes to embed a question and nothing else; None without an embedder."""
    if filled.services.parts.embedder is None:
        return None
    began = perf_counter()
    filled.services.parts.embedder.encode([question])
    return _ms(perf_counter() - began)


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 3)
