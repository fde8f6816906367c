"""Proposed triples in words, as programs and scripts get them."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from assistant.kinds import Triple
from assistant.memllm.proposing import Proposal, State

_SAID = {State.KEPT: " (kept)", State.DROPPED: " (dropped)", State.GONE: " (no longer kept)", State.PROPOSED: ""}
_SHOWN = {"I": "you", "we": "you all"}


class ProposedTriple(TypedDict):
    """What a message says of two things."""

    number: Annotated[int, Field(description="By which `keep` names it.")]
    subject: Annotated[str, Field(description="`I` is the person.")]
    relation: str
    object: str
    state: Annotated[str, Field(description="`proposed`, `kept`, `dropped`, or `gone`: kept once, and no more.")]
    entry: Annotated[str, Field(description="Id of the note that has it, where it is kept; else empty.")]


class ProposedTriples(TypedDict):
    """What is proposed to be kept of a message."""

    turn: Annotated[str, Field(description="Id of the answer to it.")]
    proposed: list[ProposedTriple]


def proposed(proposals: Sequence[Proposal]) -> list[ProposedTriple]:
    """Proposals, as plain data."""
    return [
        {
            "number": one.number,
            "subject": one.triple.subject,
            "relation": one.triple.relation,
            "object": one.triple.object,
            "state": one.state.value,
            "entry": one.entry.id if one.entry else "",
        }
        for one in proposals
    ]


def shown_line(proposal: Proposal) -> str:
    """A proposal in a line for a terminal."""
    return triple_line(proposal.triple) + _SAID[proposal.state]


def triple_line(triple: Triple) -> str:
    """A triple in a line for a terminal."""
    return " · ".join(_SHOWN.get(name, name) for name in (triple.subject, triple.relation, triple.object))
