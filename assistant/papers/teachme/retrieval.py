"""Retrieval from the dynamic memory (section 3.3 of the paper): facts that lead to an answer, and blocked steps.

The paper searches by the words of the question. "Can Rex bark?" finds "Rex is a dog", but "dogs can bark" only by way
of that fact: so the search is repeated a few times, with the question as the facts found restate it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assistant.gate.marks import Mark
from assistant.kinds import FACT, STEP, Reach
from assistant.papers.teachme.facts import facts_about, is_fact, notes_of, premise_of, same, starts_from, texts_about
from assistant.ports import Memory
from assistant.reasoning.chaining import MOST_FACTS
from assistant.reasoning.reasoner import Reasoner
from assistant.reports.listing import EntryFilter
from assistant.sentences import Sentence
from assistant.types import Action, Candidate, Decision, Entry, Question, Scope

_HOPS = 4
_MOST_SEARCHED = 16  # texts
_MOST_ADDED = 20
_MOST_OFFERED = 12
_MOST_STEPS, _MOST_STEPS_SHOWN = 200, 5
_SURE, _PERHAPS = 1.0, 0.5

LINKED = Mark("linked", Sentence("found.linked_fact"), _MOST_OFFERED)
"""A fact that is linked to the question: 1 where the answer rests on it, less where it may."""


@dataclass(frozen=True, slots=True)
class LinkFacts:
    """Implements `Retriever`: add the facts that lead from the question to its answer."""

    memory: Memory
    reasoner: Reasoner

    def __call__(self, question: Question, scope: Scope, found: Sequence[Candidate]) -> Sequence[Candidate]:
        asked = self.reasoner.read(question.text)
        if not (asked.is_question and asked.parts):
            return found
        facts = [candidate.entry for candidate in found if is_fact(candidate.entry)]
        if facts or self.memory.find(scope, EntryFilter(kind=FACT.name), limit=1).entries:
            facts = self._gathered(question.text, facts, scope)
        outcome = self.reasoner.outcome(question.text, notes_of(facts))
        sure = {facts[place].id: _SURE for place in outcome.rests_on}
        linked = {facts[place].id: _PERHAPS for place in outcome.about} | sure
        known = {candidate.entry.id for candidate in found}
        added = [Candidate(entry, entry.keys[0]) for entry in facts if entry.id in linked and entry.id not in known]
        return [
            replace(one, scores={**one.scores, LINKED.feature: linked[one.entry.id]}) if one.entry.id in linked else one
            for one in (*found, *added[:_MOST_ADDED])
        ]

    def _gathered(self, asked: str, found: Sequence[Entry], scope: Scope) -> list[Entry]:
        """Return the facts found, and those that are reached from them."""
        facts = {entry.id: entry for entry in found}
        searched: set[str] = set()
        sentences = [self.reasoner.read(asked)]
        for _ in range(_HOPS):
            new = [text for said in sentences for text in texts_about(said) if text not in searched]
            new = [*dict.fromkeys(new)][: _MOST_SEARCHED - len(searched)]
            if not new:
                break
            searched.update(new)
            reached = facts_about(new, self.memory, scope)
            facts |= {one.id: one for one in reached if not one.resting and one.reach is not Reach.QUESTION}
            sentences = self.reasoner.chain(asked, notes_of(facts.values())).reached()
        return [*facts.values()][:MOST_FACTS]


@dataclass(frozen=True, slots=True)
class FindSteps:
    """Implements `Retriever`: add the steps that the user blocked for all conversations."""

    memory: Memory

    def __call__(self, question: Question, scope: Scope, found: Sequence[Candidate]) -> Sequence[Candidate]:
        # The nearest fact or step is always found, so users who blocked none pay nothing.
        if not any(candidate.entry.kind is STEP or is_fact(candidate.entry) for candidate in found):
            return found
        blocked: dict[str, Candidate] = {}
        for entry in self.memory.find(scope, EntryFilter(kind=STEP.name), _MOST_STEPS).entries:
            if not (entry.only_in or entry.resting):
                near = _SURE if same(entry.question, question.text) else _PERHAPS
                blocked[entry.id] = Candidate(entry, entry.keys[0], {BLOCKED.feature: near})
        return [*(one for one in found if one.entry.id not in blocked), *blocked.values()]


def _bears(step: Candidate, decisions: Sequence[Decision]) -> bool:
    """Return True if a step was blocked for this very question, or starts from a fact that is shown."""
    shown = (one.entry for one in decisions if one.action in {Action.USE, Action.OFFER} and is_fact(one.entry))
    return step.scores[BLOCKED.feature] == _SURE or starts_from(step.entry, map(premise_of, shown))


BLOCKED = Mark("blocked", Sentence("found.blocked_step"), _MOST_STEPS_SHOWN, _bears)
"""A step that was blocked: 1 where it was so for this very question, less for another one."""
