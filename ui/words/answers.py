"""Reasons, lookups, drafts and proposals of an answer, as plain data for programs and scripts."""

from collections.abc import Iterable, Sequence
from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from assistant.kinds import Lesson, Triple
from assistant.papers.teachme.teaching import Reasons
from assistant.proposals import Proposal, State
from assistant.types import Reply, Turn


class Reason(TypedDict):
    """A reason for an answer."""

    number: Annotated[int, Field(description="By which `dispute` names it.")]
    says: str
    believed: Annotated[bool, Field(description="Whether the model takes it to be true; else it only considered it.")]
    source: Annotated[str, Field(description="`yours`: you told it. `shared`: somebody did, for all. `model`: it.")]
    entry: Annotated[str, Field(description="Id of the entry that says so, or that it is not so; else empty.")]
    origin: Annotated[str, Field(description="Where it comes from, in words.")]


class Why(TypedDict):
    """The reasons for an answer."""

    turn: Annotated[str, Field(description="Id of the answer.")]
    question: str
    answer: str
    claim: Annotated[str, Field(description="The answer as one statement.")]
    reasons: list[Reason]
    proves: Annotated[bool, Field(description="Whether the answer follows, as far as you and the model say.")]
    verdict: Annotated[str, Field(description="The same in words.")]


def why(turn: Turn, reasons: Reasons) -> Why:
    """Return the reasons for the answer of a turn."""
    return {
        "turn": turn.id,
        "question": turn.question,
        "answer": turn.reply.answer,
        "claim": reasons.claim,
        "reasons": [
            {
                "number": number,
                "says": str(premise.sentence),
                "believed": premise.believed,
                "source": premise.source,
                "entry": premise.entry.id if premise.entry else "",
                "origin": str(premise.origin),
            }
            for number, premise in enumerate(reasons.premises, 1)
        ],
        "proves": reasons.proves,
        "verdict": str(reasons.verdict),
    }


class FoundTriple(TypedDict):
    """A triple found by a lookup."""

    entry: Annotated[str, Field(description="Id of the fact that says so.")]
    subject: str
    relation: str
    object: str


class LookedUp(TypedDict):
    """A lookup of the model on the fact sheet."""

    asked: Annotated[str, Field(description="`subject | relation | object`, with `?` for what it wanted to know.")]
    outcome: Annotated[str, Field(description="`found`, `nothing`, `too many` or `too wide`.")]
    found: list[FoundTriple]


def looked_up(reply: Reply) -> list[LookedUp]:
    """Return the lookups of a reply, in order."""
    return [
        {"asked": one["asked"], "outcome": one["outcome"], "found": [FoundTriple(**row) for row in one["found"]]}
        for one in reply.fields.get("looked", ())
    ]


class Draft(TypedDict):
    """A draft of an answer."""

    number: Annotated[int, Field(description="By which it is taken.")]
    understanding: str
    answer: str
    scores: Annotated[dict[str, float], Field(description="What each scorer says of it, from 0 to 1.")]
    shown: Annotated[bool, Field(description="Whether it is the answer.")]


def drafts_of(turn: Turn) -> list[Draft]:
    """Return the drafts of a turn in the order of generation; empty if it has only one answer."""
    if (drafts := turn.reply.fields.get("drafts")) is None:
        return []
    return [
        {
            "number": number,
            "understanding": draft["fields"].get("understanding", ""),
            "answer": draft["fields"].get("answer", ""),
            "scores": {name: round(score, 4) for name, score in draft["scores"].items()},
            "shown": number == drafts["shown"] + 1,
        }
        for number, draft in enumerate(drafts["all"], 1)
    ]


def state_name(state: State) -> str:
    """Return the public name of a proposal's state; stored turns have another one for `discarded`."""
    return "discarded" if state is State.DISCARDED else state.value


class ProposedTriple(TypedDict):
    """A triple proposed from a message."""

    number: Annotated[int, Field(description="By which `decide` names it.")]
    subject: Annotated[str, Field(description="`I` is the person.")]
    relation: str
    object: str
    state: Annotated[str, Field(description="`proposed`, `kept`, `discarded`, or `gone`: kept once, and no more.")]
    entry: Annotated[str, Field(description="Id of the entry that has it, where it is kept; else empty.")]


def proposal_views(proposals: Sequence[Proposal[Triple]]) -> list[ProposedTriple]:
    """Return proposals as plain data."""
    return [
        {
            "number": one.number,
            "subject": one.said.subject,
            "relation": one.said.relation,
            "object": one.said.object,
            "state": state_name(one.state),
            "entry": one.entry.id if one.entry else "",
        }
        for one in proposals
    ]


class DraftedLesson(TypedDict):
    """A lesson drafted from feedback on an answer."""

    turn: Annotated[str, Field(description="Id of the answer.")]
    question: str
    lesson: Annotated[str, Field(description="What it says, as it is kept if it is.")]
    state: Annotated[str, Field(description="`proposed`, `kept`, `discarded`, or `gone`: kept once, and no more.")]


class DraftedLessons(TypedDict):
    """Drafted lessons."""

    drafted: list[DraftedLesson]


def lesson_views(found: Iterable[tuple[Turn, Proposal[Lesson]]]) -> DraftedLessons:
    """Return drafted lessons with their turns as plain data."""
    return {
        "drafted": [
            {"turn": turn.id, "question": turn.question, "lesson": draft.said.rule, "state": state_name(draft.state)}
            for turn, draft in found
        ]
    }
