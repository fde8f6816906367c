"""Why an answer was given, in words, as programs and scripts get it."""

from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from assistant.teachme.reasons import Reasons
from assistant.types import Turn


class Reason(TypedDict):
    """One of the things that an answer rests on."""

    number: Annotated[int, Field(description="By which `dispute` names it.")]
    says: str
    believed: Annotated[bool, Field(description="Whether the model takes it to be true; else it only considered it.")]
    source: Annotated[str, Field(description="`yours`: you told it. `shared`: somebody did, for all. `model`: it.")]
    entry: Annotated[str, Field(description="Id of the note that says so, or that it is not so; else empty.")]
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
    """The reasons for the answer of a turn."""
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
                "source": premise.source.value,
                "entry": premise.entry.id if premise.entry else "",
                "origin": str(premise.origin),
            }
            for number, premise in enumerate(reasons.premises, 1)
        ],
        "proves": reasons.proves,
        "verdict": str(reasons.verdict),
    }
