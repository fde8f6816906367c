"""Labelled sets of facts: conclusions from them, and which ones are shown for a question."""

from __future__ import annotations

from enum import StrEnum
from functools import cache

from pydantic import BaseModel, StrictStr

from assistant.models.embedded.phrases import VOICES, say
from assistant.reasoning.words import Words
from assistant.sentences import Sentence
from assistant.types import Action, Scope
from evaluation.gate.data import FACT_CASES, FACTS, FactCase
from evaluation.harness.dataset import Dataset
from evaluation.harness.simulated_user import SimulatedUser
from evaluation.labelled.sets import LabelledSet, Scores
from memory_store.language.languages import LANGUAGES
from memory_store.language.word_translation import fold_for_comparison
from ui.server.services import Services

_YES, _NO, _UNKNOWN = "yes", "no", "unknown"
_MARK = "\0"
_ENDS = " .।"
_TELLER = Scope("teller")
_TELL_NOTHING = ("told_me", "unknown_fact", "what_i_am", "disputed", "both")  # phrases without an answer


class ToldLine(BaseModel):
    """Facts, a question that may follow from them, and the right answer."""

    facts: tuple[StrictStr, ...]
    question: StrictStr
    answer: StrictStr  # "yes", "no", "unknown", or a word
    lang: StrictStr

    @property
    def type(self) -> str:
        """Return the kind of the right answer."""
        return self.answer if self.answer in {_YES, _NO, _UNKNOWN} else "word"


class AnswerMark(StrEnum):
    """Mark for an answer."""

    RIGHT = "right"
    WRONG = "wrong"
    DECLINED = "declined"


def score_follows(line: ToldLine, services: Services, _split: str) -> Scores:
    """Tell the facts of a line, ask its question, and mark the answer."""
    subject = SimulatedUser(services.assistant, Scope(f"{line.facts} {line.question}"))
    for fact in line.facts:
        subject.tell(fact)
    marked = mark(line, subject.ask(line.question).reply.answer)
    return {each: [marked is each] for each in AnswerMark}


def mark(line: ToldLine, answer: str) -> AnswerMark:
    """Return the mark for an answer; one without yes, no or a word declines."""
    said = parse_answer(answer)
    if not said:
        return AnswerMark.RIGHT if line.type == _UNKNOWN else AnswerMark.DECLINED
    if line.type != "word":
        return AnswerMark.RIGHT if said == line.type else AnswerMark.WRONG
    wanted = [f" {fold_for_comparison(text)} " for text in (line.answer, Words(LANGUAGES).mirrored(line.answer))]
    found = f" {fold_for_comparison(said)} "
    return AnswerMark.RIGHT if any(text in found or found in text for text in wanted) else AnswerMark.WRONG


def parse_answer(answer: str) -> str:
    """Return the content of an answer: yes, no or words; empty if it says that it does not know."""
    text = answer.strip(_ENDS)
    for voice in range(len(VOICES)):
        for verdict in (_YES, _NO):
            if text == say(verdict, voice).strip(_ENDS):
                return verdict
        told = {"fact": _MARK, "facts": _MARK}
        beginnings = (say(name, voice, **told).partition(_MARK)[0] for name in _TELL_NOTHING)
        if any(answer.startswith(beginning) for beginning in beginnings if beginning):
            return ""
    return "" if answer == str(Sentence("embedded.what_i_am")) else text


def tell_all(split: str, services: Services) -> None:
    """Tell all facts of a split, as one user."""
    subject = SimulatedUser(services.assistant, _TELLER)
    for fact in FACTS.lines(split):
        subject.tell(fact.text, told_at=fact.asked)
    services.store.indexer.rebuild()


def score_shown(case: FactCase, services: Services, split: str) -> Scores:
    """Ask as that user; score whether a model that chooses among notes is shown the facts that the question needs.

    For a look-alike, score whether its fact is shown; for an everyday question, whether any fact is.
    """
    decisions = services.assistant.with_parts(services.models.connected).preview(case.question, _TELLER)
    shown = {decision.entry.text for decision in decisions if decision.action is Action.OFFER}
    texts = _read_texts(split)
    if case.bears:
        return {"shown": [{texts[fact] for fact in case.bears} <= shown]}
    return {"shown": [texts[case.near] in shown if case.near else bool(shown)]}


@cache
def _read_texts(split: str) -> dict[str, str]:
    return {fact.id: fact.text for fact in FACTS.lines(split)}


FACTS_TOLD = LabelledSet(
    Dataset("facts-told", ToldLine, ("open", "unread"), "chain_{split}.jsonl"),
    score_follows,
    lambda line: [line.type, line.lang],
    "what follows from the facts of a line, told to the app; `open` was seen while the rules were written.",
)
FACTS_SHOWN = LabelledSet(
    FACT_CASES,
    score_shown,
    lambda case: [case.kind],
    "whether a model that chooses among notes is shown the facts that bear on a question, or a look-alike or anything; "
    "the gate was fitted on `fit`.",
    tell_all,
)
