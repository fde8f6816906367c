"""Sets of corrections: which questions they reach, which of two holds, which question is the same, what is a fact."""

from __future__ import annotations

from enum import StrEnum
from functools import cache

from pydantic import BaseModel, Field

from app import PROMPTS
from assistant.feedback.telling import told_in
from assistant.keys.writer import ModelKeyWriter
from assistant.kinds import Reach
from assistant.types import Action, Entry, Scope, Status
from evaluation.harness.dataset import DATA, Dataset
from evaluation.harness.model import WrittenReplies
from evaluation.harness.subject import Subject
from evaluation.labelled.sets import LabelledSet, Scores
from memory_store.language.languages import LANGUAGES
from memory_store.language.questions import same_question
from ui.server.services import Services

_SPLITS = ("dev", "heldout")
_SECRET = b"markers of blocks, which no reply depends on"


class Later(BaseModel):
    """A later question, and whether the correction should change how it is understood."""

    q: str
    changes: bool


class ReachCase(BaseModel):
    """A correction, with the reach that a person marked, and later questions."""

    id: str
    question: str
    understood: str
    correction: str
    reach: Reach
    kind: str  # `word` or `everyday`
    later: tuple[Later, ...]


def score_reach(case: ReachCase, services: Services, _split: str) -> Scores:
    """Correct once, then ask: is the reach proposed as marked, and which answers are based on the correction?

    `shown` counts the questions for which a model that chooses among notes would see it.
    """
    subject = Subject(services.assistant, Scope(f"user of {case.id}"))
    choosing = services.assistant.with_parts(services.models.connected)
    _, entry = subject.correct(subject.misunderstood(case.question, case.understood), case.correction)
    wrongly, rightly, shown = list[bool](), list[bool](), list[bool]()
    for later in case.later:
        (rightly if later.changes else wrongly).append(entry.id in subject.ask(later.q).used)
    for later in case.later:
        if later.changes:
            decisions = choosing.preview(later.q, subject.scope)
            shown.append(any(one.entry.id == entry.id for one in decisions if one.action is not Action.SKIP))
    return {
        "proposed as marked": [entry.reach is case.reach],
        "wrongly changed": wrongly,
        "rightly changed": rightly,
        "shown": shown,
    }


class Outcome(StrEnum):
    """What becomes of the first of two corrections."""

    REPLACED = "replaced"
    BESIDE = "beside"
    UNRELATED = "unrelated"


class Correction(BaseModel):
    """What a user said about a question, and what the conversation was about."""

    question: str
    said: str
    context: str


class ConflictCase(BaseModel):
    """Two corrections, and what a person says should become of the first."""

    id: str
    first: Correction
    second: Correction
    outcome: Outcome


def score_conflict(case: ConflictCase, services: Services, _split: str) -> Scores:
    """Correct twice; the second takes the place of the first, is kept beside it, or has nothing to do with it.

    `by rule` is what the memory makes of it, `by a model` what a model says that writes keys, with written replies.
    """
    written, writer = _written()
    by_rule = _placed(case, Subject(services.assistant, Scope(f"user of {case.id}")), services)
    by_model = _placed(case, Subject(services.assistant, Scope(f"model of {case.id}")), services, writer)
    written.check()
    return {"by rule": [by_rule is case.outcome], "by a model": [by_model is case.outcome]}


@cache
def _written() -> tuple[WrittenReplies, ModelKeyWriter]:
    replies = WrittenReplies(DATA / "conflict_replies.jsonl")
    return replies, ModelKeyWriter(replies, PROMPTS, _SECRET)


def _placed(case: ConflictCase, subject: Subject, services: Services, writer: ModelKeyWriter | None = None) -> Outcome:
    memory, scope = subject.assistant.memory, subject.scope
    first, second = (_corrected(subject, each) for each in (case.first, case.second))
    earlier = services.parts.key_work.earlier(second) if writer else ()
    if writer and earlier:
        for other, place in writer(second, earlier, lambda: False).places.items():
            memory.put(second.id, place, other, scope)
    if memory.entry(first.id, scope).status is not Status.ACTIVE:
        return Outcome.REPLACED
    beside = {entry.id for entry in memory.beside(second.id, scope)}
    return Outcome.BESIDE if first.id in beside else Outcome.UNRELATED


def _corrected(subject: Subject, each: Correction) -> Entry:
    return subject.correct(subject.misunderstood(each.question, "?"), each.said)[1]


class Pair(BaseModel):
    """A question, a later one, and whether a person would say that it is the same."""

    known: str
    asked: str
    same: bool


class ToldMessage(BaseModel):
    """A message, and what it is: a `question`, a `fact`, a `correction`, or `other`."""

    message: str
    kind: str = Field(alias="is")
    fact: str  # what it tells, without what is written before it


def score_told(line: ToldMessage, _services: Services, _split: str) -> Scores:
    """Read a message: is it certain, or possible, that it tells a fact, and is that found word for word?"""
    told = told_in(line.message, LANGUAGES)
    return {
        "certain": [told is not None and told.is_certain],
        "maybe": [told is not None and not told.is_certain],
        "exact": [told is not None and told.fact.casefold() == line.fact.casefold()],
    }


REACH = LabelledSet(
    Dataset("reach", ReachCase, _SPLITS),
    score_reach,
    lambda case: [case.kind],
    "for which later questions a correction counts, as a person marked it.",
)
CONFLICTS = LabelledSet(
    Dataset("conflicts", ConflictCase, _SPLITS),
    score_conflict,
    lambda case: [case.outcome.value],
    "whether a second correction replaces the first, is kept beside it, or neither, as a person marked it.",
)
SAME = LabelledSet(
    Dataset("same", Pair, _SPLITS),
    lambda pair, *_: {"taken for the same": [same_question(pair.asked, pair.known)]},
    lambda pair: ["the same" if pair.same else "another"],
    "which questions count as one that was corrected.",
)
TOLD = LabelledSet(
    Dataset("told", ToldMessage, _SPLITS),
    score_told,
    lambda line: [line.kind],
    "which messages tell a fact, by their words alone.",
)
