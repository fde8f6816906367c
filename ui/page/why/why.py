"""The part of a card that says why an answer was given, and takes in what is said of the reasons."""

from collections.abc import Callable, Sequence
from typing import Any

from assistant.conversation import Assistant
from assistant.errors import NotedError
from assistant.papers.teachme.facts import Premise
from assistant.papers.teachme.teaching import Reasons, Teaching
from assistant.papers.teachme.thinking import most_calls
from assistant.sentences import Sentence
from assistant.types import Scope, Turn, TurnState
from ui.actions.answering import dispute, retry, why
from ui.server.services import CardPart


def why_part(assistant: Assistant, told: Callable[[Turn], Sequence[str]], silent: str) -> CardPart:
    """The part. A turn that `told` something has no reasons, and the `silent` model has those only that it gave."""
    teaching = Teaching(assistant)

    def gives_reasons(turn: Turn) -> bool:
        return turn.model != silent and not told(turn)

    def view(turn: Turn) -> dict[str, Any] | None:
        if turn.state is not TurnState.ANSWERED or not turn.reply.answer:
            return None
        try:
            reasons = teaching.reasons(turn, Scope(turn.person))
        except NotedError:  # the answer is shown all the same
            return None
        if reasons is None:
            return {"reasons": None} if gives_reasons(turn) else None
        calls = most_calls(turn.question) if gives_reasons(turn) else 0
        return {"reasons": _reasons(reasons, teaching.asks_back(turn)), "calls": calls}

    return CardPart("why", view, [why, retry, dispute])


def _reasons(reasons: Reasons, asks: Sentence | None) -> dict[str, Any]:
    premises = [_premise(number, premise) for number, premise in enumerate(reasons.premises, 1)]
    return {"verdict": reasons.verdict, "asks": asks or "", "premises": premises}


def _premise(number: int, premise: Premise) -> dict[str, Any]:
    believed = premise.believed and not premise.opposed
    # The day as the page writes days.
    origin = Sentence(premise.origin.code, {"day": "{day}"})
    when = premise.entry.created.isoformat() if premise.entry else ""
    return {"number": number, "text": premise.sentence, "origin": origin, "when": when, "believed": believed}
