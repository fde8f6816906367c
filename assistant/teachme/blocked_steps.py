"""Steps that a person blocked, in the questions that come later: a note beside the facts from which they start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assistant.kinds import STEP
from assistant.ports import Choose, OwnEntries, Recall
from assistant.reports.listing import EntryFilter
from assistant.sentences import Sentence
from assistant.teachme.told import is_fact, premise_of, same, starts_from
from assistant.types import Action, Candidate, Decision, Entry, Question, Scope

BLOCKED = "blocked"
"""The feature of a step that was blocked: 1 where it was so for this very question, less for another one."""
_REASON = Sentence("found.blocked_step")
_OF_ANOTHER = 0.5
_MOST_STEPS, _MOST_SHOWN = 200, 5
_SHOWN = frozenset({Action.USE, Action.OFFER})


@dataclass(frozen=True, slots=True)
class FoundSteps:
    """A `Recall` that adds to what another one finds the steps that the person blocked, for all conversations."""

    recall: Recall
    memory: OwnEntries

    def __call__(self, question: Question, scope: Scope) -> Sequence[Candidate]:
        found = self.recall(question, scope)
        # The nearest of what is asserted is always found, and a step is, so who has blocked none pays nothing.
        if not any(candidate.entry.kind is STEP or is_fact(candidate.entry) for candidate in found):
            return found
        steps = self.memory.find(scope, EntryFilter(kind=STEP.name), _MOST_STEPS).entries
        blocked = {
            entry.id: Candidate(entry, entry.keys[0], {BLOCKED: _how_near(entry, question)})
            for entry in steps
            if not (entry.only_in or entry.resting)
        }
        return [*(one for one in found if one.entry.id not in blocked), *blocked.values()]


@dataclass(frozen=True, slots=True)
class ChooseSteps:
    """A `Choose` that offers a blocked step of this question, or beside a fact that it starts from."""

    choose: Choose

    def __call__(self, candidates: Sequence[Candidate], scope: Scope) -> Sequence[Decision]:
        steps = [candidate for candidate in candidates if BLOCKED in candidate.scores]
        decisions = self.choose([candidate for candidate in candidates if BLOCKED not in candidate.scores], scope)
        shown = [one.entry for one in decisions if one.action in _SHOWN and is_fact(one.entry)]
        premises = list(map(premise_of, shown))
        bearing = [
            Decision(step, Action.OFFER, step.scores[BLOCKED], _REASON)
            for step in sorted(steps, key=lambda one: -one.scores[BLOCKED])
            if step.scores[BLOCKED] == 1 or starts_from(step.entry, premises)
        ]
        return [*decisions, *bearing[:_MOST_SHOWN]]


def minding_steps(parts: Mapping[str, Any], memory: OwnEntries) -> dict[str, Any]:
    """The parts of the loop, by name, with blocked steps found and chosen as well."""
    return {**parts, "recall": FoundSteps(parts["recall"], memory), "choose": ChooseSteps(parts["choose"])}


def _how_near(step: Entry, question: Question) -> float:
    return 1.0 if same(step.question, question.text) else _OF_ANOTHER
