"""Sets of corrections: which questions they reach, which of two holds, which question is the same, what is a fact."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, Field

from assistant.feedback.telling import told_in
from assistant.kinds import Reach
from assistant.types import Action, Entry, Scope, Status
from evaluation.harness.dataset import Dataset
from evaluation.harness.subject import Subject
from evaluation.labelled.sets import LabelledSet, Scores
from memory_store.language.languages import LANGUAGES
from memory_store.language.questions import same_question
from ui.server.services import Services

_SPLITS = ("dev", "heldout")


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
    """Correct twice; does the second replace the first, is it kept beside it, or has it nothing to do with it?"""
    subject = Subject(services.assistant, Scope(f"user of {case.id}"))
    first, second = (_corrected(subject, each) for each in (case.first, case.second))
    memory = subject.assistant.memory
    beside = {entry.id for entry in memory.beside(second.id, subject.scope)}
    came = Outcome.BESIDE if first.id in beside else Outcome.UNRELATED
    if memory.entry(first.id, subject.scope).status is not Status.ACTIVE:
        came = Outcome.REPLACED
    return {"as marked": [came is case.outcome]}


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
