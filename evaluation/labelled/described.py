"""Wordings that nobody who made the embedded model has seen: does it follow, take for something else, or decline?

Clarifications that describe a word task and do not name it; first visitors' questions outside of what it can do; and
operations under invented names, shown twice. Half of each file was open while the model was made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from pydantic import BaseModel

from assistant.gate.gate import just_told
from assistant.kinds import EXAMPLE, Example
from assistant.models.embedded.reader import NOT_UNDERSTOOD
from assistant.prompt.sections import Asking
from assistant.reply.parser import parse_reply
from assistant.types import Action, Decision, Draft, Reply, Scope
from evaluation.harness.dataset import Dataset
from evaluation.harness.subject import Subject
from evaluation.labelled.sets import LabelledSet, Scores
from evaluation.memprompt.word_tasks import TYPES, LexicalTask, WordItem, answers_about
from ui.server.services import Services

_SPLITS, _FILE = ("dev", "heldout"), "wordings/{name}_{split}.jsonl"
_WINDOW = 32_768


class DescribedLine(BaseModel):
    """A question that does not say what is wanted, and what a person said then."""

    question: str
    text: str
    task: str
    word: str
    lang: str


class OutsideLine(BaseModel):
    """A question that the embedded model cannot answer."""

    text: str
    lang: str


class InventedLine(BaseModel):
    """An operation under a name that nobody knows, shown by examples, and questions with the answers that are right."""

    name: str
    shows: tuple[tuple[str, str], ...]
    asks: tuple[tuple[str, tuple[str, ...]], ...]
    possible: bool


def score_described(line: DescribedLine, services: Services, _split: str) -> Scores:
    """Ask, say what was meant, and judge the second answer."""
    subject = _somebody(line, services)
    turn, _ = subject.correct(subject.ask(line.question), line.text)
    kind = TYPES[line.task]
    item = WordItem(line.question, kind, line.lang, "", answers_about(kind, line.word), about=line.word)
    return _scores([(turn.reply, all(LexicalTask().verdict(item, turn)))])


def score_outside(line: OutsideLine, services: Services, _split: str) -> Scores:
    """Ask: whatever it says is wrong."""
    return _scores([(_somebody(line, services).ask(line.text).reply, False)])


def score_invented(line: InventedLine, services: Services, _split: str) -> Scores:
    """Show the operation, then ask for it."""
    subject = _somebody(line, services)
    runner, shown, replies = subject.assistant.runner, list[Decision](), list[tuple[Reply, bool]]()
    for question, answer in line.shows:
        about = question.removeprefix(f"{line.name} of ")
        example = Example(understanding=f'You want the {line.name} of "{about}".', answer=answer)
        entry = subject.assistant.memory.remember(Draft(EXAMPLE, question, example, question), subject.scope)
        shown.append(replace(just_told(entry), action=Action.SHOW))
    for question, answers in line.asks:
        prompt = runner.prompt_builder.answer(Asking(question, subject.scope, shown), _WINDOW)
        reply = parse_reply("".join(runner.model.stream(prompt.messages)))
        replies.append((reply, line.possible and (not answers or reply.answer in answers)))
    return _scores(replies)


def _scores(replies: Sequence[tuple[Reply, bool]]) -> Scores:
    declined = [reply.understanding == NOT_UNDERSTOOD for reply, _ in replies]
    followed = [right and not no for (_, right), no in zip(replies, declined, strict=True)]
    other = [not no and not yes for no, yes in zip(declined, followed, strict=True)]
    return {"followed": followed, "another task": other, "declined": declined}


def _somebody(line: BaseModel, services: Services) -> Subject:
    return Subject(services.assistant, Scope(sha256(line.model_dump_json().encode()).hexdigest()[:16]))


DESCRIBED = LabelledSet(
    Dataset("described", DescribedLine, _SPLITS, _FILE),
    score_described,
    lambda line: [line.lang],
    "corrections that describe a word task and do not name it.",
)
OUTSIDE = LabelledSet(
    Dataset("outside", OutsideLine, _SPLITS, _FILE),
    score_outside,
    lambda line: [line.lang],
    "questions outside of what the embedded model can do.",
)
INVENTED = LabelledSet(
    Dataset("invented", InventedLine, _SPLITS, _FILE),
    score_invented,
    lambda line: ["possible" if line.possible else "impossible"],
    "operations under invented names, shown twice.",
)
