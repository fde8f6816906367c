"""Think a question through (section 3.1 of the paper, Algorithm 1), scored by the model's own confidence.

    procedure ANSWER(Q, A, M)                                        `ThinkThrough.__call__`
      for A_i in A: H_i = QA2D(Q, A_i)               section 3.1.1   `_hypotheses`, all by one call
        C = search(corpus = M, query = H_i)          section 3.3     `_facts`
        for C_j in C or none:                                        `_proofs`, in parallel
          a proof of H_i that begins with C_j        section 3.1.2   `_prove`
          is each premise true, does H_i follow?                     by the model itself (`score_proof`)
      return the answer with the best proof

A proof with a denied premise or a blocked step is rejected (section 3.2). If no proof stands, the question gets an
ordinary answer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter

from assistant import turn_changes
from assistant.errors import ModelError, TooOften
from assistant.events import AnswerText, Event, Retrieved, UnderstandingText, Waiting
from assistant.feedback.fact_messages import parse_fact_message
from assistant.gate.gate import JUST_TOLD
from assistant.generate.generate import AnswerGenerator, GenerationRequest
from assistant.kinds import FACT, Reach
from assistant.language.languages import Languages
from assistant.limits import UNLIMITED, Allowance
from assistant.model_usage import ms_since
from assistant.models.embedded.phrases import small_talk
from assistant.papers.calls import UNUSABLE_REPLY, Calls
from assistant.papers.teachme.facts import Assertions, Premise, fold_sentence, text_of_fact
from assistant.ports import Memory, Recall
from assistant.prompt.envelope import Row
from assistant.reply.fields import ReplyFields
from assistant.reply.parser import NOTES, UNDERSTANDING, Grammar, Tag, parse_reply
from assistant.sentences import Sentence
from assistant.sharing import allow_one_shared, find_exclusion
from assistant.text.cleaning import clean_for_prompt
from assistant.types import Action, Candidate, Corrects, Decision, Entry, Question, Reply, ReplyStatus, Turn

HYPOTHESES = Grammar((NOTES, UNDERSTANDING, Tag("candidate", repeats=True), Tag("statement", repeats=True)))
PROOF = Grammar((Tag("because", repeats=True),))
CHECK = Grammar((Tag("premise", repeats=True), Tag("step")))
MOST_PREMISES, LONGEST_PREMISE = 3, 300  # characters
LONGEST_TEXT = 2_000  # characters of a question or an answer in a prompt
_LETTERS = "ABCDEFGH"
_DRAFTS = 3  # hypotheses for a question without options
_FACTS = 5  # r of the paper, per hypothesis
_CONSIDERED = Sentence("counts.considered")


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A possible answer: A_i of the paper, with its statement H_i."""

    answer: str  # in a few words
    statement: str  # the question with this answer, as one sentence
    option: str = ""  # "(A)", of a multiple-choice question


@dataclass(frozen=True, slots=True)
class Proof:
    """A proof that stands, P_i ⊢ H_i of the paper."""

    hypothesis: Hypothesis
    premises: Sequence[Premise]
    score: float


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


def score_proof(premises: Sequence[Premise], said: Reply) -> float:
    """Return the model's confidence in all premises and the step together, 0 to 1. Facts of users are certain.

    Returns 0 if the model does not believe one of them.
    """
    beliefs: dict[int, float] = {}  # by number of the premise; 0 for the step
    for line in (f"0 {said.fields.get('step', '')}", *said.fields.get("premise", ())):
        # A number, yes or no, and the confidence of the model, from 50 (a guess) to 100.
        if found := re.match(r"(?:\D{0,20}(\d{1,2}))?\W*(yes|no)\D*(\d{0,3})", line, re.IGNORECASE):
            is_believed, percent = found[2].casefold() == "yes", min(max(int(found[3] or 0), 50), 100)
            beliefs[int(found[1] or 0)] = percent / 100 if is_believed else 0.0
    certain = {number for number, premise in enumerate(premises, 1) if premise.entry}
    return math.prod(1.0 if at in certain else beliefs.get(at, 0.0) for at in range(len(premises) + 1))


