"""For which later questions corrections count: each given by a person of its own, who then asks some more.

A correction is given to an answer with the understanding that the case names, and its reach is what the app proposes.
A later question is changed where its answer rests on the correction.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pydantic import BaseModel

from assistant.conversation import Assistant
from assistant.events import RunSoFar
from assistant.kinds import Reach
from assistant.types import Action, Decision, Entry, Reply, ReplyStatus, Scope, Turn, TurnState
from evaluation.reading import DATA, read_all
from evaluation.store_filling import filled
from ui.server.services import Services


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many."""

    number: int = 0
    of: int = 0

    def __add__(self, other: Share) -> Share:
        return Share(self.number + other.number, self.of + other.of)

    def __str__(self) -> str:
        return f"{self.number} of {self.of} ({self.number / self.of:.1%})" if self.of else "–"


class Later(BaseModel):
    """A later question, and whether the correction should change how it is read."""

    q: str
    changes: bool


class ReachCase(BaseModel):
    """A correction, with the reach that a person marked, and later questions."""

    id: str
    question: str
    understood: str
    correction: str
    reach: Reach
    kind: str  # `word` or `everyday`
    later: tuple[Later, ...]


@dataclass(frozen=True, slots=True)
class ReachResult:
    """What became of a case."""

    case: ReachCase
    proposed: Reach
    changed: Mapping[str, bool]  # later question to whether the answer rests on the correction
    shown: Mapping[str, bool]  # later question to whether a model that chooses among notes would read the correction

    def share(self, found: Mapping[str, bool], *, should: bool) -> Share:
        """How many of the later questions that should change, or should not, did as `found` says."""
        asked = [later.q for later in self.case.later if later.changes is should]
        return Share(sum(found[question] for question in asked), len(asked))


class ReachSummary(NamedTuple):
    """Shares over many results."""

    proposed: Share  # as a person marked it
    wrongly_changed: Share
    rightly_changed: Share
    rightly_shown: Share  # to a model that chooses among notes

    @classmethod
    def of(cls, results: Sequence[ReachResult]) -> ReachSummary:
        return cls(
            Share(sum(result.proposed is result.case.reach for result in results), len(results)),
            sum((result.share(result.changed, should=False) for result in results), Share()),
            sum((result.share(result.changed, should=True) for result in results), Share()),
            sum((result.share(result.shown, should=True) for result in results), Share()),
        )


def reach_of(name: str) -> list[ReachResult]:
    """What becomes of one of the sets that come with Noted, in a store of its own."""
    with filled(()) as app:
        return list(reached(read_all(DATA / f"reach_{name}.jsonl", ReachCase), app.services))


def reached(cases: Iterable[ReachCase], services: Services) -> Iterator[ReachResult]:
    """Correct and ask, case by case. Raises NotedError where the memory fails."""
    assistant = services.assistant
    choosing = assistant.with_parts(services.models.connected)
    for case in cases:
        scope = Scope(f"who corrects {case.id}")
        entry = corrected(assistant, scope, case.question, case.correction, case.understood)
        asked = {later.q: RunSoFar().after(assistant.ask(later.q, scope)).turn for later in case.later}
        changed = {question: entry.id in turn.used for question, turn in asked.items()}
        previews = {later.q: choosing.preview(later.q, scope) for later in case.later}
        shown = {question: entry.id in _in_prompt(decisions) for question, decisions in previews.items()}
        yield ReachResult(case, entry.reach, changed, shown)


def _in_prompt(decisions: Sequence[Decision]) -> list[str]:
    return [decision.entry.id for decision in decisions if decision.action is not Action.SKIP]


def corrected(assistant: Assistant, scope: Scope, question: str, words: str, understood: str) -> Entry:
    """What is saved where a person puts right how the question that began a conversation was understood."""
    reply = Reply.of("", understood, "?", ReplyStatus.OK)
    conversation = str(uuid.uuid4())
    turn = Turn(str(uuid.uuid4()), conversation, scope.person, question, state=TurnState.ANSWERED, reply=reply)
    assistant.runner.turn_store.record(turn, scope)
    (entry,) = RunSoFar().after(assistant.clarify(turn.id, words, scope)).noted.values()
    return entry
