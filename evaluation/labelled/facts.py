"""Sets of facts: what follows from them, and which of them are shown for a question."""

from __future__ import annotations

from enum import StrEnum
from functools import cache

from pydantic import BaseModel, StrictStr

from assistant.models.embedded.phrases import VOICES, say
from assistant.reasoning.words import Words
from assistant.sentences import Sentence
from assistant.types import Action, Scope
from evaluation.gate.facts import FACT_CASES, FACTS, FactCase
from evaluation.harness.dataset import Dataset
from evaluation.harness.subject import Subject
from evaluation.labelled.sets import LabelledSet, Scores
from memory_store.language.languages import LANGUAGES
from memory_store.language.word_translation import compared
from ui.server.services import Services

_YES, _NO, _UNKNOWN = "yes", "no", "unknown"
_MARK = "\0"
_ENDS = " .।"
_TELLER = Scope("teller")
_TELL_NOTHING = ("told_me", "unknown_fact", "what_i_am", "disputed", "both")  # sentences without an answer


class ToldLine(BaseModel):
    """Facts, a question that may follow from them, and the right answer."""

    facts: tuple[StrictStr, ...]
    question: StrictStr
    answer: StrictStr  # "yes", "no", "unknown", or the words that are asked for
    lang: StrictStr

    @property
    def type(self) -> str:
        """Return the kind of answer that is right."""
        return self.answer if self.answer in {_YES, _NO, _UNKNOWN} else "word"


class Mark(StrEnum):
    """How an answer is marked."""

    RIGHT = "right"
    WRONG = "wrong"
    DECLINED = "declined"


def score_follows(line: ToldLine, services: Services, _split: str) -> Scores:
    """Tell the facts of a line and ask its question."""
    subject = Subject(services.assistant, Scope(f"{line.facts} {line.question}"))
    for fact in line.facts:
        subject.tell(fact)
    marked = mark(line, subject.ask(line.question).reply.answer)
    return {each: [marked is each] for each in Mark}


def mark(line: ToldLine, answer: str) -> Mark:
    """Mark an answer. One that says neither yes or no, nor the word that is asked for, declines."""
    said = says(answer)
    if not said:
        return Mark.RIGHT if line.type == _UNKNOWN else Mark.DECLINED
    if line.type != "word":
        return Mark.RIGHT if said == line.type else Mark.WRONG
    wanted = [f" {compared(text)} " for text in (line.answer, Words(LANGUAGES).mirrored(line.answer))]
    found = f" {compared(said)} "
    return Mark.RIGHT if any(text in found or found in text for text in wanted) else Mark.WRONG


def says(answer: str) -> str:
    """Return what an answer says: yes, no, or the words that it gives; empty where it says that it cannot tell."""
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
    subject = Subject(services.assistant, _TELLER)
    for fact in FACTS.lines(split):
        subject.tell(fact.text, told_at=fact.asked)
    services.upkeep.rebuild_index()


def score_shown(case: FactCase, services: Services, split: str) -> Scores:
    """Ask as that user: is a model that chooses shown the facts that bear on the question?

    Of a look-alike and of an everyday question it is counted whether the look-alike, or anything, is shown.
    """
    decisions = services.assistant.with_parts(services.models.connected).preview(case.question, _TELLER)
    shown = {decision.entry.text for decision in decisions if decision.action is Action.OFFER}
    texts = _texts(split)
    if case.bears:
        return {"shown": [{texts[fact] for fact in case.bears} <= shown]}
    return {"shown": [texts[case.near] in shown if case.near else bool(shown)]}


@cache
def _texts(split: str) -> dict[str, str]:
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
