"""Hypotheses, proofs of them, and what is made of what a model says of both. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from assistant.papers.teachme.reasons import Premise, kept_premise
from assistant.papers.teachme.told import premise_of
from assistant.papers.teachme.why import one_line, yes_or_no
from assistant.reply.grammar import NOTES, UNDERSTANDING, Grammar, Tag
from assistant.types import Entry, Reply

HYPOTHESES = Grammar((NOTES, UNDERSTANDING, Tag("candidate", repeats=True), Tag("statement", repeats=True)))
PROOF = Grammar((Tag("because", repeats=True),))
CHECK = Grammar((Tag("premise", repeats=True), Tag("step")))

_OPTION = re.compile(r"\(([A-H])\)")
_GUESS, _CERTAIN = 50, 100  # the least and the most that a model can say of how sure it is
_SURE = re.compile(r"\d{1,3}")
_BEFORE = re.compile(r"\A\W+")
_NUMBERED = re.compile(r"\D{0,20}(\d{1,2})(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A possible answer: A_i of the paper, with its statement H_i."""

    answer: str  # in a few words
    statement: str  # the question with this answer, as one sentence
    option: str = ""  # "(A)", where the question itself names the answers


class Outcome(StrEnum):
    """What became of a proof."""

    STANDS = "stands"
    NONE = "none"  # the model found none
    FAILED = "failed"  # the call came to nothing
    DENIED = "denied"  # the person said that a premise is not so
    BLOCKED = "blocked"  # the person blocked the step, or a premise does not matter
    DISBELIEVED = "disbelieved"  # the model does not believe a premise
    DOES_NOT_FOLLOW = "does not follow"  # nor the step


@dataclass(frozen=True, slots=True)
class Proof:
    """P_i ⊢ H_i of the paper, and what became of it."""

    hypothesis: Hypothesis
    premises: tuple[Premise, ...] = ()
    outcome: Outcome = Outcome.NONE
    score: float = 0.0  # how sure the model is of all premises and the step together, 0 to 1

    def kept(self) -> dict[str, Any]:
        """As it is kept in the fields of a reply."""
        premises = tuple(map(kept_premise, self.premises))
        return {"premises": premises, "outcome": self.outcome.value, "score": round(self.score, 4)}


def best(proofs: Iterable[Proof]) -> Proof | None:
    """Of those that stand the one with the highest score, of two with the same the earlier; None where none does."""
    standing = [proof for proof in proofs if proof.outcome is Outcome.STANDS]
    return max(standing, key=lambda proof: proof.score, default=None)


def options_of(question: str) -> list[str]:
    """The answers that a multiple-choice question names, "(A) … (B) …"; none where it is none."""
    marks = list(_OPTION.finditer(question))
    letters = "".join(mark[1] for mark in marks)
    if len(marks) < 2 or not "ABCDEFGH".startswith(letters):
        return []
    ends = [*(mark.start() for mark in marks[1:]), len(question)]
    texts = [one_line(question[mark.end() : end]) for mark, end in zip(marks, ends, strict=True)]
    return texts if all(texts) else []


def hypotheses_in(reply: Reply, options: Sequence[str], most: int) -> list[Hypothesis]:
    """What the model makes of a question. An option without a statement stands for itself; a draft then for nothing."""
    statements = [one_line(text) for text in reply.fields.get("statement", ())]
    if options:
        said = [*statements, *options[len(statements) :]]
        return [
            Hypothesis(option, statement or option, f"({letter})")
            for letter, option, statement in zip("ABCDEFGH", options, said, strict=False)
        ]
    answers = [one_line(text) for text in reply.fields.get("candidate", ())]
    drafts = {statement: Hypothesis(answer, statement) for answer, statement in zip(answers, statements, strict=False)}
    return [draft for draft in drafts.values() if draft.statement][:most]


def premises_in(told: Sequence[str], first: Entry | None, known: Mapping[str, Entry], most: int) -> tuple[Premise, ...]:
    """The premises of a proof, of which the first is the fact that it was forced to begin with, if any.

    `known` is the fact that a premise is, by its text; one that says the first once more counts once.
    """
    forced = (Premise(premise_of(first), entry=first),) if first else ()
    further = [Premise(text, entry=known.get(text)) for text in told]
    return (*forced, *(each for each in further if not (first and each.entry and each.entry.id == first.id)))[:most]


def judged(proof: Proof, said: Reply) -> Proof:
    """A proof, with what the model says of its premises and its step. What a person told needs no belief."""
    by_number = dict(map(_numbered, said.fields.get("premise", ())))
    believed = [1.0 if premise.entry else _belief(by_number.get(n, "")) for n, premise in enumerate(proof.premises, 1)]
    step = _belief(str(said.fields.get("step", "")))
    premises = tuple(
        Premise(premise.text, belief >= 0.5, premise.entry)
        for premise, belief in zip(proof.premises, believed, strict=True)
    )
    outcome = Outcome.STANDS if step >= 0.5 else Outcome.DOES_NOT_FOLLOW
    outcome = outcome if all(premise.believed for premise in premises) else Outcome.DISBELIEVED
    return Proof(proof.hypothesis, premises, outcome, math.prod(believed) * step)


def _numbered(line: str) -> tuple[int, str]:
    found = _NUMBERED.match(line)
    return (int(found[1]), found[2]) if found else (0, line)


def _belief(text: str) -> float:
    """How probable the model says that something is, from its yes or no and how sure it is; 0 where it says nothing."""
    says = yes_or_no(_BEFORE.sub("", text))
    if says is None:
        return 0.0
    found = _SURE.search(text)
    sure = min(max(int(found[0]), _GUESS), _CERTAIN) if found else _GUESS
    return sure / _CERTAIN if says else min(_CERTAIN - sure, _GUESS - 1) / _CERTAIN
