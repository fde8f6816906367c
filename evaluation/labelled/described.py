"""Clarifications that describe a word task and do not name it: does the embedded model follow, or decline?

People wrote them who had not seen the model; half of them was open while it was made.
"""

from __future__ import annotations

from hashlib import sha256

from pydantic import BaseModel

from assistant.models.embedded.reader import NOT_UNDERSTOOD
from assistant.types import Scope
from evaluation.decisions.misunderstandings import HELD_OUT
from evaluation.harness.dataset import Dataset
from evaluation.harness.subject import Subject
from evaluation.labelled.sets import LabelledSet, Scores
from evaluation.memprompt.word_tasks import TYPES, LexicalTask, WordItem, answers_about
from ui.server.services import Services


class DescribedLine(BaseModel):
    """A question that does not say what is wanted, and what a person said then."""

    question: str
    text: str
    task: str
    word: str
    lang: str


def score_described(line: DescribedLine, services: Services, _split: str) -> Scores:
    """Ask, say what was meant, and judge the second answer."""
    subject = Subject(services.assistant, Scope(sha256(line.model_dump_json().encode()).hexdigest()[:16]))
    turn, _ = subject.correct(subject.ask(line.question), line.text)
    kind = TYPES[line.task]
    item = WordItem(line.question, kind, line.lang, "", answers_about(kind, line.word), about=line.word)
    right, declined = all(LexicalTask().verdict(item, turn)), turn.reply.understanding == NOT_UNDERSTOOD
    return {
        "followed": [right and not declined],
        "another task": [not right and not declined],
        "declined": [declined],
    }


DESCRIBED = LabelledSet(
    Dataset("described", DescribedLine, HELD_OUT, "wordings/{name}_{split}.jsonl"),
    score_described,
    lambda line: [line.lang],
    "corrections that describe a word task and do not name it.",
)
