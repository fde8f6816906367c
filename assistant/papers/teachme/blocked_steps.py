"""Steps that a person blocked, in the questions that come later: a note beside the facts from which they start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.gate.marks import Mark
from assistant.kinds import STEP
from assistant.papers.teachme.told import is_fact, premise_of, same, starts_from
from assistant.ports import OwnEntries
from assistant.reports.listing import EntryFilter
from assistant.sentences import Sentence
from assistant.types import Action, Candidate, Decision, Entry, Question, Scope

_OF_ANOTHER = 0.5
_MOST_STEPS, _MOST_SHOWN = 200, 5
_SHOWN = frozenset({Action.USE, Action.OFFER})


@dataclass(frozen=True, slots=True)
class FindSteps:
    """Implements `Retriever`: add the steps that the user blocked for all conversations."""

    memory: OwnEntries

    def __call__(self, question: Question, scope: Scope, found: Sequence[Candidate]) -> Sequence[Candidate]:
        # The nearest of what is asserted is always found, and a step is, so who has blocked none pays nothing.
        if not any(candidate.entry.kind is STEP or is_fact(candidate.entry) for candidate in found):
            return found
        steps = self.memory.find(scope, EntryFilter(kind=STEP.name), _MOST_STEPS).entries
        blocked = {
            entry.id: Candidate(entry, entry.keys[0], {BLOCKED.feature: _how_near(entry, question)})
            for entry in steps
            if not (entry.only_in or entry.resting)
        }
        return [*(one for one in found if one.entry.id not in blocked), *blocked.values()]


def _bears(step: Candidate, decisions: Sequence[Decision]) -> bool:
    """Return True if a step was blocked for this very question, or starts from a fact that is shown."""
    shown = [one.entry for one in decisions if one.action in _SHOWN and is_fact(one.entry)]
    return step.scores[BLOCKED.feature] == 1 or starts_from(step.entry, list(map(premise_of, shown)))


def _how_near(step: Entry, question: Question) -> float:
    return 1.0 if same(step.question, question.text) else _OF_ANOTHER


BLOCKED = Mark("blocked", Sentence("found.blocked_step"), _MOST_SHOWN, _bears)
"""A step that was blocked: 1 where it was so for this very question, less for another one."""
