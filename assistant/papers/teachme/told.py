"""What a person told, as far as it bears on a proof: facts that override the model, and steps that they blocked."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from assistant.kinds import FACT, STEP, Reach
from assistant.ports import OwnEntries
from assistant.reports.listing import EntryFilter
from assistant.text.cleaning import for_prompt
from assistant.types import Action, Entry, Scope, Turn

_NOT = "not true: "
_EDGES = " \t\"'“”‘’«»`*.,;:!?…।-–—•"
_MOST_FOUND = 20
_MOST_STEPS = 200


def same(first: str, second: str) -> bool:
    """Whether two sentences are the same, but for case, space and what stands around them."""
    return _form(first) == _form(second)


def premise_of(fact: Entry) -> str:
    """A fact as a premise."""
    return f"{_NOT}{fact.shown}" if is_denied(fact) else fact.shown


def is_fact(entry: Entry) -> bool:
    """Whether it says what is so."""
    return entry.kind.name == FACT.name


def is_denied(entry: Entry | None) -> bool:
    """Whether it is a fact of which the person said that it is not so."""
    return entry is not None and is_fact(entry) and bool(getattr(entry.body, "denied", False))


def told_of(turn: Turn) -> Entry | None:
    """What a person said of an answer, with which its question was answered again; None where they said nothing."""
    return next((one.entry for one in turn.decisions if one.entry.id == turn.clarified_with), None)


def retold(turn: Turn) -> Entry | None:
    """The fact that stands in the place of what a turn told, as its person put that right; None where there is none."""
    told = (one.entry for one in turn.decisions if one.action is Action.USE and one.entry.id == turn.clarified_with)
    return next(filter(is_fact, told), None)


def is_answer(entry: Entry) -> bool:
    """Whether the person told it as the answer to its question."""
    return is_fact(entry) and entry.reach is Reach.QUESTION


@dataclass(frozen=True, slots=True)
class Told:
    """What one person told. Raises StoreError."""

    memory: OwnEntries
    scope: Scope
    near: Sequence[Entry] = ()  # further entries that may say it: those that were found for the question

    def fact(self, premise: str) -> Entry | None:
        """The fact that a premise is, or that denies it: the person's own before those that are shared.

        It is known by its words alone, whoever claims what. A premise that quotes all of what the person denied, and
        says more, is taken for the denial.
        """
        plain = premise.removeprefix(_NOT)
        found = self.memory.find(self.scope, EntryFilter(search=plain, kind=FACT.name), _MOST_FOUND).entries
        near = [entry for entry in self.near if is_fact(entry)]
        exact = next((entry for entry in (*found, *near) if same(plain, entry.shown)), None)
        return exact or next((entry for entry in near if is_denied(entry) and _form(entry.shown) in _form(plain)), None)

    def blocks(self, premises: Sequence[str], conclusion: str, question: str, conversation: str) -> bool:
        """Whether the person blocked this step, or said that one of its premises does not matter for the question."""
        return any(
            _is_step(entry, premises, conclusion) or _is_aside(entry, premises, question)
            for entry in self.memory.find(self.scope, EntryFilter(kind=STEP.name), _MOST_STEPS).entries
            if entry.counts_in(conversation)
        )


def opposes(fact: Entry, premise: str) -> bool:
    """Whether a fact says the opposite of a premise that has its words."""
    return same(premise.removeprefix(_NOT), fact.shown) and is_denied(fact) is not premise.startswith(_NOT)


def starts_from(step: Entry, premises: Sequence[str]) -> bool:
    """Whether one of these is a premise of a blocked step."""
    return not _forms(getattr(step.body, "premises", ())).isdisjoint(_forms(premises))


def _is_step(entry: Entry, premises: Sequence[str], conclusion: str) -> bool:
    blocked = getattr(entry.body, "premises", ())
    return not entry.only_in and same(entry.shown, conclusion) and _forms(blocked) == _forms(premises)


def _is_aside(entry: Entry, premises: Sequence[str], question: str) -> bool:
    return bool(entry.only_in) and same(entry.question, question) and starts_from(entry, premises)


def _forms(sentences: Collection[str]) -> frozenset[str]:
    return frozenset(map(_form, sentences))


def _form(text: str) -> str:
    return " ".join(for_prompt(text).casefold().split()).strip(_EDGES)
