"""Events of one run, folded into the turns that it touches, as far as they have come."""

from dataclasses import replace

from assistant.events import AnswerText, Event, Finished, Noted, Recalled, Started, UnderstandingText
from assistant.types import Entry, Turn


class GrowingTurns:
    """Belongs to one run, and to one thread at a time."""

    def __init__(self) -> None:
        self.turns: dict[str, Turn] = {}  # by id; the reply of one that is running holds what has come
        self.answering: Turn | None = None  # the last that began
        self.noted: dict[str, Entry] = {}  # the clarifications that were saved, by id

    def take(self, event: Event) -> None:
        match event:
            case Started(turn) | Recalled(turn) | Finished(turn):
                self.turns[turn.id] = self.answering = turn
            case Noted(entry, corrected):
                self.noted[entry.id] = entry
                self.turns[corrected.id] = corrected
            case UnderstandingText(turn_id, text):
                self._add(turn_id, understanding=text)
            case AnswerText(turn_id, text):
                self._add(turn_id, answer=text)

    def _add(self, turn_id: str, understanding: str = "", answer: str = "") -> None:
        if turn := self.turns.get(turn_id):
            understanding, answer = turn.reply.understanding + understanding, turn.reply.answer + answer
            grown = replace(turn, reply=turn.reply.with_fields(understanding=understanding, answer=answer))
            self.turns[turn_id] = self.answering = grown
