"""What a second correction of one person is to the first: whether it takes its place, stands beside it, or neither."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

from pydantic import BaseModel

from app import PROMPTS
from assistant.keys.writer import ModelKeyWriter
from assistant.kinds import Place
from assistant.types import Entry, Scope, Status
from evaluation.corrections.reach import corrected
from evaluation.decisions.written_replies import WrittenReplies
from evaluation.reading import DATA, read_all
from evaluation.store_filling import filled
from ui.server.services import Services

_SECRET = b"markers of blocks, which no reply depends on"


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


Placing = Callable[[Entry, Sequence[Entry]], Mapping[str, Place]]
"""A clarification, and what its person said before, to what it is to that, by id."""


def by_rule(_entry: Entry, _earlier: Sequence[Entry]) -> Mapping[str, Place]:
    """Leaves it at what the memory made of it."""
    return {}


def by_replies(written: WrittenReplies) -> Placing:
    """What a model says in the call that writes keys."""
    writer = ModelKeyWriter(written, PROMPTS, _SECRET)
    return lambda entry, earlier: writer(entry, earlier, lambda: False).places if earlier else {}


def outcomes_of(name: str, placing: Placing = by_rule) -> list[tuple[ConflictCase, Outcome]]:
    """What becomes of one of the sets that come with Noted, in a store of its own."""
    with filled(()) as app:
        return list(outcomes(read_all(DATA / f"conflicts_{name}.jsonl", ConflictCase), app.services, placing))


def outcomes(
    cases: Iterable[ConflictCase], services: Services, placing: Placing = by_rule
) -> Iterator[tuple[ConflictCase, Outcome]]:
    """Correct twice, case by case, each in a conversation of its own. Raises NotedError where the memory fails."""
    assistant = services.assistant
    for case in cases:
        scope = Scope(f"who corrects {case.id}")
        first, second = (
            corrected(assistant, scope, each.question, each.said, "?") for each in (case.first, case.second)
        )
        for other, place in placing(second, services.parts.key_work.earlier(second)).items():
            assistant.memory.put(second.id, place, other, scope)
        if assistant.memory.entry(first.id, scope).status is not Status.ACTIVE:
            yield case, Outcome.REPLACED
        else:
            beside = {entry.id for entry in assistant.memory.beside(second.id, scope)}
            yield case, Outcome.BESIDE if first.id in beside else Outcome.UNRELATED
