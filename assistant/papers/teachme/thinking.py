"""Think a question through (section 3.1 of the paper, Algorithm 1), scored by the model's own confidence.

    procedure ANSWER(Q, A, M)                                        `ThinkThrough.__call__`
      for A_i in A: H_i = QA2D(Q, A_i)               section 3.1.1   `_hypotheses`, all by one call
        C = search(corpus = M, query = H_i)          section 3.3     `_facts`
        for C_j in C or none:                                        `_proofs`, in parallel
          a proof of H_i that begins with C_j        section 3.1.2   `_prove`
          is each premise true, does H_i follow?                     by the model itself (`add_beliefs`)
      return the answer with the best proof

A proof with a denied premise or a blocked step is rejected (section 3.2). If no proof stands, the question gets an
ordinary answer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import Literal

from assistant import turn_changes
from assistant.errors import ModelError, TooOften
from assistant.events import AnswerText, Event, Retrieved, UnderstandingText, Waiting
from assistant.feedback.fact_messages import parse_fact_message
from assistant.gate.gate import JUST_TOLD
from assistant.generate.generate import AnswerGenerator, GenerationRequest
from assistant.kinds import FACT, Reach
from assistant.language.languages import Languages
from assistant.limits import UNLIMITED
from assistant.model_usage import ms_since
from assistant.models.embedded.phrases import small_talk
from assistant.papers.calls import UNUSABLE_REPLY, Calls
from assistant.papers.teachme.facts import Assertions, Premise, fold_sentence, text_of_fact
from assistant.ports import Allowance, Memory, Recall
from assistant.prompt.envelope import Row
from assistant.reply.fields import HypothesisFields, PremiseFields, ProofFields, ReplyFields
from assistant.reply.grammar import NOTES, UNDERSTANDING, Grammar, Tag
from assistant.reply.parser import parse_reply
from assistant.sentences import Sentence
from assistant.sharing import allow_one_shared, find_exclusion
from assistant.text.cleaning import clean_for_prompt
from assistant.types import Action, Candidate, Corrects, Decision, Entry, Question, Reply, ReplyStatus, Turn

Outcome = Literal["stands", "none", "failed", "denied", "blocked", "disbelieved", "does not follow"]
"""State of a proof: it stands; the model found none; its call failed; the user denied a premise, or blocked the step;
the model does not believe a premise, or the step."""
HYPOTHESES = Grammar((NOTES, UNDERSTANDING, Tag("candidate", repeats=True), Tag("statement", repeats=True)))
PROOF = Grammar((Tag("because", repeats=True),))
CHECK = Grammar((Tag("premise", repeats=True), Tag("step")))
MOST_PREMISES = 3
LONGEST_PREMISE = 300
"""Characters of a premise."""
LONGEST_TEXT = 2_000
"""Characters of a question or an answer in a prompt."""
_LETTERS = "ABCDEFGH"
_DRAFTS = 3  # hypotheses for a question without options
_FACTS = 5  # r of the paper, per hypothesis


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A possible answer: A_i of the paper, with its statement H_i."""

    answer: str  # in a few words
    statement: str  # the question with this answer, as one sentence
    option: str = ""  # "(A)", of a multiple-choice question


@dataclass(frozen=True, slots=True)
class Proof:
    """Premises of a hypothesis, P_i ⊢ H_i of the paper, with their state."""

    hypothesis: Hypothesis
    premises: tuple[Premise, ...] = ()
    outcome: Outcome = "none"
    score: float = 0.0  # confidence of the model in all premises and the step together, 0 to 1

    def stored(self) -> ProofFields:
        """Convert it for the fields of a reply; the fact of a premise is found again by its words."""
        premises = tuple(PremiseFields(text=one.text, believed=one.believed) for one in self.premises)
        return {"premises": premises, "outcome": self.outcome, "score": round(self.score, 4)}


def most_calls(question: str = "") -> int:
    """Return the maximum number of calls for a question; without one, for a question without options.

    One call for the hypotheses, two for each proof, and one if none stands. A hypothesis has a proof for each of its
    facts, and a free one.
    """
    return 1 + (len(options_of(question)) or _DRAFTS) * (_FACTS + 1) * 2 + 1


