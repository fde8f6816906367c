"""What a person can say of the reasons for an answer (figure 3 of the paper), as one table: what each act remembers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from assistant.errors import EmptyText, InputError
from assistant.kinds import FACT, STEP, Body, Fact, Kind, Step
from assistant.teachme.reasons import Premise, Reasons
from assistant.teachme.told import is_denied
from assistant.types import Draft, Turn


class Act(StrEnum):
    """What they say."""

    WRONG = "wrong"  # a premise is not so; with words, what is so instead
    DOES_NOT_MATTER = "does not matter"  # a premise has nothing to do with the question
    DOES_NOT_FOLLOW = "does not follow"  # the premises do not lead to the answer
    MISSING = "missing"  # a fact is missing, in these words
    ANSWER = "answer"  # the answer is another one, in these words
    TRUE = "true"  # a premise that the model does not believe is so


@dataclass(frozen=True, slots=True)
class Said:
    """An act, with what it is about."""

    turn: Turn
    reasons: Reasons | None  # None where nobody asked for them
    number: int = 0  # of the premise that is meant, from 1; 0 for none
    words: str = ""

    @property
    def premise(self) -> Premise:
        """The premise that is meant. Raises InputError."""
        if not 1 <= self.number <= len(self.known.premises):
            raise InputError("why.which_premise", count=len(self.known.premises))
        return self.known.premises[self.number - 1]

    @property
    def known(self) -> Reasons:
        """The reasons. Raises InputError where there are none."""
        if self.reasons is None or not self.reasons.premises:
            raise InputError("why.no_reasons")
        return self.reasons

    @property
    def told(self) -> str:
        """The words. Raises EmptyText."""
        if not self.words:
            raise EmptyText
        return self.words


@dataclass(frozen=True, slots=True)
class Taught:
    """What comes of an act: what is remembered, one thing at least, and entries that the next answer goes without."""

    drafts: tuple[Draft, ...]
    left_out: tuple[str, ...] = ()


def taught(act: Act, said: Said) -> Taught:
    """What comes of an act. Raises InputError: it says too little, or is about nothing that there is."""
    return _ACTS[act](said)


def fact_told(turn: Turn, text: str, *, denied: bool = False, supersedes: str | None = None, **fields: object) -> Draft:
    """A fact that was told of the reasons for the answer of a turn."""
    return _draft(FACT, turn, Fact.model_validate({"text": text, "denied": denied, **fields}), supersedes)


def _wrong(said: Said) -> Taught:
    """The opposite is so. Their own fact goes with it, and comes back with it; a shared one is left out here."""
    premise, entry = said.premise, said.premise.entry
    instead = (fact_told(said.turn, said.words),) if said.words else ()
    if entry is None or premise.opposed:
        return Taught((fact_told(said.turn, premise.text if entry is None else entry.shown, denied=True), *instead))
    replaced, left_out = (None, (entry.id,)) if entry.shared else (entry.id, ())
    opposite = fact_told(said.turn, entry.shown, denied=not is_denied(entry), supersedes=replaced)
    return Taught((opposite, *instead), left_out)


def _true(said: Said) -> Taught:
    """It is so. Where they themselves had said that it is not, that goes."""
    premise, entry = said.premise, said.premise.entry
    if entry is None or not premise.opposed:
        return Taught((fact_told(said.turn, premise.text, denied=entry is not None and is_denied(entry)),))
    replaced, left_out = (None, (entry.id,)) if entry.shared else (entry.id, ())
    return Taught((fact_told(said.turn, entry.shown, denied=not is_denied(entry), supersedes=replaced),), left_out)


def _does_not_matter(said: Said) -> Taught:
    premise, turn = said.premise, said.turn
    aside = Step(premises=(premise.text,), conclusion=said.known.claim, only_in=turn.conversation)
    return Taught((_draft(STEP, turn, aside),), (premise.entry.id,) if premise.entry else ())


def _does_not_follow(said: Said) -> Taught:
    reasons = said.known
    premises = tuple(premise.text for premise in reasons.believed or reasons.premises)
    return Taught((_draft(STEP, said.turn, Step(premises=premises, conclusion=reasons.claim)),))


def _missing(said: Said) -> Taught:
    return Taught((fact_told(said.turn, said.told),))


def _answer(said: Said) -> Taught:
    """It counts for this question and no other: what makes it so is asked for (`Teaching.asks_back`)."""
    return Taught((fact_told(said.turn, said.told, only_its_question=True),))


def _draft(kind: Kind, turn: Turn, body: Body, supersedes: str | None = None) -> Draft:
    key = kind.idempotency_key(turn.id, body)
    return Draft(kind, turn.question, body, key, turn=turn.id, model=turn.model, supersedes=supersedes)


_ACTS: Mapping[Act, Callable[[Said], Taught]] = MappingProxyType(
    {
        Act.WRONG: _wrong,
        Act.DOES_NOT_MATTER: _does_not_matter,
        Act.DOES_NOT_FOLLOW: _does_not_follow,
        Act.MISSING: _missing,
        Act.ANSWER: _answer,
        Act.TRUE: _true,
    }
)
