"""Thinks a question through: Algorithm 1 of the paper, with the model's own word for how sure it is as the score.

    procedure ANSWER(Q, A, M)                                  here
      A_i in A: H_i = QA2D(Q, A_i)          section 3.1.1      `_hypotheses`, all by one call
      C = search(corpus = M, query = …)     section 3.3        `_facts`, for each hypothesis
        for C_j in C or none:                                  `_proofs`, side by side
          a proof of H_i that begins with C_j  section 3.1.2   `_Prover.prove`
          is each premise true, does H_i follow?               `_Prover._checked`, by the model itself
      return the answer with the best proof                    `best`

A proof with a premise that the user denied, or a step that they blocked, is none. Where none stands, the question is
answered as any other.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from time import perf_counter
from typing import Any, Protocol, runtime_checkable

from assistant import life
from assistant.errors import BadReply, ContentRefused, EmptyReply, InputError, ModelError, StreamCut, TooOften
from assistant.events import AnswerText, Event, Recalled, UnderstandingText, Waiting
from assistant.feedback.telling import told_in
from assistant.gate.gate import JUST_TOLD
from assistant.kinds import Reach
from assistant.language.languages import Languages
from assistant.limits import UNLIMITED
from assistant.models.embedded.phrases import small_talk
from assistant.papers.calls import Calls, one_call
from assistant.papers.teachme.facts import Assertions, is_fact, premise_of, same
from assistant.papers.teachme.reasons import LONGEST_TEXT, MOST_PREMISES, Premise, one_line, sentences, yes_or_no
from assistant.ports import Allowance, Memory, Recall
from assistant.prompt.prompt import Prompting
from assistant.reply.fields import BECAUSE, THOUGHT
from assistant.reply.grammar import NOTES, UNDERSTANDING, Grammar, Tag
from assistant.reply.parser import parse_reply
from assistant.respond.respond import Request, Respond, ms_since
from assistant.sentences import Sentence
from assistant.sharing import OneShared, out_of_bounds
from assistant.text.cleaning import for_prompt
from assistant.types import Action, Candidate, Corrects, Decision, Entry, Question, Reply, ReplyStatus, Scope, Turn

HYPOTHESES = Grammar((NOTES, UNDERSTANDING, Tag("candidate", repeats=True), Tag("statement", repeats=True)))
PROOF = Grammar((Tag("because", repeats=True),))
CHECK = Grammar((Tag("premise", repeats=True), Tag("step")))
CONSIDERED = Sentence("counts.considered")
_DRAFTS, _FACTS = 3, 5
# Causes for which one proof is given up; any other ends it all.
_OF_ONE_CALL = (BadReply, ContentRefused, EmptyReply, StreamCut)

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
    """The state of a proof."""

    STANDS = "stands"
    NONE = "none"  # the model found none
    FAILED = "failed"  # the call came to nothing
    DENIED = "denied"  # the user said that a premise is not so
    BLOCKED = "blocked"  # the user blocked the step, or a premise does not matter
    DISBELIEVED = "disbelieved"  # the model does not believe a premise
    DOES_NOT_FOLLOW = "does not follow"  # nor the step


@dataclass(frozen=True, slots=True)
class Proof:
    """P_i ⊢ H_i of the paper, with its state."""

    hypothesis: Hypothesis
    premises: tuple[Premise, ...] = ()
    outcome: Outcome = Outcome.NONE
    score: float = 0.0  # how sure the model is of all premises and the step together, 0 to 1

    def stored(self) -> dict[str, Any]:
        """Return it for the fields of a reply."""
        premises = tuple(premise.stored() for premise in self.premises)
        return {"premises": premises, "outcome": self.outcome.value, "score": round(self.score, 4)}


def best(proofs: Iterable[Proof]) -> Proof | None:
    """Return the standing proof with the highest score, the earlier of two with the same; None where none stands."""
    standing = [proof for proof in proofs if proof.outcome is Outcome.STANDS]
    return max(standing, key=lambda proof: proof.score, default=None)


def calls_needed(hypotheses: int, facts: int) -> int:
    """Return how many calls it takes at most: one for the hypotheses, two for each proof, one if none stands.

    `facts` are found for each hypothesis; there is one proof more than that.
    """
    return 1 + hypotheses * (facts + 1) * 2 + 1


MOST_CALLS = calls_needed(_DRAFTS, _FACTS)
"""For a question that names no answers."""


def options_of(question: str) -> list[str]:
    """Return the answers that a multiple-choice question names, "(A) … (B) …"; none where it is none."""
    marks = list(_OPTION.finditer(question))
    letters = "".join(mark[1] for mark in marks)
    if len(marks) < 2 or not "ABCDEFGH".startswith(letters):
        return []
    ends = [*(mark.start() for mark in marks[1:]), len(question)]
    texts = [one_line(question[mark.end() : end]) for mark, end in zip(marks, ends, strict=True)]
    return texts if all(texts) else []


def hypotheses_in(reply: Reply, options: Sequence[str], most: int) -> list[Hypothesis]:
    """Read the hypotheses of a reply. An option without a statement is its own; a candidate without one is dropped."""
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


def judged(proof: Proof, said: Reply) -> Proof:
    """Return a proof with the beliefs of the model in its premises and its step. Facts that users told are certain."""
    by_number: dict[int, str] = {}
    for line in said.fields.get("premise", ()):
        found = _NUMBERED.match(line)
        by_number[int(found[1]) if found else 0] = found[2] if found else line
    believed = [1.0 if premise.entry else _belief(by_number.get(n, "")) for n, premise in enumerate(proof.premises, 1)]
    step = _belief(str(said.fields.get("step", "")))
    premises = tuple(
        replace(premise, believed=belief >= 0.5) for premise, belief in zip(proof.premises, believed, strict=True)
    )
    outcome = Outcome.STANDS if step >= 0.5 else Outcome.DOES_NOT_FOLLOW
    outcome = outcome if all(premise.believed for premise in premises) else Outcome.DISBELIEVED
    return Proof(proof.hypothesis, premises, outcome, math.prod(believed) * step)


def _belief(text: str) -> float:
    """Return how probable the model says that something is, from its yes or no and how sure it is; else 0."""
    says = yes_or_no(_BEFORE.sub("", text))
    if says is None:
        return 0.0
    found = _SURE.search(text)
    sure = min(max(int(found[0]), _GUESS), _CERTAIN) if found else _GUESS
    return sure / _CERTAIN if says else min(_CERTAIN - sure, _GUESS - 1) / _CERTAIN


@dataclass(frozen=True, slots=True)
class _Prover:
    """Proves one hypothesis (section 3.1.2). Each proof is made and checked in a thread of its own."""

    hypothesis: Hypothesis
    turn: Turn
    facts: Sequence[Entry]
    known: Assertions
    prompting: Prompting
    calls: Calls

    def prove(self, first: Entry | None) -> Proof:
        """Return a checked proof: one forced to begin with a fact, or a free one."""
        hypothesis = self.hypothesis
        claim = {"question": self.turn.question, "answer": hypothesis.answer, "statement": hypothesis.statement}
        messages = self.prompting.call(
            "teachme/proof",
            facts=[fact.prompted for fact in self.facts],
            claim=[{name: for_prompt(text)[:LONGEST_TEXT] for name, text in claim.items()}],
            first=[first.prompted] if first else [],
        )
        try:
            said = parse_reply(self.calls.hear(messages), PROOF)
            if said.status is ReplyStatus.TRUNCATED:
                raise StreamCut
            texts = sentences(said.fields.get("because", ()))
            premises = [Premise(premise_of(first), entry=first)] if first else []
            for text in texts:
                entry = self.known.fact(text)
                if not (first and entry and entry.id == first.id):  # the first one, said again
                    premises.append(Premise(text, entry=entry))
            proof = Proof(hypothesis, tuple(premises[:MOST_PREMISES]))
            rejected = self._rejected(proof) if texts else Outcome.NONE
            return replace(proof, outcome=rejected) if rejected else self._checked(proof)
        except _OF_ONE_CALL:
            return Proof(hypothesis, outcome=Outcome.FAILED)

    def _rejected(self, proof: Proof) -> Outcome | None:
        """Return why a proof is rejected without asking the model; None where it may stand."""
        statement = self.hypothesis.statement
        if any(premise.entry is None and same(premise.text, statement) for premise in proof.premises):
            return Outcome.NONE  # a statement does not prove itself
        if any(premise.opposed for premise in proof.premises):
            return Outcome.DENIED
        is_blocked = self.known.blocks([premise.text for premise in proof.premises], statement, self.turn)
        return Outcome.BLOCKED if is_blocked else None

    def _checked(self, proof: Proof) -> Proof:
        """Ask the model, in a call of its own, whether it believes the premises and the step."""
        rows: list[dict[str, str | int]] = []
        for number, premise in enumerate(proof.premises, 1):
            told = {"told": number} if premise.entry else {}
            rows.append({"premise": number, "says": premise.text, **told})
        conclusion = [{"statement": self.hypothesis.statement}]
        messages = self.prompting.call("teachme/check", premises=rows, conclusion=conclusion)
        return judged(proof, parse_reply(self.calls.hear(messages), CHECK))


@runtime_checkable
class InSeveralWays(Protocol):
    """A `Respond` that may answer in several ways at once."""

    def in_one_way(self) -> Respond:
        """Return the same for one way."""

    def in_ways(self, least: int) -> Respond:
        """Return the same for so many ways at least."""


def in_ways(respond: Respond, least: int) -> Respond:
    """Return a generator of so many answers at least, without proofs. Raises InputError where it has one way only."""
    respond = respond.otherwise if isinstance(respond, ThinkThrough) else respond
    if isinstance(respond, InSeveralWays):
        return respond.in_ways(least)
    raise InputError("drafts.cannot")


@dataclass(frozen=True, slots=True)
class ThinkThrough:
    """Implements `Respond`: weighs proofs of possible answers."""

    recall: Recall
    memory: Memory
    prompting: Prompting
    otherwise: Respond  # where no proof stands, or a message asks nothing
    allowance: Allowance = UNLIMITED
    languages: Languages | None = None  # to tell which messages ask nothing; None to think all of them through
    drafts: int = _DRAFTS  # answers that are weighed where the question names none
    facts: int = _FACTS  # r of the paper: for each hypothesis
    forced: bool = True  # one proof is to begin with each fact; else facts are context alone
    at_once: int = 4  # calls

    def most_calls(self, question: str) -> int:
        """Return how many calls a question takes at most; fewer where few facts are found for it."""
        return calls_needed(len(options_of(question)) or self.drafts, self.facts)

    def __call__(self, request: Request) -> Generator[Event, None, Turn]:
        turn, began = request.turn, perf_counter()
        otherwise = self.otherwise.in_one_way() if isinstance(self.otherwise, InSeveralWays) else self.otherwise
        tells = self.languages and told_in(turn.question, self.languages)
        if request.corrects is Corrects.CERTAINLY or tells or (self.languages and small_talk(turn.question)):
            return (yield from otherwise(request))
        try:
            said, hypotheses = yield from self._hypotheses(request)
            request.so_far.reply = Reply.of(said.raw, said.understanding)
            if said.understanding:
                yield UnderstandingText(turn.id, said.understanding)
            may_stand = OneShared.of(turn.decisions)
            found = {hypothesis.statement: self._facts(hypothesis, turn, may_stand) for hypothesis in hypotheses}
            made = yield from self._proofs(request, hypotheses, found)
        except ModelError as failure:
            return life.failed(replace(turn, reply=request.so_far.reply), failure.sentence)
        answer = best(made)
        thought: dict[str, Any] = {THOUGHT: _thought(hypotheses, made, answer)}
        if answer is None:
            yield Recalled(turn)  # the understanding that is shown makes room for that of an ordinary answer
            turn = yield from otherwise(request)
            return _with_considered(replace(turn, reply=turn.reply.with_fields(**thought)), found)
        text = " ".join(filter(None, (answer.hypothesis.option, answer.hypothesis.statement)))
        yield AnswerText(turn.id, text)
        thought |= {BECAUSE: tuple(premise.text for premise in answer.premises)}
        reply = replace(request.so_far.reply, status=ReplyStatus.OK)
        reply = reply.with_fields(answer=text, notes=said.fields.get("notes"), **thought)
        rests_on = [premise.entry.id for premise in answer.premises if premise.entry]
        notes = [entry.id for entry in _notes(turn)]
        named = [notes[number - 1] for number in said.notes if 1 <= number <= len(notes)]
        used = tuple(dict.fromkeys((*turn.entries_to(Action.USE), *named, *rests_on)))
        turn = life.answered(_with_considered(turn, found, rests_on), reply, used)
        return replace(turn, ms={**turn.ms, "model": ms_since(began)})

    def _hypotheses(self, request: Request) -> Generator[Event, None, tuple[Reply, list[Hypothesis]]]:
        """Ask for A and H of the paper: the understanding, possible answers, and each of them as a statement."""
        turn, options = request.turn, options_of(request.turn.question)
        wanted = len(options) or self.drafts
        asked: dict[str, str | int] = {"question": for_prompt(turn.question)[:LONGEST_TEXT], "answers wanted": wanted}
        system, message = self.prompting.call(
            "teachme/hypotheses",
            notes=[{"note": n, "about": e.question, **e.prompted} for n, e in enumerate(_notes(turn), 1)],
            options=[{"option": n, "answer": option} for n, option in enumerate(options, 1)],
            asked=[asked],
        )
        turns = len(request.prompt.sections["history"])
        messages = (system, *request.prompt.messages[-1 - 2 * turns : -1], message)
        said = yield from one_call(request.model, messages, HYPOTHESES, request.so_far.meter, Waiting(turn.id))
        return said, hypotheses_in(said, options, self.drafts)

    def _facts(self, hypothesis: Hypothesis, turn: Turn, may_stand: OneShared) -> list[Candidate]:
        """Return C of the paper: facts told for this question, then those found for the hypothesis, nearest first."""
        question = Question(hypothesis.statement, turn.conversation, left_out=turn.left_out)
        told = [
            decision.candidate
            for decision in turn.decisions
            if decision.action is not Action.LEAVE
            if decision.reason == JUST_TOLD or decision.entry.reach is Reach.QUESTION
        ]
        found = sorted(
            self.recall(question, Scope(turn.person)), key=lambda one: one.scores.get("relevance", 0.0), reverse=True
        )
        bearing = [one for one in found if one.entry.id not in turn.left_out and not out_of_bounds(one)]
        usable = {
            candidate.entry.id: candidate
            for candidate in (*told, *bearing)
            if is_fact(candidate.entry) and candidate.entry.counts_in(turn.conversation) and may_stand(candidate.entry)
        }
        return list(usable.values())[: self.facts]

    def _proofs(
        self, request: Request, hypotheses: Sequence[Hypothesis], found: Mapping[str, Sequence[Candidate]]
    ) -> Generator[Event, None, list[Proof]]:
        """Return E of the paper. Free proofs come first, so that each hypothesis has one if the allowance runs out."""
        turn, calls = request.turn, Calls(request.model, request.so_far.meter, self.at_once)
        near = [decision.entry for decision in turn.decisions]
        free: list[Callable[[], Proof]] = []
        forced: list[Callable[[], Proof]] = []
        for hypothesis in hypotheses:
            facts = [one.entry for one in found[hypothesis.statement]]
            known = Assertions(self.memory, request.scope, [*near, *facts])
            prover = _Prover(hypothesis, turn, facts, known, self.prompting, calls)
            free.append(partial(prover.prove, None))
            forced += [partial(prover.prove, fact) for fact in facts if self.forced]
        jobs: list[Callable[[], Proof]] = []
        for job in (*free, *forced):
            try:
                if jobs:  # the turn itself pays for the first one
                    self.allowance.turn(request.scope)
            except TooOften:
                if len(jobs) < len(free):
                    raise
                break
            jobs.append(job)
        return (yield from calls.results(jobs, Waiting(turn.id)))


def _notes(turn: Turn) -> list[Entry]:
    """Return the notes of a turn in the order of their numbers: offered ones first, as in its prompt."""
    return [one.entry for action in (Action.OFFER, Action.USE) for one in turn.decisions if one.action is action]


def _with_considered(turn: Turn, found: Mapping[str, Sequence[Candidate]], used: Sequence[str] = ()) -> Turn:
    """Return a turn with decisions about the facts that stood in prompts of its proofs; its answer rests on `used`.

    The others get a decision too, beside the one for the question: forgetting such a fact deletes the answer.
    """
    candidates = {one.entry.id: one for some in found.values() for one in some}
    known = [one for one in turn.decisions if one.action is not Action.LEAVE or one.entry.id not in candidates]
    offered = {one.entry.id for one in known}
    further = [
        Decision(candidate, Action.OFFER if name in used else Action.SHOW, 1.0, CONSIDERED)
        for name, candidate in candidates.items()
        if name not in used or name not in offered
    ]
    return replace(turn, decisions=(*known, *further))


def _thought(hypotheses: Sequence[Hypothesis], made: Sequence[Proof], answer: Proof | None) -> dict[str, Any]:
    """Return all that was considered, and the statement that was proved, for the fields of the reply."""
    return {
        "claim": answer.hypothesis.statement if answer else "",
        "hypotheses": tuple(
            {
                "answer": " ".join(filter(None, (hypothesis.option, one_line(hypothesis.answer)))),
                "statement": hypothesis.statement,
                "proofs": tuple(proof.stored() for proof in made if proof.hypothesis is hypothesis),
            }
            for hypothesis in hypotheses
        ),
    }