def options_of(question: str) -> list[str]:
    """Return the options of a multiple-choice question, "(A) … (B) …"; none for any other question."""
    _, *parts = re.split(r"\(([A-H])\)", question)
    letters, texts = "".join(parts[::2]), [one_line(text) for text in parts[1::2]]
    return texts if len(texts) > 1 and _LETTERS.startswith(letters) and all(texts) else []


def hypotheses_in(reply: Reply, options: Sequence[str]) -> list[Hypothesis]:
    """Parse the hypotheses of a reply. The statement defaults to the option; candidates without one are dropped."""
    statements = [one_line(text) for text in reply.fields.get("statement", ())]
    if options:
        said = [*statements, *options[len(statements) :]]
        each = zip(options, said, _LETTERS, strict=False)
        return [Hypothesis(option, statement or option, f"({letter})") for option, statement, letter in each]
    answers = [one_line(text) for text in reply.fields.get("candidate", ())]
    drafts = {statement: Hypothesis(answer, statement) for answer, statement in zip(answers, statements, strict=False)}
    return [draft for draft in drafts.values() if draft.statement][:_DRAFTS]


def sentences(texts: Iterable[str]) -> list[str]:
    """Return up to three sentences of a model, one line each, without duplicates and empty phrases ("none")."""
    lines = dict.fromkeys(one_line(text) for text in texts)
    nothing = {"", "none", "no", "nothing", "n/a", "-"}
    return [line for line in lines if line.casefold().strip(".") not in nothing][:MOST_PREMISES]


def one_line(text: str) -> str:
    """Put a sentence of a model on one line, without invisible characters."""
    return " ".join(clean_for_prompt(text).split())[:LONGEST_PREMISE].rstrip()


def add_beliefs(proof: Proof, said: Reply) -> Proof:
    """Return a proof with the model's beliefs in its premises and its step. Facts of users are certain."""
    beliefs: dict[int, float] = {}  # by number of the premise; 0 for the step
    for line in (f"0 {said.fields.get('step', '')}", *said.fields.get("premise", ())):
        # A number, yes or no, and the confidence of the model, from 50 (a guess) to 100.
        if found := re.match(r"(?:\D{0,20}(\d{1,2}))?\W*(yes|no)\D*(\d{0,3})", line, re.IGNORECASE):
            percent = min(max(int(found[3] or 0), 50), 100)
            beliefs[int(found[1] or 0)] = (percent if found[2].casefold() == "yes" else min(100 - percent, 49)) / 100
    step = beliefs.get(0, 0.0)
    believed = [1.0 if premise.entry else beliefs.get(n, 0.0) for n, premise in enumerate(proof.premises, 1)]
    premises = tuple(replace(one, believed=sure >= 0.5) for one, sure in zip(proof.premises, believed, strict=True))
    outcome: Outcome = "stands" if step >= 0.5 else "does not follow"
    if not all(premise.believed for premise in premises):
        outcome = "disbelieved"
    return Proof(proof.hypothesis, premises, outcome, math.prod(believed) * step)


