"""Facts that lead from a question to its answer, though they share no word with it.

"Can Rex bark?" finds "Rex is a dog", and only over that "dogs can bark". So what a question can be put as by the facts
that were found is looked for again, a few times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from assistant.gate.marks import Mark
from assistant.kinds import FACT, Fact, Reach
from assistant.ports import OwnEntries
from assistant.reasoning.chaining import MOST_FACTS
from assistant.reasoning.reading import Part
from assistant.reasoning.reading import Sentence as Said
from assistant.reasoning.reasoner import Note, Reasoner
from assistant.reports.listing import EntryFilter
from assistant.sentences import Sentence
from assistant.types import Candidate, Entry, Question, Scope

_MOST_OFFERED = 12
LINKED = Mark("linked", Sentence("found.linked_fact"), _MOST_OFFERED)
"""A fact that is linked to the question: 1 where the answer rests on it, less where it may."""
_HOPS = 4
_MOST_SEARCHED = 16  # texts
_MOST_OF_A_TEXT = 40
_MOST_ADDED = 20
_RESTS, _SPEAKS = 1.0, 0.5
_MOST_FORMS = 3  # of a thing
_CHANGING = ("fe", "f", "y")  # ends that are others in the plural
_FEWEST = 2  # letters of a text that is searched for


class FactsAbout(Protocol):
    """Finds the facts of a person that speak of things."""

    def __call__(self, texts: Sequence[str], scope: Scope) -> Sequence[Entry]:
        """Those that contain one of these texts, in any script; with no text, any one. Raises StoreError."""


@dataclass(frozen=True, slots=True)
class SearchedFacts:
    """Implements `FactsAbout` by searching a person's own entries, a text at a time."""

    memory: OwnEntries

    def __call__(self, texts: Sequence[str], scope: Scope) -> Sequence[Entry]:
        if not texts:
            return self.memory.find(scope, EntryFilter(kind=FACT.name), limit=1).entries
        found = (self.memory.find(scope, EntryFilter(text, FACT.name), limit=_MOST_OF_A_TEXT).entries for text in texts)
        return [*{entry.id: entry for entries in found for entry in entries}.values()]


@dataclass(frozen=True, slots=True)
class LinkFacts:
    """Implements `Retriever`: add the facts over which the question leads to an answer."""

    facts_about: FactsAbout
    reasoner: Reasoner

    def __call__(self, question: Question, scope: Scope, found: Sequence[Candidate]) -> Sequence[Candidate]:
        asked = self.reasoner.read(question.text)
        if not (asked.is_question and asked.parts):
            return found
        facts = [candidate.entry for candidate in found if candidate.entry.kind.name == FACT.name]
        if facts or self.facts_about((), scope):
            facts = self._gathered(question.text, facts, scope)
        linked = self._linked(question.text, facts)
        known = {candidate.entry.id for candidate in found}
        added = [Candidate(entry, entry.keys[0]) for entry in facts if entry.id in linked and entry.id not in known]
        return [_marked(candidate, linked) for candidate in (*found, *added[:_MOST_ADDED])]

    def _gathered(self, asked: str, found: Sequence[Entry], scope: Scope) -> list[Entry]:
        """What was found, and what is reached from it."""
        facts = {entry.id: entry for entry in found}
        searched: set[str] = set()
        sentences = [self.reasoner.read(asked)]
        for _ in range(_HOPS):
            new = [text for said in sentences for text in texts_about(said) if text not in searched]
            new = [*dict.fromkeys(new)][: _MOST_SEARCHED - len(searched)]
            if not new:
                break
            searched.update(new)
            facts |= {
                entry.id: entry
                for entry in self.facts_about(new, scope)
                if not entry.resting and entry.reach is not Reach.QUESTION
            }
            sentences = self.reasoner.chain(asked, notes_of([*facts.values()])).reached()
        return [*facts.values()][:MOST_FACTS]

    def _linked(self, question: str, facts: Sequence[Entry]) -> dict[str, float]:
        """Ids of the facts that bear on a question, with how surely they do, the surest first."""
        outcome = self.reasoner.outcome(question, notes_of(facts))
        surely = [facts[place].id for place in outcome.rests_on]
        perhaps = [facts[place].id for place in outcome.about if facts[place].id not in surely]
        return {**dict.fromkeys(surely, _RESTS), **dict.fromkeys(perhaps, _SPEAKS)}


def _marked(candidate: Candidate, linked: dict[str, float]) -> Candidate:
    sure = linked.get(candidate.entry.id)
    return candidate if sure is None else replace(candidate, scores={**candidate.scores, LINKED.feature: sure})


def notes_of(entries: Sequence[Entry]) -> list[Note]:
    """Facts, as they are chained."""
    said = [entry.body for entry in entries]
    return [Note(body.text, body.denied, body.triples) for body in said if isinstance(body, Fact)]


def texts_about(said: Said) -> list[str]:
    """What is searched for to find what else is told of what a sentence is about, or of what that is."""
    things = [part for part in said.parts if not part.is_person]
    first = things[:1] if said.is_question else things[:1] + things[-1:]
    return [text for thing in first for text in _forms(thing)]


def _stem(key: str) -> str:
    """What a word shares with its plural: salar(y, ies), kni(fe, ves)."""
    ending = next((ending for ending in _CHANGING if key.endswith(ending)), "")
    return key.removesuffix(ending) if len(key) - len(ending) > _FEWEST else key


def _forms(thing: Part) -> list[str]:
    """The shortest of its forms, of which the others are longer ones, and what it is in English."""
    plain = sorted((_stem(key.rstrip("|-")) for key in thing.word.keys), key=len)
    forms = [key for at, key in enumerate(plain) if not any(short in key for short in plain[:at])]
    return [form for form in (*forms, *sorted(thing.word.glosses)) if len(form) >= _FEWEST][:_MOST_FORMS]
