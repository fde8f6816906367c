"""Shows the events of one run in a terminal, as they come: first how the question was understood, then the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from assistant.events import AnswerText, Event, Finished, Noted, Started, UnderstandingText
from assistant.text.cleaning import printable
from assistant.types import Entry, Turn, TurnState

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status

    from assistant.types import Decision

_UNDERSTOOD = "I understood this as: "
MEMORY_STYLE, QUIET_STYLE, TROUBLE_STYLE = "cyan", "dim", "yellow"


def say(console: Console, text: str, style: str = "", end: str = "\n") -> None:
    """Print a text of whoever as text: no markup, no commands to the terminal, and no breaks that were not in it."""
    console.print(Text(printable(text), style), end=end, soft_wrap=True)


class TerminalAnswer:
    """Belongs to one run."""

    def __init__(self, console: Console) -> None:
        self.turn: Turn | None = None  # the last that was finished
        self.noted: Entry | None = None  # the clarification that was saved
        self._console = console
        self._status: Status | None = None
        self._understanding = self._answer = False

    def take(self, event: Event) -> None:
        match event:
            case Started():
                self._understanding = self._answer = False
                self._think()
            case UnderstandingText(_, text):
                self._piece_of_understanding(text)
            case AnswerText(_, text):
                self._piece_of_answer(text)
            case Noted(entry, _):
                self.noted = entry
                self.rest()
                say(self._console, f"Noted: {entry.text}", MEMORY_STYLE)
            case Finished(turn):
                self._finish(turn)

    def rest(self) -> None:
        """Nothing more is being waited for."""
        if self._status is not None:
            self._status.stop()
            self._status = None

    def _think(self) -> None:
        self.rest()
        if self._console.is_terminal:
            self._status = self._console.status("Thinking…", spinner_style=QUIET_STYLE)
            self._status.start()

    def _piece_of_understanding(self, text: str) -> None:
        self.rest()
        if not self._understanding:
            say(self._console, _UNDERSTOOD, QUIET_STYLE, end="")
            self._understanding = True
        say(self._console, text, "bold", end="")

    def _piece_of_answer(self, text: str) -> None:
        self.rest()
        if not self._answer:
            say(self._console, "\n\n" if self._understanding else "", end="")
            self._answer = True
        say(self._console, text, end="")

    def _finish(self, turn: Turn) -> None:
        self.turn = turn
        self.rest()
        if turn.state is TurnState.CORRECTION:
            return
        if turn.reply.understanding and not self._understanding:
            self._piece_of_understanding(turn.reply.understanding)
        if turn.reply.answer and not self._answer:
            self._piece_of_answer(turn.reply.answer)
        if self._understanding or self._answer:
            self._console.print()
        if turn.error:
            say(self._console, str(turn.error), TROUBLE_STYLE)
        used = used_in(turn)
        for number, decision in enumerate(used, start=1):
            which = f"From memory [{number}]" if len(used) > 1 else "From memory"
            say(self._console, f"{which}: {decision.entry.shown}", MEMORY_STYLE)
            whose = "shared with everyone" if decision.entry.shared else "from you"
            say(self._console, f"  {decision.reason} ({whose}, {decision.entry.created:%Y-%m-%d})", QUIET_STYLE)


def used_in(turn: Turn) -> list[Decision]:
    """What an answer rests on, of memory."""
    return [decision for decision in turn.decisions if decision.entry.id in turn.used]
