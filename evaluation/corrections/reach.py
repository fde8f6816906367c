"""For which later questions corrections count: each given by a person of its own, who then asks some more.

A correction is given to an answer with the understanding that the case names, and its reach is what the app proposes.
A later question is changed where its answer rests on the correction.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assistant.conversation import Assistant
from assistant.events import RunSoFar
from assistant.kinds import Reach
from assistant.types import Entry, Reply, ReplyStatus, Scope, Turn, TurnState
from evaluation.reading import lines


@dataclass(frozen=True, slots=True)
class ReachCase:
    """A correction, with the reach that a person marked, and later questions."""

    id: str
    question: str
    understood: str
    correction: str
    reach: Reach
    kind: str  # `word` or `everyday`
    later: Mapping[str, bool]  # question to whether the correction should change how it is read


@dataclass(frozen=True, slots=True)
class ReachResult:
    """What became of a case."""

    case: ReachCase
    proposed: Reach
    changed: Mapping[str, bool]  # later question to whether the correction was used for it

    def share(self, *, should: bool) -> tuple[int, int]:
        """How many of the later questions that should change, or should not, did; and of how many."""
        asked = [question for question, changes in self.case.later.items() if changes is should]
        return sum(self.changed[question] for question in asked), len(asked)


@dataclass(frozen=True, slots=True)
class ReachSummary:
    """Shares over many results, each with its number and of how many."""

    wrongly_changed: tuple[int, int]
    rightly_changed: tuple[int, int]
    proposal_right: tuple[int, int]

    @classmethod
    def of(cls, results: Sequence[ReachResult]) -> ReachSummary:
        right = sum(result.proposed is result.case.reach for result in results)
        return cls(_sum(results, should=False), _sum(results, should=True), (right, len(results)))


def _sum(results: Sequence[ReachResult], *, should: bool) -> tuple[int, int]:
    shares = [result.share(should=should) for result in results]
    return sum(changed for changed, _ in shares), sum(asked for _, asked in shares)


def read_reach(path: Path) -> tuple[ReachCase, ...]:
    """Raises BadInput."""
    found = []
    for line in lines(path, "correction"):
        texts = (str(line.id("id")), line.text("question"), line.text("understood"), line.text("correction"))
        if (reach := line.text("reach")) not in {Reach.QUESTION.value, Reach.WAY.value}:
            raise line.wrong('"reach" must be "question" or "way"')
        try:
            later = {str(one["q"]): bool(one["changes"]) for one in line.field("later")}
        except (TypeError, KeyError):
            raise line.wrong('"later" must be a list of objects with "q" and "changes"') from None
        found.append(ReachCase(*texts, Reach(reach), line.text("kind"), later))
    return tuple(found)


def reached(cases: Sequence[ReachCase], assistant: Assistant) -> Iterator[ReachResult]:
    """Correct and ask, case by case. Raises NotedError where the memory fails."""
    for case in cases:
        scope = Scope(f"who corrects {case.id}")
        entry = corrected(assistant, scope, case.question, case.correction, case.understood)
        changed = {}
        for question in case.later:
            turn = RunSoFar().after(assistant.ask(question, scope)).turn
            changed[question] = entry.id in turn.used
        yield ReachResult(case, entry.reach, changed)


def corrected(assistant: Assistant, scope: Scope, question: str, words: str, understood: str) -> Entry:
    """What is saved where a person puts right how the question that began a conversation was understood."""
    reply = Reply.of("", understood, "?", ReplyStatus.OK)
    conversation = str(uuid.uuid4())
    turn = Turn(str(uuid.uuid4()), conversation, scope.person, question, state=TurnState.ANSWERED, reply=reply)
    assistant.runner.turn_store.record(turn, scope)
    (entry,) = RunSoFar().after(assistant.clarify(turn.id, words, scope)).noted.values()
    return entry
