"""What a person can say of the reasons for an answer (figure 3 of the paper), as one table: what each act remembers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType

from assistant.errors import EmptyText, InputError
from assistant.kinds import STEP, Step
from assistant.papers.teachme.facts import fact
from assistant.papers.teachme.reasons import Premise, Reasons
from assistant.papers.teachme.told import is_denied
from assistant.types import Draft, Entry, Turn


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


def _wrong(said: Said) -> Taught:
    """The opposite is so."""
    premise, entry = said.premise, said.premise.entry
    if entry is None:
        come = Taught((_fact(said, premise.text, denied=True),))
    elif premise.opposed:  # they said so before
        come = Taught((_fact(said, entry.shown, denied=is_denied(entry)),))
    else:
        come = _opposite(said, entry)
    return replace(come, drafts=(*come.drafts, _fact(said, said.words))) if said.words else come


def _true(said: Said) -> Taught:
    """It is so. Where they themselves had said that it is not, that goes."""
    premise, entry = said.premise, said.premise.entry
    if entry is None or not premise.opposed:
        return Taught((_fact(said, premise.text if entry is None else entry.shown, denied=is_denied(entry)),))
    return _opposite(said, entry)


def _does_not_matter(said: Said) -> Taught:
    premise = said.premise
    aside = _step(said, (premise,), only_in=said.turn.conversation)
    return Taught((aside,), (premise.entry.id,) if premise.entry else ())


def _does_not_follow(said: Said) -> Taught:
    reasons = said.known
    return Taught((_step(said, reasons.believed or reasons.premises),))


def _missing(said: Said) -> Taught:
    return Taught((_fact(said, said.told),))


def _answer(said: Said) -> Taught:
    """It counts for this question and no other: what makes it so is asked for (`Teaching.asks_back`)."""
    told = _fact(said, said.told)
    return Taught((replace(told, body=told.body.changed({"only_its_question": True})),))


def _opposite(said: Said, entry: Entry) -> Taught:
    """The opposite of a fact. Their own goes for it, and comes back with it; a shared one is left out here."""
    opposite = _fact(said, entry.shown, denied=not is_denied(entry))
    return Taught((opposite,), (entry.id,)) if entry.shared else Taught((replace(opposite, supersedes=entry.id),))


def _fact(said: Said, text: str, *, denied: bool = False) -> Draft:
    return fact(said.turn, text, denied=denied, told_at=said.turn.question)


def _step(said: Said, premises: tuple[Premise, ...], only_in: str = "") -> Draft:
    turn, texts = said.turn, tuple(premise.text for premise in premises)
    quoted = tuple(premise.entry.id for premise in premises if premise.entry)
    body = Step(premises=texts, conclusion=said.known.claim, only_in=only_in, in_view=quoted)
    return Draft(STEP, turn.question, body, STEP.idempotency_key(turn.id, body), turn=turn.id, model=turn.model)


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
