"""Labelled sets of corrections: their reach, conflicts, repeated questions, and facts in messages."""

from __future__ import annotations

from assistant.feedback.fact_messages import is_own_question, parse_fact_message
from assistant.types import Action, Entry, Scope, Status
from evaluation.decisions.misunderstandings import (
    PARTS,
    ConflictCase,
    ConflictCorrection,
    ConflictOutcome,
    ReachCase,
    ToldMessage,
)
from evaluation.harness.simulated_user import SimulatedUser
from evaluation.labelled.sets import LabelledSet, Scores
from memory_store.language.languages import LANGUAGES
from memory_store.language.question_similarity import is_same_question
from ui.server.services import Services


def score_reach(case: ReachCase, services: Services, _split: str) -> Scores:
    """Correct once and ask later questions; score the proposed reach and the answers that use the correction.

    `shown` counts the questions for which a model that chooses among notes would see the right note.
    """
    subject = SimulatedUser(services.assistant, Scope(f"user of {case.id}"))
    choosing = services.assistant.with_parts(services.models.connected)
    _, entry = subject.correct(subject.misunderstand(case.question, case.understood), case.correction)
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


def score_conflict(case: ConflictCase, services: Services, _split: str) -> Scores:
    """Correct twice; score whether the second correction replaces the first, is kept beside it, or neither."""
    subject = SimulatedUser(services.assistant, Scope(f"user of {case.id}"))
    first, second = (_correct(subject, each) for each in (case.first, case.second))
    memory = subject.assistant.memory
    beside = {entry.id for entry in memory.beside(second.id, subject.scope)}
    came = ConflictOutcome.BESIDE if first.id in beside else ConflictOutcome.UNRELATED
    if memory.entry(first.id, subject.scope).status is not Status.ACTIVE:
        came = ConflictOutcome.REPLACED
    return {"as marked": [came is case.outcome]}


def _correct(subject: SimulatedUser, each: ConflictCorrection) -> Entry:
    return subject.correct(subject.misunderstand(each.question, "?"), each.said)[1]


def score_told(line: ToldMessage, _services: Services, _split: str) -> Scores:
    """Read a message; score whether it certainly or possibly tells a fact, and whether the fact is found verbatim.

    `own question` counts the messages that are never taken for a correction.
    """
    told = parse_fact_message(line.message, LANGUAGES)
    return {
        "certain": [told is not None and told.is_certain],
        "maybe": [told is not None and not told.is_certain],
        "exact": [told is not None and told.fact.casefold() == line.fact.casefold()],
        "own question": [is_own_question(line.message, LANGUAGES)],
    }


REACH = LabelledSet(
    PARTS["reach"],
    score_reach,
    lambda case: [case.kind],
    "for which later questions a correction counts, as a person marked it.",
)
CONFLICTS = LabelledSet(
    PARTS["conflicts"],
    score_conflict,
    lambda case: [case.outcome.value],
    "whether a second correction replaces the first, is kept beside it, or neither, as a person marked it.",
)
SAME = LabelledSet(
    PARTS["same"],
    lambda pair, *_: {"taken for the same": [is_same_question(pair.asked, pair.known)]},
    lambda pair: ["the same" if pair.same else "another"],
    "which questions count as one that was corrected.",
)
TOLD = LabelledSet(
    PARTS["told"],
    score_told,
    lambda line: [line.kind],
    "which messages tell a fact, or are a question of their own, by their words alone.",
)
