"""Events of a run, taken together to what the page shows of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assistant.events import AnswerText, Event, Finished, Noted, Recalled, Started, UnderstandingText
from assistant.types import Turn, TurnState
from ui.markup import GrowingMarkup
from ui.render import running_view, turn_view, undo_once

if TYPE_CHECKING:
    from assistant.types import Entry


# Characters; a list or a table of so many takes about five milliseconds.
_LONG = 4_000


class LiveTurns:
    """The turns that one run touches, in the order in which they came up.

    It belongs to one run, and to one thread at a time.
    """

    def __init__(self) -> None:
        self._turns: dict[str, Turn] = {}
        self._phases: dict[str, str] = {}
        self._understandings: dict[str, str] = {}
        self._answers: dict[str, str] = {}
        self._markups: dict[str, GrowingMarkup] = {}
        self._noted: dict[str, Entry] = {}
        self._views: dict[str, dict[str, Any]] = {}

    def take(self, event: Event) -> None:
        """Let an event change what is shown."""
        match event:
            case Started(turn):
                self._keep(turn, "looking")
            case Recalled(turn):
                self._keep(turn, "thinking")
            case UnderstandingText(turn_id, text):
                self._understandings[turn_id] = self._understandings.get(turn_id, "") + text
                self._views.pop(turn_id, None)
            case AnswerText(turn_id, text):
                self._answers[turn_id] = self._answers.get(turn_id, "") + text
                self._views.pop(turn_id, None)
            case Noted(entry, corrected):
                self._noted[entry.id] = entry
                self._keep(corrected)
                self._views.clear()
            case Finished(turn):
                self._keep(turn)

    def end(self, state: TurnState, error: str = "") -> None:
        """What is still running ends here: stopped by the person, or failed. What has come of it stays."""
        for turn in list(self._turns.values()):
            if turn.state is TurnState.RUNNING:
                understanding, answer = self._understandings.get(turn.id, ""), self._answers.get(turn.id, "")
                reply = replace(turn.reply, understanding=understanding, answer=answer)
                self._keep(replace(turn, state=state, error=error, reply=reply))

    @property
    def is_long(self) -> bool:
        """Whether making the views may take longer than others should wait for: some milliseconds."""
        texts = (*self._answers.values(), *(turn.reply.answer for turn in self._turns.values()))
        return any(len(text) > _LONG for text in texts)

    def views(self) -> list[dict[str, Any]]:
        """What is shown of the turns, and that the turns which they answer again are answered again."""
        for turn in self._turns.values():
            if turn.id not in self._views:
                self._views[turn.id] = self._view(turn)
        again = {turn.answers_again for turn in self._turns.values() if turn.answers_again}
        elsewhere = [{"id": turn_id, "replaced": True} for turn_id in sorted(again - self._turns.keys())]
        touched = [self._views[turn_id] | {"replaced": turn_id in again} for turn_id in self._turns]
        return elsewhere + undo_once(touched)

    def _keep(self, turn: Turn, phase: str = "") -> None:
        self._turns[turn.id] = turn
        self._phases[turn.id] = phase
        self._views.pop(turn.id, None)

    def _view(self, turn: Turn) -> dict[str, Any]:
        if turn.state is TurnState.RUNNING:
            understanding, answer = self._understandings.get(turn.id, ""), self._answers.get(turn.id, "")
            markup = self._markups.setdefault(turn.id, GrowingMarkup())
            return running_view(turn, self._phases[turn.id], understanding, answer, markup)
        return turn_view(turn, noted=self._noted.get(turn.corrected_by or ""))
