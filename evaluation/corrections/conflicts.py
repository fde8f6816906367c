"""What a second correction of one person is to the first: whether it takes its place, stands beside it, or neither."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum

from pydantic import BaseModel

from assistant.conversation import Assistant
from assistant.types import Scope, Status
from evaluation.corrections.reach import DATA, corrected
from evaluation.reading import read_all
from evaluation.store_filling import filled


class Outcome(StrEnum):
    """What becomes of the first."""

    REPLACED = "replaced"
    BESIDE = "beside"
    UNRELATED = "unrelated"


class Correction(BaseModel):
    """What a person said of a question, and what the conversation was about."""

    question: str
    said: str
    context: str


class ConflictCase(BaseModel):
    """Two corrections, and what a person says should become of the first."""

    id: str
    first: Correction
    second: Correction
    outcome: Outcome


def outcomes_of(name: str) -> list[tuple[ConflictCase, Outcome]]:
    """What becomes of one of the sets that come with Noted, in a store of its own."""
    with filled(()) as app:
        return list(outcomes(read_all(DATA / f"conflicts_{name}.jsonl", ConflictCase), app.services.assistant))


def outcomes(cases: Iterable[ConflictCase], assistant: Assistant) -> Iterator[tuple[ConflictCase, Outcome]]:
    """Correct twice, case by case, each in a conversation of its own. Raises NotedError where the memory fails."""
    for case in cases:
        scope = Scope(f"who corrects {case.id}")
        first, second = (
            corrected(assistant, scope, each.question, each.said, "?") for each in (case.first, case.second)
        )
        if assistant.memory.entry(first.id, scope).status is not Status.ACTIVE:
            yield case, Outcome.REPLACED
        else:
            beside = {entry.id for entry in assistant.memory.beside(second.id, scope)}
            yield case, Outcome.BESIDE if first.id in beside else Outcome.UNRELATED
