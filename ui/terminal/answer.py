"""Shows what a run comes to in a terminal: first how the question was understood, then the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import monotonic
from typing import TYPE_CHECKING

from assistant.events import AnswerText, Event, Finished, Phase, RunSoFar, Saved, Started, UnderstandingText, Waiting
from assistant.kinds import Reach
from assistant.papers.teachme.teaching import Reasons
from assistant.settings import EMBEDDED
from assistant.sharing import KEPT_BACK
from assistant.text.cleaning import printable
from assistant.types import Entry, Turn, TurnState, day_of
from assistant.types import Status as EntryStatus
from ui.terminal.command_parts import SHORT
from ui.words.answers import looked_up
from ui.words.texts import ENGLISH

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status

MEMORY_STYLE, QUIET_STYLE, TROUBLE_STYLE = "cyan", "dim", "yellow"


_SECONDS_UNTOLD = 5.0
_COUNTS_FOR = {
    Reach.QUESTION: "for this question only",
    Reach.WAY: "for questions like this",
    Reach.CONVERSATION: "in this conversation only",
}


def counts_for(entry: Entry) -> str:
    """For which questions an entry counts, in words."""
    return _COUNTS_FOR[entry.reach]


def noted(entry: Entry) -> str:
    """What was remembered a moment ago, in words."""
    return f"Noted: {entry.sentence}" + ("" if entry.kind.asserts else f" ({counts_for(entry)})")


def because(reasons: Reasons) -> Iterator[tuple[str, str]]:
    """Why an answer was given, line by line, each with its style."""
    yield str(reasons.verdict), ""
    for number, premise in enumerate(reasons.premises, 1):
        yield f"  {number}. {premise.sentence}", MEMORY_STYLE if premise.entry else ""
        yield f"     {premise.origin}", QUIET_STYLE


def what_was_looked_up(turn: Turn) -> Iterator[str]:
    """What was looked up for an answer, line by line."""
    for look in looked_up(turn.reply):
        yield f"Looked up: {look['asked']}" + ("" if look["found"] else f" ({look['outcome']})")


def said_before(other: Entry) -> str:
    """What else was said of a question, in words."""
    when = str(day_of(other.created))
    if other.status is EntryStatus.ACTIVE:
        return f"On {when} you said something else, which counts as well: {other.shown}"
    return f"This counts instead of what you said on {when}: {other.shown}"


def say(console: Console, text: str, style: str = "", end: str = "\n") -> None:
    """Print a text of whoever as text: no markup, no commands to the terminal, and no breaks that were not in it."""
    from rich.text import Text  # not before it is needed

    console.print(Text(printable(text), style), end=end, soft_wrap=True)


def _doing(phase: Phase | None, seconds: float) -> str:
    """What is being done, and for how long where that takes a while."""
    return ENGLISH[phase or Phase.THINKING] + (f" {seconds:.0f} s" if seconds >= _SECONDS_UNTOLD else "")


class WrittenReply:
    """Replies, written piece by piece: of the turn that is shown, each time what is new. `write` gets a style, too."""

    def __init__(self, write: Callable[[str, str], None]) -> None:
        self._write = write
        self._of, self._understanding, self._answer = "", "", ""

    def show(self, turn: Turn) -> None:
        if turn.id != self._of:
            self._of, self._understanding, self._answer = turn.id, "", ""
        understanding, answer = turn.reply.understanding, turn.reply.answer
        if not understanding.startswith(self._understanding):  # another one took its place
            self._understanding = ""
            self._write("\n", "")
        if understanding and not self._understanding:
            self._write("I understood this as: ", QUIET_STYLE)
        self._write(understanding[len(self._understanding) :], "bold")
        if answer and understanding and not self._answer:
            self._write("\n\n", "")
        self._write(answer[len(self._answer) :], "")
        self._understanding, self._answer = understanding, answer


class TerminalAnswer:
    """Belongs to one run."""

    def __init__(self, console: Console) -> None:
        self._began = 0.0
        self.so_far = RunSoFar()
        self._console = console
        self._status: Status | None = None
        self._reply = WrittenReply(lambda piece, style: say(console, piece, style, end=""))

    def take(self, event: Event) -> None:
        self.so_far = self.so_far.after([event])
        match event:
            case Started():
                self._think()
            case UnderstandingText() | AnswerText():
                self.rest()
                self._reply.show(self.so_far.turn)
            case Saved(entry, _):
                self.rest()
                say(self._console, noted(entry), MEMORY_STYLE)
            case Waiting() if self._status is not None:
                self._status.update(_doing(self.so_far.phase, monotonic() - self._began))
            case Finished(turn):
                self.rest()
                if turn.state is not TurnState.CORRECTION:
                    self._finish(turn)

    def rest(self) -> None:
        """Nothing more is being waited for."""
        if self._status is not None:
            self._status.stop()
            self._status = None

    def _think(self) -> None:
        self.rest()
        if self._console.is_terminal:
            self._began = monotonic()
            self._status = self._console.status(ENGLISH[Phase.THINKING], spinner_style=QUIET_STYLE)
            self._status.start()

    def _finish(self, turn: Turn) -> None:
        self._reply.show(turn)
        if turn.reply.understanding or turn.reply.answer:
            self._console.print()
        if turn.error:
            say(self._console, str(turn.error), TROUBLE_STYLE)
        before = self.so_far.turns.get(turn.answers_again or "") if turn.clarified_with else None
        if before and turn.state is TurnState.ANSWERED and turn.reply.says_the_same(before.reply):
            is_small = turn.model == EMBEDDED and turn.clarified_with not in turn.used
            say(self._console, ENGLISH["not_followed" if is_small else "followed_as_before"], TROUBLE_STYLE)
        for line in what_was_looked_up(turn):
            say(self._console, line, QUIET_STYLE)
        for number, decision in enumerate(turn.from_memory, start=1):
            which = f"From memory [{number}]" if len(turn.from_memory) > 1 else "From memory"
            say(self._console, f"{which}: {decision.entry.shown}", MEMORY_STYLE)
            whose = "shared with everyone" if decision.entry.shared else "from you"
            say(self._console, f"  {decision.reason} ({whose}, {day_of(decision.entry.created)})", QUIET_STYLE)
        for decision in turn.decisions:
            if decision.entry.id in turn.left_out:
                say(self._console, f"Left out here: {decision.entry.shown}", MEMORY_STYLE)
            elif decision.reason in KEPT_BACK:
                say(self._console, f"{decision.reason} ({decision.entry.shown})", MEMORY_STYLE)
                say(self._console, f"  `memory resume {decision.entry.id[:SHORT]}` has it used again.", QUIET_STYLE)