@dataclass(frozen=True, slots=True)
class ThinkThrough:
    """Implements `AnswerGenerator`: prove each possible answer, and give the one with the best proof."""

    recall: Recall
    memory: Memory
    otherwise: AnswerGenerator  # used if no proof holds, or the message is not a question
    allowance: Allowance = UNLIMITED
    languages: Languages | None = None  # detects messages that are not questions; None: all are thought through

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
            proofs = yield from calls.results(self._proofs(request, calls, found), waiting)
        except ModelError as failure:
            return turn_changes.fail_turn(replace(turn, reply=request.so_far.reply), failure.sentence)
        considered = {one.entry.id: one for facts in found.values() for one in facts}
        best = max(filter(None, proofs), key=lambda proof: proof.score, default=None)  # the first of equal ones
        if best is None:
            yield Retrieved(turn)  # clears the understanding shown so far
            turn = yield from self.otherwise(request)
            # Forgetting a fact in one of the prompts deletes the answer.
            return replace(turn, reply=turn.reply.with_fields(thought={"claim": ""}, in_view=tuple(considered)))
        turn = _answer_by_proof(request, said, best, considered)
        yield AnswerText(turn.id, turn.reply.answer)
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
    ) -> list[Callable[[], Proof | None]]:
        """Return the jobs for E of the paper: all free proofs, then as many forced ones as the allowance permits."""
        provers = {
            hypothesis: partial(self._prove, request, calls, hypothesis, [one.entry for one in candidates])
            for hypothesis, candidates in found.items()
        }
        jobs: list[Callable[[], Proof | None]] = [*provers.values()]
        self.allowance.turn(request.scope, max(0, len(jobs) - 1))  # the first one is counted with the turn itself
        with suppress(TooOften):
            for hypothesis, prove in provers.items():
                for fact in found[hypothesis]:
                    self.allowance.turn(request.scope)
                    jobs.append(partial(prove, fact.entry))
        return jobs

    def _prove(
        self,
        request: GenerationRequest,
        calls: Calls,
        hypothesis: Hypothesis,
        facts: Sequence[Entry],
        first: Entry | None = None,
    ) -> Proof | None:
        """Write and check a proof, forced to begin with the fact `first` if given; None unless it stands.

        Runs in its own thread.
        """
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
                premises = [Premise(text_of_fact(first), entry=first), *others][:MOST_PREMISES]
            repeats = any(one.entry is None and fold_sentence(one.text) == fold_sentence(statement) for one in premises)
            is_denied = any(premise.opposed for premise in premises)
            if not texts or repeats or is_denied or known.blocks([one.text for one in premises], statement):
                return None
            rows: list[Row] = [
                {"premise": number, "says": premise.text, **({"told": number} if premise.entry else {})}
                for number, premise in enumerate(premises, 1)
            ]
            messages = build("teachme/check", premises=rows, conclusion=[{"statement": statement}])
            score = score_proof(premises, parse_reply(calls.hear(messages), CHECK))
        except UNUSABLE_REPLY:
            return None
        return Proof(hypothesis, premises, score) if score else None


def _answer_by_proof(request: GenerationRequest, said: Reply, best: Proof, considered: Mapping[str, Candidate]) -> Turn:
    """Return the turn answered by the conclusion of the best proof, with its premises as the reasons.

    `said` names the notes that the model used; `considered` are the facts of all hypotheses, by id.
    """
    turn, rests_on = request.turn, [premise.entry.id for premise in best.premises if premise.entry]
    kept: ReplyFields = {
        "answer": f"{best.hypothesis.option} {best.hypothesis.statement}".strip(),
        "because": tuple(premise.text for premise in best.premises),
        "thought": {"claim": best.hypothesis.statement},
        "notes": said.fields.get("notes", ()),
        "in_view": tuple(dict.fromkeys((*considered, *rests_on))),
    }
    reply = replace(request.so_far.reply.with_fields(**kept), status=ReplyStatus.OK)
    offered = turn.entries_to(Action.OFFER)
    named = [offered[number - 1] for number in reply.notes if 1 <= number <= len(offered)]
    used = tuple(dict.fromkeys((*turn.entries_to(Action.USE), *named, *rests_on)))
    facts = [Decision(considered[name], Action.OFFER, 1.0, _CONSIDERED) for name in rests_on if name in considered]
    return turn_changes.answer_turn(turn_changes.add_decisions(turn, facts), reply, used)