@dataclass(frozen=True, slots=True)
class ThinkThrough:
    """Implements `AnswerGenerator`: prove each possible answer, and give the one with the best proof."""

    recall: Recall
    memory: Memory
    otherwise: AnswerGenerator  # if no proof stands, or a message is no question
    allowance: Allowance = UNLIMITED
    languages: Languages | None = None  # detects messages that are no question; None thinks all of them through

    def __call__(self, request: GenerationRequest) -> Generator[Event, None, Turn]:
        request, turn, began = replace(request, may_draft=False), request.turn, perf_counter()
        asks_nothing = self.languages and (
            parse_fact_message(turn.question, self.languages) or small_talk(turn.question)
        )
        if request.corrects is Corrects.CERTAINLY or asks_nothing:
            return (yield from self.otherwise(request))
        try:
            calls, waiting = Calls(request.model, request.so_far.meter), Waiting(turn.id)
            ((said, hypotheses),) = yield from calls.results([partial(self._hypotheses, request, calls)], waiting)
            request.so_far.reply = Reply.of(said.raw, said.understanding)
            if said.understanding:
                yield UnderstandingText(turn.id, said.understanding)
            may_stand = allow_one_shared(turn.decisions)
            found = {hypothesis: self._facts(hypothesis, request, may_stand) for hypothesis in hypotheses}
            made = yield from calls.results(self._proofs(request, calls, found), waiting)
        except ModelError as failure:
            return turn_changes.fail_turn(replace(turn, reply=request.so_far.reply), failure.sentence)
        # Of two with the same score, the earlier one.
        best = max((one for one in made if one.outcome == "stands"), key=lambda proof: proof.score, default=None)
        considered = {one.entry.id: one for some in found.values() for one in some}
        told = (premise.entry.id for proof in made for premise in proof.premises if premise.entry)
        kept: ReplyFields = {
            "thought": {
                "claim": best.hypothesis.statement if best else "",
                "hypotheses": tuple(
                    HypothesisFields(
                        answer=f"{one.option} {one.answer}".strip(),
                        statement=one.statement,
                        proofs=tuple(proof.stored() for proof in made if proof.hypothesis is one),
                    )
                    for one in found
                ),
            },
            # Forgetting a fact in one of the prompts, or in a proof, deletes the answer.
            "in_view": tuple(dict.fromkeys((*considered, *told))),
        }
        if best is None:
            yield Retrieved(turn)  # clears the understanding shown so far
            turn = yield from self.otherwise(request)
            return replace(turn, reply=turn.reply.with_fields(**kept))
        kept["answer"] = f"{best.hypothesis.option} {best.hypothesis.statement}".strip()
        kept["because"] = tuple(premise.text for premise in best.premises)
        kept["notes"] = said.fields.get("notes", ())
        yield AnswerText(turn.id, kept["answer"])
        reply = replace(request.so_far.reply.with_fields(**kept), status=ReplyStatus.OK)
        turn = _answered(turn, reply, best, considered)
        return replace(turn, ms={**turn.ms, "model": ms_since(began)})

    def _hypotheses(self, request: GenerationRequest, calls: Calls) -> tuple[Reply, list[Hypothesis]]:
        """Request A and H of the paper: possible answers, each as a statement, and the understanding."""
        turn, options = request.turn, options_of(request.turn.question)
        # Numbered as in the prompt of the turn: offered ones first.
        notes = [one.entry for action in (Action.OFFER, Action.USE) for one in turn.decisions if one.action is action]
        system, message = request.prompt_builder.call(
            "teachme/hypotheses",
            notes=[{"note": n, "about": e.question, **e.prompted} for n, e in enumerate(notes, 1)],
            options=[{"option": n, "answer": option} for n, option in enumerate(options, 1)],
            asked=[{"question": turn.question[:LONGEST_TEXT], "answers wanted": len(options) or _DRAFTS}],
        )
        turns = len(request.prompt.sections["history"])
        said = calls.ask((system, *request.prompt.messages[-1 - 2 * turns : -1], message), HYPOTHESES)
        return said, hypotheses_in(said, options)

    def _facts(
        self, hypothesis: Hypothesis, request: GenerationRequest, may_stand: Callable[[Entry], bool]
    ) -> list[Candidate]:
        """Return C of the paper: facts told for this question, then facts found for the hypothesis, nearest first."""
        turn = request.turn
        shown = [one for one in turn.decisions if one.action is not Action.SKIP]
        told = [one.candidate for one in shown if one.reason == JUST_TOLD or one.entry.reach is Reach.QUESTION]
        found = self.recall(Question(hypothesis.statement, turn.conversation, left_out=turn.left_out), request.scope)
        nearest = sorted(found, key=lambda one: one.scores.get("relevance", 0.0), reverse=True)
        bearing = [one for one in nearest if one.entry.id not in turn.left_out and not find_exclusion(one)]
        usable = {
            one.entry.id: one
            for one in (*told, *bearing)
            if one.entry.kind is FACT and one.entry.counts_in(turn.conversation) and may_stand(one.entry)
        }
        return list(usable.values())[:_FACTS]

    def _proofs(
        self, request: GenerationRequest, calls: Calls, found: Mapping[Hypothesis, Sequence[Candidate]]
    ) -> list[Callable[[], Proof]]:
        """Return the jobs for E of the paper: all free proofs, then as many forced ones as the allowance permits."""
        free: list[Callable[[], Proof]] = []
        forced: list[Callable[[], Proof]] = []
        for hypothesis, candidates in found.items():
            facts = [one.entry for one in candidates]
            prove = partial(self._prove, request, calls, hypothesis, facts)
            free.append(prove)
            forced += [partial(prove, fact) for fact in facts]
        jobs = free[:1]  # counted with the turn itself
        for job in (*free[1:], *forced):
            try:
                self.allowance.turn(request.scope)
            except TooOften:
                if len(jobs) < len(free):
                    raise
                break
            jobs.append(job)
        return jobs

    def _prove(
        self,
        request: GenerationRequest,
        calls: Calls,
        hypothesis: Hypothesis,
        facts: Sequence[Entry],
        first: Entry | None = None,
    ) -> Proof:
        """Write and check a proof, forced to begin with the fact `first` if given. Runs in its own thread."""
        statement, build = hypothesis.statement, request.prompt_builder.call
        claim = {"question": request.turn.question, "answer": hypothesis.answer, "statement": statement}
        messages = build(
            "teachme/proof",
            facts=[fact.prompted for fact in facts],
            claim=[{name: text[:LONGEST_TEXT] for name, text in claim.items()}],
            first=[first.prompted] if first else [],
        )
        known = Assertions(self.memory, request.scope, request.turn, facts)
        try:
            texts = sentences(calls.ask(messages, PROOF).fields.get("because", ()))
            premises = [Premise(text, entry=known.fact(text)) for text in texts]
            if first:  # without its repetition
                others = (one for one in premises if one.entry is None or one.entry.id != first.id)
                premises = [Premise(text_of_fact(first), entry=first), *others]
            proof = Proof(hypothesis, tuple(premises[:MOST_PREMISES]))
            own = (fold_sentence(one.text) for one in proof.premises if one.entry is None)
            if not texts or fold_sentence(statement) in own:
                return proof
            if any(premise.opposed for premise in proof.premises):
                return replace(proof, outcome="denied")
            if known.blocks([premise.text for premise in proof.premises], statement):
                return replace(proof, outcome="blocked")
            rows: list[Row] = [
                {"premise": number, "says": premise.text, **({"told": number} if premise.entry else {})}
                for number, premise in enumerate(proof.premises, 1)
            ]
            messages = build("teachme/check", premises=rows, conclusion=[{"statement": statement}])
            return add_beliefs(proof, parse_reply(calls.hear(messages), CHECK))
        except UNUSABLE_REPLY:
            return Proof(hypothesis, outcome="failed")


def _answered(turn: Turn, reply: Reply, best: Proof, considered: Mapping[str, Candidate]) -> Turn:
    """Return the turn answered by its best proof, based on the facts of that and on the notes that the reply names."""
    rests_on = [premise.entry.id for premise in best.premises if premise.entry]
    offered = turn.entries_to(Action.OFFER)
    named = [offered[number - 1] for number in reply.notes if 1 <= number <= len(offered)]
    known = [one for one in turn.decisions if one.action is not Action.SKIP or one.entry.id not in rests_on]
    new = set(rests_on).difference(one.entry.id for one in known)
    reason = Sentence("counts.considered")
    further = [Decision(one, Action.OFFER, 1.0, reason) for name, one in considered.items() if name in new]
    used = tuple(dict.fromkeys((*turn.entries_to(Action.USE), *named, *rests_on)))
    return turn_changes.answer_turn(replace(turn, decisions=(*known, *further)), reply, used)
