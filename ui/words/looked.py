"""What was looked up for an answer, as programs, scripts and the page get it."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from assistant.reply.fields import LOOKED
from assistant.types import Reply


class FoundTriple(TypedDict):
    """A triple that was found."""

    entry: Annotated[str, Field(description="Id of the fact that says so.")]
    subject: str
    relation: str
    object: str


class LookedUp(TypedDict):
    """What the model looked up on the fact sheet while it answered."""

    asked: Annotated[str, Field(description="`subject | relation | object`, with `?` for what it wanted to know.")]
    outcome: Annotated[str, Field(description="`found`, `nothing`, `too many` or `too wide`.")]
    found: list[FoundTriple]


def looked_up(reply: Reply) -> list[LookedUp]:
    """What was looked up for a reply, in its order."""
    return [
        {"asked": one["asked"], "outcome": one["outcome"], "found": [_found(row) for row in one["found"]]}
        for one in reply.fields.get(LOOKED, ())
    ]


def _found(row: Mapping[str, str]) -> FoundTriple:
    return {"entry": row["entry"], "subject": row["subject"], "relation": row["relation"], "object": row["object"]}
