"""What a person says of an answer makes a case: the question, what was answered, and what is known to be right now."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from assistant.errors import NotFound
from assistant.events import Answered, Confirmed, Happening
from assistant.papers.expnote.learning import Case
from assistant.ports import Turns
from assistant.teachme.told import is_answer, retold, told_of
from assistant.types import Entry, ReplyStatus, Scope, Turn, TurnState


@dataclass(frozen=True, slots=True)
class Reacted:
    """A turn of which the person said something, and what they said."""

    before: Turn  # with the answer that they said something of
    turn: Turn  # that stands now: the same where they confirmed it, else the one that answers again
    told: Entry | None = None  # what they said; None where they confirmed the answer

    @property
    def case(self) -> Case:
        """What it teaches. Without an answer of their own, the one that stands now is taken for right."""
        if self.told is None:
            return Case(self.turn.question, self.turn.reply.answer, self.turn.reply.answer)
        words, answered = self.told.shown, self.before.reply.answer
        if is_answer(self.told):
            return Case(self.turn.question, words, answered)
        return Case(self.turn.question, self.turn.reply.answer, answered, told=str(self.told.sentence))


def reacted(happening: Happening, turns: Turns, scope: Scope) -> Reacted | None:
    """What a happening says of an answer: *Yes, that's it*, a correction, *The answer is …*, a disputed reason.

    None where it says nothing, or there is no whole answer now. Raises StoreError.
    """
    found = None
    match happening:
        case Confirmed(Turn(corrected_by=None) as turn):
            found = Reacted(turn, turn)
        case Answered(Turn(answers_again=str() as before) as turn) if (told := told_of(turn)) and not retold(turn):
            with suppress(NotFound):
                answered = turns.turn(before, scope)
                if answered.clarified_with != turn.clarified_with or is_answer(told):  # else it only tries again
                    found = Reacted(answered, turn, told)
    return found if found and _is_whole(found.turn) else None


def _is_whole(turn: Turn) -> bool:
    is_cut = turn.reply.status is ReplyStatus.TRUNCATED
    return turn.state is TurnState.ANSWERED and bool(turn.reply.answer) and not is_cut
