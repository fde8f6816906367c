"""The part of a card that proposes to keep what its message tells, as triples."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from assistant.conversation import Assistant
from assistant.errors import InputError, NotedError
from assistant.events import Event, Finished
from assistant.papers.memllm.keeping import Keeping
from assistant.papers.memllm.proposing import Proposal, State
from assistant.ports import OwnEntries
from assistant.teachme.facts import facts_told_in
from assistant.types import Scope, Turn
from ui.server.services import CardPart


def keep_part(
    keeping: Keeping, memory: OwnEntries, told: Callable[[Turn], Sequence[str]], *, by_itself: bool
) -> CardPart:
    """The part; `told` says what a turn told, `by_itself` that what is proposed is kept without asking."""

    def view(turn: Turn) -> dict[str, Any] | None:
        try:
            proposals: Sequence[Proposal] = keeping.proposals(turn, Scope(turn.person))
            if proposals and told(turn) and not facts_told_in(turn, memory):  # taken back, denied, or replaced
                asked = State.PROPOSED
                proposals = [replace(one, state=State.GONE) if one.state is asked else one for one in proposals]
        except NotedError:  # the answer is shown all the same
            return None
        return {"triples": [proposal_view(one) for one in proposals], "by_itself": by_itself} if proposals else None

    def act(_assistant: Assistant, turn: str, told: object, scope: Scope) -> Iterator[Event]:
        """`keep` a proposal (its `number`), with `line` as it was changed; `drop` it, or `undo` what was said of it."""
        said = told if isinstance(told, dict) else {}
        number, line = said.get("number"), said.get("line", "")
        if not isinstance(number, int) or not isinstance(line, str):
            raise InputError
        match said.get("act"):
            case "keep":
                yield Finished(keeping.keep(turn, number, scope, line))
            case "drop":
                yield Finished(keeping.drop(turn, number, scope))
            case "undo":
                yield Finished(keeping.undo(turn, number, scope))
            case _:
                raise InputError

    return CardPart("keep", Path(__file__).parent, view, act)


def proposal_view(proposal: Proposal) -> dict[str, Any]:
    """A proposal, as the page draws it."""
    return {"number": proposal.number, **proposal.triple.model_dump(), "state": proposal.state.value}
