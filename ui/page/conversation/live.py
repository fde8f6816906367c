"""Events of a run, taken together to what the page shows of it."""

from dataclasses import replace
from typing import Any

from assistant.events import AnswerText, Event, Finished, Noted, Recalled, Started, UnderstandingText
from assistant.sentences import Sentence
from assistant.types import Turn, TurnState
from ui.page.conversation.views import running_view, turn_view, undo_once
from ui.streaming.growing import GrowingTurns
from ui.words.markup import GrowingMarkup

# Characters; a list or a table of so many takes about five milliseconds.
_LONG = 4_000


class LiveTurns(GrowingTurns):
    """The turns that one run touches, and what is shown of them."""

    def __init__(self) -> None:
        super().__init__()
        self._phases: dict[str, str] = {}
        self._markups: dict[str, GrowingMarkup] = {}
        self._views: dict[str, dict[str, Any]] = {}  # of the turns that did not change since they were asked for

    def take(self, event: Event) -> None:
        """Let an event change what is shown."""
        super().take(event)
        match event:
            case Started(turn) | Recalled(turn):
                self._phases[turn.id] = "looking" if isinstance(event, Started) else "thinking"
                self._views.pop(turn.id, None)
            case UnderstandingText(turn_id) | AnswerText(turn_id):
                self._views.pop(turn_id, None)
            case Finished(turn):
                self._views.pop(turn.id, None)
            case Noted():
                self._views.clear()

    def end(self, state: TurnState, error: Sentence | None = None) -> None:
        """What is still running ends here: stopped by the person, or failed. What has come of it stays."""
        for turn in list(self.turns.values()):
            if turn.state is TurnState.RUNNING:
                self.take(Finished(replace(turn, state=state, error=error)))

    @property
    def is_long(self) -> bool:
        """Whether making the views may take longer than others should wait for: some milliseconds."""
        return any(len(turn.reply.answer) > _LONG for turn in self.turns.values())

    def views(self) -> list[dict[str, Any]]:
        """What is shown of the turns, and that the turns which they answer again are answered again."""
        for turn in self.turns.values():
            if turn.id not in self._views:
                self._views[turn.id] = self._view(turn)
        again = {turn.answers_again for turn in self.turns.values() if turn.answers_again}
        elsewhere = [{"id": turn_id, "replaced": True} for turn_id in sorted(again - self.turns.keys())]
        touched = [self._views[turn_id] | {"replaced": turn_id in again} for turn_id in self.turns]
        return elsewhere + undo_once(touched)

    def _view(self, turn: Turn) -> dict[str, Any]:
        if turn.state is TurnState.RUNNING:
            return running_view(turn, self._phases.get(turn.id, ""), self._markups.setdefault(turn.id, GrowingMarkup()))
        return turn_view(turn, noted=self.noted.get(turn.corrected_by or ""))
