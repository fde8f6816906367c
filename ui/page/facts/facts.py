"""The part of a card that shows what its message told: facts that were kept, with undo, and what contradicts them."""

from collections.abc import Callable, Sequence
from typing import Any

from assistant.conversation import Assistant
from assistant.errors import NotedError
from assistant.papers.teachme.facts import facts_told_in
from assistant.types import Entry, Scope, Turn, TurnState
from ui.actions.arguments import EntryId
from ui.actions.call import Call
from ui.actions.memory import relate
from ui.actions.operation import operation
from ui.page.conversation.others import others_of
from ui.server.services import CardPart

_ENDS = " .!।"  # of a sentence


def facts_part(assistant: Assistant, told: Callable[[Turn], Sequence[str]]) -> CardPart:
    """The part; `told` says what a turn would have kept, so that memory is asked only where there is something."""

    def view(turn: Turn) -> list[dict[str, Any]] | None:
        if turn.state is not TurnState.ANSWERED or not told(turn):
            return None
        scope = Scope(turn.person)
        try:
            facts = facts_told_in(turn, assistant.memory)
            earlier = assistant.memory.earlier([entry.id for entry in facts if entry.supersedes], scope)
            return [
                _fact(entry, turn, others_of(entry, assistant, scope), earlier.get(entry.id, ())) for entry in facts
            ] or None
        except NotedError:  # the answer is shown all the same
            return None

    return CardPart("facts", view, [undo_fact, relate])


@operation()
def undo_fact(call: Call, entry: EntryId) -> Sequence[Turn]:
    """Take a fact back, with what was kept of it since."""
    return call.assistant.undo(entry, call.scope)


def _fact(entry: Entry, turn: Turn, others: Sequence[dict[str, Any]], earlier: Sequence[Entry]) -> dict[str, Any]:
    """With its `text`, unless that is the message that stands above it."""
    first = [entry, *(one for one in earlier if one.turn == entry.turn)][-1]  # what was kept of it goes with it
    others = [other | {"why": entry.body.why_both} for other in others]
    is_message = entry.shown.rstrip(_ENDS) == turn.question.strip().rstrip(_ENDS)
    return {"id": entry.id, "undo": first.id, "text": "" if is_message else entry.shown, "others": others}
