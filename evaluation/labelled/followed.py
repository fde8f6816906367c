"""Does a model follow a correction at a later question? Twenty pairs, written before and without the prompts.

Regular expressions, written with each pair, judge the answers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import BaseModel

from assistant.conversation import Assistant
from assistant.gate.gate import just_told
from assistant.types import Candidate, Decision, Entry, Question, Reply, Scope
from evaluation.harness.dataset import Dataset
from evaluation.harness.simulated_user import SimulatedUser
from evaluation.labelled.sets import LabelledSet, Scores
from ui.server.services import Services

_MARKS = re.compile(
    r"</?\s*(?:understanding|answer|notes|correction|readings|fact|keep|look)\b|<\|\w|\bnote by the user\b|tavrin"
    r"|\A\W*(?:understanding|answer)\s*:|^\W*question\s*:",
    re.IGNORECASE | re.MULTILINE,
)


class FollowedLine(BaseModel):
    """A question, the correction of its answer, and a later question that it should change."""

    first: str
    said: str
    later: str
    lang: str
    any: tuple[str, ...]  # a right answer matches one of these
    none: tuple[str, ...]  # and none of these


def score_followed(line: FollowedLine, services: Services, _split: str) -> Scores:
    """Store the correction, and ask the later question: with the note given, and with the gate deciding.

    `whole` replies have an understanding and an answer; `marks` are replies that show a tag, a label or the text of an
    example.
    """
    scope = Scope(f"user of {line.first}")
    entry = services.assistant.remember(line.first, line.said, scope)
    ways = {"noted": _with_note(services, entry), "found": services.assistant}
    replies = {way: SimulatedUser(assistant, scope).ask(line.later, way).reply for way, assistant in ways.items()}
    return {
        "whole": [bool(reply.understanding.strip() and reply.answer.strip()) for reply in replies.values()],
        "marks": [any(map(_MARKS.search, (reply.understanding, reply.answer))) for reply in replies.values()],
        **{way: [_is_followed(line, reply)] for way, reply in replies.items()},
    }


def _is_followed(line: FollowedLine, reply: Reply) -> bool:
    def has(some: Sequence[str]) -> bool:
        return any(re.search(one, reply.answer, re.IGNORECASE) for one in some)

    return (not line.any or has(line.any)) and not has(line.none)


def _with_note(services: Services, entry: Entry) -> Assistant:
    """Return an assistant that uses one note for any question."""
    fit = services.models.connected["fit"]

    def recall(question: Question, scope: Scope) -> list[Candidate]:  # noqa: ARG001
        return [Candidate(entry, entry.keys[0])]

    def gate(candidates: Sequence[Candidate], scope: Scope) -> list[Decision]:  # noqa: ARG001
        return [just_told(entry)]

    return services.assistant.with_parts(
        recall=recall, retrievers=(), gate=gate, fit=lambda model: {**fit(model), "gate": gate}
    )


FOLLOWED = LabelledSet(
    Dataset("followed", FollowedLine, ("all",), "followed.jsonl"),
    score_followed,
    lambda line: [line.lang],
    "whether a model follows a correction that is beside a later question (`noted`), or has to be found (`found`); "
    "the embedded one knows words only, so give --model.",
)
