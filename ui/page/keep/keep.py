"""The part of a card that proposes to keep what its message tells, as triples."""

from collections.abc import Callable, Sequence
from typing import Any

from assistant.errors import NotedError
from assistant.kinds import Triple
from assistant.papers.teachme.facts import facts_told_in
from assistant.ports import Memory
from assistant.proposals import Proposals, State
from assistant.types import Scope, Turn
from ui.actions.facts import decide
from ui.server.services import CardPart


def keep_part(
    triples: Proposals[Triple], memory: Memory, told: Callable[[Turn], Sequence[str]], *, by_itself: bool
) -> CardPart:
    """Return the part; `told` says what a turn told, `by_itself` that what is proposed is kept without asking."""

    def view(turn: Turn) -> dict[str, Any] | None:
        try:
            proposals = triples.of(turn, Scope(turn.person))
            is_gone = proposals and told(turn) and not facts_told_in(turn, memory)  # taken back, denied, or replaced
        except NotedError:  # the answer is shown all the same
            return None
        states = {State.PROPOSED: State.GONE} if is_gone else {}
        shown = [
            {"number": one.number, **one.said.model_dump(), "state": states.get(one.state, one.state).value}
            for one in proposals
        ]
        return {"triples": shown, "by_itself": by_itself} if shown else None

    return CardPart("keep", view, [decide])
