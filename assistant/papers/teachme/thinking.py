"""Thinks a question through: TeachMe's Algorithm 1, with the model's own word for how sure it is as the score.

    procedure ANSWER(Q, A, M)                                  here
      C = search(corpus = M, query = …)                        `_facts`, for each hypothesis
      for A_i in A: H_i = QA2D(Q, A_i)                         `_hypotheses`, all by one call
        for C_j in C or none:                                  `_proofs`, side by side
          a proof of H_i whose first premise is C_j            `_proved`
          E = E + (proof, s(H_i), A_i)                         `_judged`: premises and step, by the model itself
      return the answer with the best proof in E               `proofs.best`

A proof with a premise that the person denied, or a step that they blocked, is none. Where none is left, the question is
answered as any other.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import Any, Protocol, runtime_checkable

from assistant import life
from assistant.bounds import out_of_bounds
from assistant.calls import Calls
from assistant.errors import BadReply, ContentRefused, EmptyReply, InputError, ModelError, StreamCut, TooOften
from assistant.events import AnswerText, Event, UnderstandingText, Waiting
from assistant.gate.by_person import JUST_TOLD
from assistant.kinds import Reach
from assistant.limits import UNLIMITED
from assistant.papers.teachme import proofs
from assistant.papers.teachme.proofs import Hypothesis, Outcome, Proof
from assistant.papers.teachme.told import Told, is_fact, same
from assistant.papers.teachme.why import MOST_PREMISES, one_line, sentences
from assistant.ports import Allowance, OwnEntries, Recall, Request, Respond
from assistant.prompt.prompt import Prompting
from assistant.reply.fields import BECAUSE, THOUGHT
from assistant.reply.parser import parse_reply
from assistant.respond.respond import ms_since
from assistant.sentences import Sentence
from assistant.sharing import OneShared
from assistant.text.cleaning import for_prompt
from assistant.types import (
    Action,
    Candidate,
    Corrects,
    Decision,
    Entry,
    Message,
    Question,
    Reply,
    ReplyStatus,
    Scope,
    Turn,
)

CONSIDERED = Sentence("counts.considered")
_LONGEST_TEXT = 2_000
_DRAFTS, _FACTS = 3, 5
# Causes for which one proof is given up; any other ends it all.
_OF_ONE_CALL = (BadReply, ContentRefused, EmptyReply, StreamCut)


def calls_needed(hypotheses: int, facts: int) -> int:
    """How many calls it takes at most: one for the hypotheses, two for each proof, one if none stands.

    `facts` are found for each hypothesis; there is one proof more than that.
    """
    return 1 + hypotheses * (facts + 1) * 2 + 1


MOST_CALLS = calls_needed(_DRAFTS, _FACTS)
"""For a question that names no answers."""


def free_and_forced(facts: Sequence[Entry]) -> Sequence[Entry | None]:
    """A free proof, and one that is forced to begin with each fact."""
    return (None, *facts)


Beginnings = Callable[[Sequence[Entry]], Sequence[Entry | None]]
"""Of the facts that are found for a hypothesis, those with which a proof of it has to begin; None for a free one."""


@runtime_checkable
class InSeveralWays(Protocol):
    """A `Respond` that may answer in several ways at once."""

    def in_one_way(self) -> Respond:
        """The same for one way."""

    def in_ways(self, least: int) -> Respond:
        """The same for so many ways at least. Raises InputError: there is one only."""


def in_ways(respond: Respond, least: int) -> Respond:
    """As `InSeveralWays.in_ways`, of any."""
    if isinstance(respond, InSeveralWays):
        return respond.in_ways(least)
    raise InputError("drafts.cannot")


@dataclass(frozen=True, slots=True)
class ThinkThrough:
    """Implements `Respond`: weighs proofs of possible answers."""

    recall: Recall
    memory: OwnEntries
    prompting: Prompting
    otherwise: Respond  # where no proof stands, or a message certainly asks nothing
    allowance: Allowance = UNLIMITED
    drafts: int = _DRAFTS  # answers that are weighed where the question names none
    facts: int = _FACTS  # r of the paper: for each hypothesis
    at_once: int = 4  # calls
    beginnings: Beginnings = free_and_forced
    asks: Callable[[str], bool] = bool  # whether a message asks something; any other is answered as usual

    def in_one_way(self) -> Respond:
        """Proofs are weighed in one way."""
        return self

    def in_ways(self, least: int) -> Respond:
        """What answers otherwise, in several ways, without proofs."""
        return in_ways(self.otherwise, least)

    def most_calls(self, question: str) -> int:
        """How many calls a question takes at most; fewer where few facts are found for it."""
        return calls_needed(len(proofs.options_of(question)) or self.drafts, self.facts)

    def __call__(self, request: Request) -> Generator[Event, None, Turn]:
        if request.corrects is Corrects.CERTAINLY or not self.asks(request.turn.question):
            return (yield from self.otherwise(request))
        began, turn = perf_counter(), request.turn
        calls = Calls(request.model, request.so_far.meter, self.at_once)
        told = Told(self.memory, request.scope, [decision.entry for decision in turn.decisions])
        try:
            said, hypotheses = yield from self._hypotheses(request, calls)
            request.so_far.reply = reply = Reply.of(said.raw, said.understanding)
            if said.understanding:
                yield UnderstandingText(turn.id, said.understanding)
            may_stand = OneShared.of(turn.decisions)
            found = {hypothesis.statement: self._facts(hypothesis, turn, may_stand) for hypothesis in hypotheses}
            made = yield from self._proofs(request, hypotheses, found, told, calls)
        except ModelError as failure:
            return life.failed(replace(turn, reply=request.so_far.reply), failure.sentence)
        answer = proofs.best(made)
        thought = _thought(hypotheses, made, answer)
        if answer is None:
            turn = yield from _once_understood(self.otherwise(request), said.understanding)
            turn = replace(turn, reply=turn.reply.with_fields(**{THOUGHT: thought}))
            return _with_considered(turn, found, used=())
        text = " ".join(filter(None, (answer.hypothesis.option, answer.hypothesis.statement)))
        yield AnswerText(turn.id, text)
        because = tuple(premise.text for premise in answer.premises)
        reply = replace(reply, status=ReplyStatus.OK)
        reply = reply.with_fields(answer=text, notes=said.fields.get("notes"), **{BECAUSE: because, THOUGHT: thought})
        rests_on = tuple(dict.fromkeys(premise.entry.id for premise in answer.premises if premise.entry))
        turn = _with_considered(turn, found, rests_on)
        ms = {**turn.ms, "model": ms_since(began)}
        return replace(life.answered(turn, reply, (*_named(request, said), *rests_on)), ms=ms)

    def _hypotheses(self, request: Request, calls: Calls) -> Generator[Event, None, tuple[Reply, list[Hypothesis]]]:
        """A and H of the paper: what the question asks, its possible answers, and each as a statement."""
        turn, options = request.turn, proofs.options_of(request.turn.question)
        wanted = len(options) or self.drafts
        asked: dict[str, str | int] = {"question": for_prompt(turn.question)[:_LONGEST_TEXT], "answers wanted": wanted}
        notes = [decision.entry for decision in turn.decisions if decision.action in {Action.USE, Action.OFFER}]
        system, message = self.prompting.call(
            "teachme/hypotheses",
            notes=[{"note": n, "about": e.question, **e.prompted} for n, e in enumerate(_in_order(request, notes), 1)],
            options=[{"option": n, "answer": option} for n, option in enumerate(options, 1)],
            asked=[asked],
        )
        hear = partial(calls.hear, (system, *_history(request), message))
        (heard,) = yield from calls.results([hear], Waiting(turn.id))
        if not heard.strip():
            raise EmptyReply
        said = parse_reply(heard, proofs.HYPOTHESES)
        if said.status is ReplyStatus.TRUNCATED:
            raise StreamCut
        return said, proofs.hypotheses_in(said, options, self.drafts)

    def _facts(self, hypothesis: Hypothesis, turn: Turn, may_stand: OneShared) -> list[Candidate]:
        """C of the paper: what was told for this question, then what is found for the hypothesis, nearest first."""
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
        self,
        request: Request,
        hypotheses: Sequence[Hypothesis],
        found: Mapping[str, Sequence[Candidate]],
        told: Told,
        calls: Calls,
    ) -> Generator[Event, None, list[Proof]]:
        """E of the paper. The free proofs come first, so that each hypothesis has one where the allowance runs out."""
        facts = {statement: [one.entry for one in candidates] for statement, candidates in found.items()}
        wanted = [(each, first) for each in hypotheses for first in self.beginnings(facts[each.statement])]
        wanted.sort(key=lambda one: one[1] is not None)
        jobs: list[Callable[[], Proof]] = []
        for hypothesis, first in wanted:
            try:
                if jobs:  # the first one is what was asked for
                    self.allowance.turn(told.scope)
            except TooOften:
                if first is None:
                    raise
                break
            near = facts[hypothesis.statement]
            known = replace(told, near=[*told.near, *near])
            jobs.append(partial(self._proved, request.turn, hypothesis, first, near, known, calls))
        return (yield from calls.results(jobs, Waiting(request.turn.id)))

    def _proved(
        self, turn: Turn, hypothesis: Hypothesis, first: Entry | None, facts: Sequence[Entry], told: Told, calls: Calls
    ) -> Proof:
        """A proof of a hypothesis that begins with a fact, or a free one, judged. It works in a thread of its own."""
        claim = {"question": turn.question, "answer": hypothesis.answer, "statement": hypothesis.statement}
        messages = self.prompting.call(
            "teachme/proof",
            facts=[fact.prompted for fact in facts],
            claim=[{name: for_prompt(text)[:_LONGEST_TEXT] for name, text in claim.items()}],
            first=[first.prompted] if first else [],
        )
        try:
            said = parse_reply(calls.hear(messages), proofs.PROOF)
            if said.status is ReplyStatus.TRUNCATED:
                return Proof(hypothesis, outcome=Outcome.FAILED)
            texts = sentences(said.fields.get("because", ()))
            known = {text: fact for text in texts if (fact := told.fact(text))}
            proof = Proof(hypothesis, proofs.premises_in(texts, first, known, MOST_PREMISES))
            rejected = _rejected(proof, texts, told, turn)
            return replace(proof, outcome=rejected) if rejected else self._judged(proof, calls)
        except _OF_ONE_CALL:
            return Proof(hypothesis, outcome=Outcome.FAILED)

    def _judged(self, proof: Proof, calls: Calls) -> Proof:
        """A proof after the model was asked, in a call of its own, what it thinks of its premises and its step."""
        rows: list[dict[str, str | int]] = []
        for number, premise in enumerate(proof.premises, 1):
            told: dict[str, Any] = {"told": number} if premise.entry else {}
            rows.append({"premise": number, "says": premise.text, **told})
        conclusion = [{"statement": proof.hypothesis.statement}]
        messages = self.prompting.call("teachme/check", premises=rows, conclusion=conclusion)
        return proofs.judged(proof, parse_reply(calls.hear(messages), proofs.CHECK))


def _rejected(proof: Proof, texts: Sequence[str], told: Told, turn: Turn) -> Outcome | None:
    """Why a proof counts for nothing, whatever the model thinks of it; None where nothing speaks against it yet."""
    statement = proof.hypothesis.statement
    if not texts or any(premise.entry is None and same(premise.text, statement) for premise in proof.premises):
        return Outcome.NONE  # a statement does not prove itself
    if any(premise.opposed for premise in proof.premises):
        return Outcome.DENIED
    premises = [premise.text for premise in proof.premises]
    is_blocked = told.blocks(premises, statement, turn.question, turn.conversation)
    return Outcome.BLOCKED if is_blocked else None


def _once_understood(events: Generator[Event, None, Turn], understanding: str) -> Generator[Event, None, Turn]:
    """The events, in which no understanding is shown beside the one that is shown already."""
    with closing(events):
        while True:
            try:
                event = next(events)
            except StopIteration as done:
                turn: Turn = done.value
                return turn
            if not (understanding and isinstance(event, UnderstandingText)):
                yield event


def _history(request: Request) -> Sequence[Message]:
    """The earlier turns that stand in the prompt, as they stand there."""
    turns = len(request.prompt.sections["history"])
    return request.prompt.messages[-1 - 2 * turns : -1]


def _in_order(request: Request, notes: Sequence[Entry]) -> list[Entry]:
    """The notes, those first that the prompt numbers too, so that the same number names the same."""
    offered = request.prompt.sections["offered"]
    known = {entry.id: entry for entry in notes}
    return [known[name] for name in dict.fromkeys((*offered, *known)) if name in known]


def _named(request: Request, said: Reply) -> tuple[str, ...]:
    """The notes that the model read the question by, and what was not up to it."""
    offered = request.prompt.sections["offered"]
    named = (offered[number - 1] for number in said.notes if 1 <= number <= len(offered))
    return tuple(dict.fromkeys((*request.turn.entries_to(Action.USE), *named)))


def _with_considered(turn: Turn, found: Mapping[str, Sequence[Candidate]], used: Sequence[str]) -> Turn:
    """The turn, with decisions about the facts that stood in prompts of its proofs; `used` are those it rests on.

    The others stand there too, beside what is decided of them for the question: forgetting one takes the answer along.
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
    """Everything that was considered, as it is kept in the fields of the reply, and the statement that was proved."""
    return {
        "claim": answer.hypothesis.statement if answer else "",
        "hypotheses": tuple(
            {
                "answer": " ".join(filter(None, (hypothesis.option, one_line(hypothesis.answer)))),
                "statement": hypothesis.statement,
                "proofs": tuple(proof.kept() for proof in made if proof.hypothesis is hypothesis),
            }
            for hypothesis in hypotheses
        ),
    }
