"""Events of one run, folded into the turn that answers last, as far as it has come."""

from __future__ import annotations

from dataclasses import replace

from assistant.events import AnswerText, Event, Finished, Noted, Recalled, Started, UnderstandingText
from assistant.types import Entry, Turn


class AnswerSoFar:
    """Belongs to one run.

    Attributes:
        turn: what has come of the last turn that began; None before the first.
        noted: the clarification that was saved in this run, if any.
    """

    def __init__(self) -> None:
        self.turn: Turn | None = None
        self.noted: Entry | None = None

    def take(self, event: Event) -> None:
        """Let an event change what there is."""
        match event:
            case Started(turn) | Recalled(turn) | Finished(turn):
                self.turn = turn
            case Noted(entry, _):
                self.noted = entry
            case UnderstandingText(_, text):
                self._add(understanding=text)
            case AnswerText(_, text):
                self._add(answer=text)

    def _add(self, understanding: str = "", answer: str = "") -> None:
        if self.turn is None:
            return
        so_far = self.turn.reply
        reply = replace(so_far, understanding=so_far.understanding + understanding, answer=so_far.answer + answer)
        self.turn = replace(self.turn, reply=reply)
