"""What an answer rests on, as it is shown: premises, who told them, whether they are believed, and whether it follows.

It is kept in the fields of the reply, and read from there each time, since facts come and go: a premise that is a fact
is kept by the id of that, so that its words are gone once it is forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from assistant.errors import NotFound
from assistant.papers.teachme.told import Told, is_denied, is_fact, opposes, premise_of
from assistant.reply.fields import BECAUSE, DISPUTED, THOUGHT, WHY
from assistant.sentences import Sentence, plain
from assistant.types import Action, Entry, Reply, Turn, day_of

_MOST_CONSIDERED = 8


class Source(StrEnum):
    """Where a premise comes from."""

    YOURS = "yours"
    SHARED = "shared"
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class Premise:
    """One of the things that an answer rests on, or would."""

    text: str
    believed: bool = True  # whether the model takes it to be true
    entry: Entry | None = None  # the fact that it is, or that denies it

    @property
    def source(self) -> Source:
        if self.entry is None:
            return Source.MODEL
        return Source.SHARED if self.entry.shared else Source.YOURS

    @property
    def opposed(self) -> bool:
        """Whether somebody told that it is not so."""
        return self.entry is not None and opposes(self.entry, self.text)

    @property
    def sentence(self) -> Sentence:
        """What it says, for people."""
        return self.entry.sentence if self.entry and not self.opposed else plain(self.text)

    @property
    def origin(self) -> Sentence:
        """Where it comes from, and what is thought of it, for people."""
        if self.entry is None:
            return Sentence("why.model_believes" if self.believed else "why.model_doubts")
        day = {"day": day_of(self.entry.created).isoformat()}
        if self.opposed:
            return Sentence("why.shared_otherwise" if self.entry.shared else "why.told_otherwise", day)
        return Sentence("why.shared" if self.entry.shared else "why.told", day)


@dataclass(frozen=True, slots=True)
class Reasons:
    """Why an answer was given."""

    claim: str  # the answer as one statement
    premises: tuple[Premise, ...]  # those that are believed first; they are numbered in this order, from 1
    follows: bool | None = None  # None where the model does not say
    blocked: bool = False  # the person blocked the step, or said that a premise does not matter
    disputed: bool = False  # the premises do not go together
    tried: bool = False  # no proof was found, and the premises are what was considered

    @property
    def believed(self) -> tuple[Premise, ...]:
        return tuple(premise for premise in self.premises if premise.believed)

    @property
    def proves(self) -> bool:
        """Whether the premises are a proof of the answer, as far as the model and the person say."""
        is_refused = any(premise.opposed or not premise.believed for premise in self.premises)
        is_open = self.blocked or self.disputed or self.tried
        return bool(self.premises) and not (is_refused or is_open or self.follows is False)

    @property
    def verdict(self) -> Sentence:
        """Whether the answer follows, for people."""
        if not self.premises:
            return Sentence("why.nothing")
        if self.blocked:
            return Sentence("why.blocked")
        if self.disputed:
            return Sentence("why.disputed")
        if self.proves:
            return Sentence("why.follows")
        is_whole = self.believed == self.premises and not self.tried
        return Sentence("why.does_not_follow" if is_whole else "why.no_proof")


def has_reasons(reply: Reply) -> bool:
    """Whether it is known, without a call, why an answer was given."""
    return any(name in reply.fields for name in (BECAUSE, WHY, THOUGHT))


def reasons_of(turn: Turn, told: Told) -> Reasons | None:
    """Why its answer was given, as far as that is kept; None where nobody asked yet. Raises StoreError."""
    fields = turn.reply.fields
    if not has_reasons(turn.reply):
        return None
    if BECAUSE in fields:
        premises, follows, claim = _sentences(turn, told), True, fields.get(THOUGHT, {}).get("claim", "")
    elif WHY in fields:
        kept = fields[WHY]
        premises, follows, claim = read_premises(kept["premises"], told), kept["follows"], kept["claim"]
    else:
        premises, follows, claim = _considered(fields[THOUGHT], told), None, ""
    found = tuple(sorted(premises, key=lambda premise: not premise.believed))
    is_tried = not {BECAUSE, WHY} & set(fields) or not found
    found = found or tuple(_offered(turn))
    claim = claim or turn.reply.answer
    texts = [premise.text for premise in found if premise.believed]
    is_blocked = bool(texts) and told.blocks(texts, claim, turn.question, turn.conversation)
    return Reasons(claim, found, follows, is_blocked, bool(disputing(turn)), is_tried)


def disputing(turn: Turn) -> tuple[int, ...]:
    """The numbers of the premises of an answer that do not go together, as it says itself."""
    premises, disputed = turn.reply.fields.get(BECAUSE, ()), turn.reply.fields.get(DISPUTED, ())
    return tuple(number for number, text in enumerate(premises, 1) if text in disputed)


def _offered(turn: Turn) -> Iterator[Premise]:
    """The facts that stood in the prompt of an answer for which the model gives no reasons."""
    for decision in turn.decisions:
        if is_fact(decision.entry) and decision.action in {Action.USE, Action.OFFER}:
            yield Premise(premise_of(decision.entry), believed=False, entry=decision.entry)


def kept_premise(premise: Premise) -> dict[str, Any]:
    """A premise as it is kept in the fields of a reply."""
    said = {"entry": premise.entry.id, "opposed": premise.opposed} if premise.entry else {"text": premise.text}
    return {**said, "believed": premise.believed}


def read_premises(kept: Iterable[Mapping[str, Any]], told: Told) -> Iterator[Premise]:
    """Premises as they were kept, but for those that are forgotten by now."""
    for said in kept:
        if "entry" not in said:
            yield Premise(said["text"], said["believed"])
            continue
        try:
            entry = told.memory.entry(said["entry"], told.scope)
        except NotFound:
            continue
        is_as_told = not (said["opposed"] and is_denied(entry))
        yield Premise(premise_of(entry) if is_as_told else entry.shown, said["believed"], entry)


def _sentences(turn: Turn, told: Told) -> Iterator[Premise]:
    """The premises with which an answer came. One that rests on a denial means that, however the reply words it."""
    for text in filter(None, map(str, turn.reply.fields[BECAUSE])):
        fact = told.fact(text)
        is_denial = fact is not None and is_denied(fact) and fact.id in turn.used
        yield Premise(premise_of(fact) if fact and is_denial else text, entry=fact)


def _considered(thought: Mapping[str, Any], told: Told) -> Iterator[Premise]:
    """What was considered where none of it came to a proof, each once."""
    seen: set[str] = set()
    for hypothesis in thought["hypotheses"]:
        for proof in hypothesis["proofs"]:
            for premise in read_premises(proof["premises"], told):
                if premise.text not in seen and len(seen) < _MOST_CONSIDERED:
                    seen.add(premise.text)
                    yield premise
