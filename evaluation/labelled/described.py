"""Wordings unseen by the authors of the embedded model: does it follow, mistake them for another task, or decline?

They are clarifications that describe a word task without naming it, and first visitors' questions that it cannot
answer. Half of each file was open during development.
"""

from __future__ import annotations

from hashlib import sha256

from pydantic import BaseModel

from assistant.models.embedded.reader import NOT_UNDERSTOOD
from assistant.types import Reply, Scope
from evaluation.decisions.misunderstandings import HELD_OUT
from evaluation.harness.dataset import Dataset
from evaluation.harness.simulated_user import SimulatedUser
from evaluation.labelled.sets import LabelledSet, Scores
from evaluation.memprompt.word_tasks import TYPES, WordItem, find_answers
from ui.server.services import Services

_FILE = "wordings/{name}_{split}.jsonl"


class DescribedLine(BaseModel):
    """A question that does not name a task, and the user's correction."""

    question: str
    text: str
    task: str
    word: str
    lang: str


class OutsideLine(BaseModel):
    """A question that the embedded model cannot answer."""

    text: str
    lang: str


def score_described(line: DescribedLine, services: Services, _split: str) -> Scores:
    """Ask, correct, and score the second answer."""
    subject = _user_of(line, services)
    turn, _ = subject.correct(subject.ask(line.question), line.text)
    kind = TYPES[line.task]
    item = WordItem(line.question, kind, line.word, find_answers(kind, line.word))
    return _score_reply(turn.reply, right=all(item.judge(turn)))


def score_outside(line: OutsideLine, services: Services, _split: str) -> Scores:
    """Ask; any answer is wrong, since the model can only decline."""
    return _score_reply(_user_of(line, services).ask(line.text).reply, right=False)


def _score_reply(reply: Reply, *, right: bool) -> Scores:
    declined = reply.understanding == NOT_UNDERSTOOD
    return {
        "followed": [right and not declined],
        "another task": [not right and not declined],
        "declined": [declined],
    }


def _user_of(line: BaseModel, services: Services) -> SimulatedUser:
    return SimulatedUser(services.assistant, Scope(sha256(line.model_dump_json().encode()).hexdigest()[:16]))


DESCRIBED = LabelledSet(
    Dataset("described", DescribedLine, HELD_OUT, _FILE),
    score_described,
    lambda line: [line.lang],
    "corrections that describe a word task and do not name it.",
)
OUTSIDE = LabelledSet(
    Dataset("outside", OutsideLine, HELD_OUT, _FILE),
    score_outside,
    lambda line: [line.lang],
    "questions outside of what the embedded model can do.",
)
