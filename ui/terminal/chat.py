"""A conversation in a terminal: the same loop as on the page."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from time import monotonic, sleep
from typing import TYPE_CHECKING

from assistant.errors import EmptyText, InputError, NotedError
from assistant.events import Event, RunSoFar
from assistant.kinds import PREFERENCE, Place, Reach
from assistant.papers.selection.drafts import kept_drafts
from assistant.papers.selection.taking import Taking
from assistant.papers.teachme.facts import facts_told_in
from assistant.papers.teachme.teaching import Act, Teaching, disputing
from assistant.papers.teachme.thinking import most_calls
from assistant.proposals import State
from assistant.text.cleaning import printable
from assistant.types import Reaction, Turn, TurnState, day_of
from ui.server.identity import LOCAL_PERSON
from ui.terminal.answer import (
    MEMORY_STYLE,
    QUIET_STYLE,
    TROUBLE_STYLE,
    TerminalAnswer,
    because,
    counts_for,
    noted,
    said_before,
    say,
)
from ui.terminal.chat_help import HELP
from ui.terminal.command_parts import LONGEST_NUMBER, on_interrupt, which
from ui.terminal.draft_commands import lines_of
from ui.terminal.files import decoded
from ui.terminal.waiting_commands import LessonAct, waiting_lessons
from ui.words.answers import in_a_line, shown_line
from ui.words.texts import ENGLISH

if TYPE_CHECKING:
    from rich.console import Console

    from assistant.types import Entry, Scope
    from ui.server.services import Services

_LISTED = 20
_SECONDS_TO_STOP = 10.0
_SECONDS_TO_DRAFT = 1.0
_PAGE = "terminal"
_PROMPT = "> "
_COUNTS = {Place.INSTEAD: "This counts no more:", Place.BESIDE: "This counts as well:"}


class _Leave(Exception): ...


class TerminalChat:
    """One person at one terminal, who goes on with a conversation, or begins one."""

    def __init__(self, services: Services, scope: Scope, console: Console, conversation: str = "") -> None:
        self._services = services
        self._assistant = services.assistant
        self._teaching = Teaching(services.assistant)
        self._scope = scope
        self._console = console
        self._conversation = conversation or str(uuid.uuid4())
        self._last: Turn | None = None
        self._told_draft = ""  # id of the turn of which the drafted lesson was said
        self._remembered: list[str] = []
        # What was noted last, each with what else was said of its question.
        self._others: list[tuple[Entry, Entry]] = []
        self._commands: dict[str, Callable[[str], None]] = {
            "/no": self._no,
            "/yes": self._yes,
            "/reach": self._reach,
            "/instead": partial(self._put, Place.INSTEAD),
            "/beside": partial(self._put, Place.BESIDE),
            "/leave-out": self._leave_out,
            "/not-like-this": partial(self._keep_back, Reaction.EXCEPT, "It is not used for questions like this."),
            "/not-at-all": partial(self._keep_back, Reaction.PAUSE, "It is paused."),
            "/resume": partial(self._keep_back, Reaction.RESUME, "It is used again."),
            "/why": self._why,
            "/wrong": partial(self._dispute, Act.WRONG),
            "/does-not-matter": partial(self._dispute, Act.DOES_NOT_MATTER),
            "/does-not-follow": partial(self._dispute, Act.DOES_NOT_FOLLOW),
            "/missing": partial(self._dispute, Act.MISSING),
            "/answer": partial(self._dispute, Act.ANSWER),
            "/true": partial(self._dispute, Act.TRUE),
            "/think": self._think,
            "/keep": partial(self._keep, "keep"),
            "/drop": partial(self._keep, "drop"),
            "/unkeep": partial(self._keep, "undo"),
            "/drafts": self._drafts,
            "/take": self._take_draft,
            "/lesson": self._lesson,
            "/undo": self._undo,
            "/memory": self._memory,
            "/new": self._new,
            "/help": self._help,
            "/quit": self._quit,
        }

    def run(self, lines: Iterable[str]) -> None:
        """Take one line after another, until there are no more or the person leaves."""
        self._say(str(self._services.models.note(LOCAL_PERSON)), QUIET_STYLE)
        self._say(f"{self._services.memory_note(LOCAL_PERSON)} /help says what you can do here.", QUIET_STYLE)
        with suppress(_Leave):
            for line in lines:
                if line.strip():
                    self._take(line.strip())
                    self._drafted()
                    self._console.print()

    def _take(self, line: str) -> None:
        name, _, words = line.partition(" ")
        try:
            if not line.startswith("/") or line.startswith("//"):
                question = line.removeprefix("/") if line.startswith("//") else line
                self._show(self._assistant.ask(question, self._scope, self._conversation))
            elif name in self._commands:
                self._commands[name](words.strip())
            else:
                raise InputError(f"There is no {name} here. /help lists what there is.")
        except NotedError as error:
            self._say(str(error), TROUBLE_STYLE)

    def _no(self, words: str) -> None:
        if not words:
            raise EmptyText("Please say what you meant, as in: /no a word with the same meaning")
        self._show(self._assistant.clarify(self._answered().id, words, self._scope))

    def _yes(self, _words: str) -> None:
        turn = self._answered()
        for _ in self._assistant.react(turn.id, Reaction.CONFIRM, self._scope):
            pass
        if kept := self._assistant.memory.kept(turn.id, self._scope):
            self._remembered.append(kept.id)
        self._say("Good. It is kept as an example.", MEMORY_STYLE)

    def _leave_out(self, words: str) -> None:
        turn = self._answered()
        used = turn.from_memory
        if not used:
            raise InputError("Nothing in this answer came from memory.")
        entry = used[which("/leave-out", words, len(used))].entry
        self._show(self._assistant.react(turn.id, Reaction.EXCLUDE, self._scope, entry.id))
        self._say("For others it counts as before: /not-like-this or /not-at-all changes that.", QUIET_STYLE)

    def _reach(self, words: str) -> None:
        if words not in set(Reach):
            raise InputError("Please say which, as in: /reach question")
        if not self._remembered:
            raise InputError("Nothing was remembered in this conversation that could count for others.")
        entry = self._assistant.set_reach(self._remembered[-1], Reach(words), self._scope)
        self._say(f"It counts {counts_for(entry)} now.", MEMORY_STYLE)

    def _put(self, place: Place, words: str) -> None:
        numbers = [*map(str, disputing(self._last))] if self._last and not self._others else []
        if words in numbers and place is Place.INSTEAD:
            self._dispute(Act.WRONG, next(number for number in numbers if number != words))
            return
        if not self._others:
            raise InputError("You said nothing else of that question that could count.")
        number, _, why = words.partition(" ")
        if place is Place.BESIDE and not number.isdecimal():
            number, why = "", words
        entry, other = self._others[which(f"/{place}", number, len(self._others))]
        self._assistant.put(entry.id, place, other.id, self._scope, why)
        self._say(f"{_COUNTS[place]} {other.shown}{why and f' ({why})'}", MEMORY_STYLE)

    def _keep_back(self, reaction: Reaction, done: str, _words: str) -> None:
        turn = self._answered()
        if not turn.left_out:
            raise InputError("Nothing was left out in this answer.")
        for _ in self._assistant.react(turn.id, reaction, self._scope, turn.left_out[-1]):
            pass
        self._say(done, MEMORY_STYLE)

    def _why(self, _words: str) -> None:
        turn = RunSoFar().after(self._teaching.why(self._answered().id, self._scope)).turn
        if reasons := self._teaching.reasons(turn, self._scope):
            for line, style in because(reasons):
                self._say(line, style)

    def _dispute(self, act: Act, words: str) -> None:
        if act is Act.DOES_NOT_FOLLOW and words != "yes":
            self._say(f"{ENGLISH['why_not_follow_sure']} If you are sure, say: /does-not-follow yes", QUIET_STYLE)
            return
        number, _, rest = words.partition(" ")
        premise = 0
        if act not in {Act.MISSING, Act.ANSWER} and number.isdecimal() and len(number) <= LONGEST_NUMBER:
            premise, words = int(number), rest
        self._show(self._teaching.dispute(self._answered().id, act, self._scope, premise, words))
        if asks := self._teaching.asks_back(self._answered()):
            self._say(str(asks))

    def _think(self, words: str) -> None:
        self._say(f"This takes up to {most_calls(words)} calls of the model.", QUIET_STYLE)
        thorough = self._assistant.with_parts(generator=self._teaching.thinking())
        self._show(thorough.ask(words, self._scope, self._conversation))

    def _keep(self, act: str, words: str) -> None:
        number, _, line = words.partition(" ")
        turn = self._answered()
        proposals = self._services.triples.of(turn, self._scope)
        if not proposals:
            raise InputError("triple.unknown")
        chosen = proposals[which("/keep", number, len(proposals))].number
        self._last = self._services.triples.decide(act, turn.id, chosen, self._scope, line)
        self._propose(self._last)

    def _propose(self, turn: Turn) -> None:
        for number, proposal in enumerate(self._services.triples.of(turn, self._scope), 1):
            hint = "" if proposal.state is not State.PROPOSED else f" (/keep {number} or /drop {number})"
            self._say(f"On your fact sheet? {shown_line(proposal)}{hint}", MEMORY_STYLE)

    def _drafts(self, _words: str) -> None:
        turn = self._answered()
        if kept_drafts(turn) is None:
            self._show(Taking(self._assistant).several_ways(turn.id, self._scope))
            turn = self._answered()
        if turn.state is TurnState.ANSWERED:
            self._show_drafts(turn)

    def _take_draft(self, words: str) -> None:
        turn = self._answered()
        drafts = kept_drafts(turn)
        number = 1 + which("/take", words, len(drafts.all)) if drafts else 1
        taking = Taking(self._assistant)
        self._last = taking.take(turn.id, number, self._scope)
        self._remembered = self._still(self._remembered)
        self._remembered += (kept.id for kept in taking.preferences.kept(self._scope, turn.id).entries)
        self._show_drafts(self._last)

    def _show_drafts(self, turn: Turn) -> None:
        for line in lines_of(turn):
            self._say(line, MEMORY_STYLE if line.startswith("*") else "")

    def _lesson(self, words: str) -> None:
        act, _, rule = words.partition(" ")
        if not words:
            self._say("\n".join(waiting_lessons(self._services, self._scope)), MEMORY_STYLE)
            return
        if act not in set(LessonAct) or (rule and act != LessonAct.KEEP):
            raise InputError("Please say what becomes of it, as in: /lesson keep")
        turn = self._services.lessons.decide(act, self._answered().id, 1, self._scope, rule)
        for draft in self._services.lessons.of(turn, self._scope):
            self._say(in_a_line(draft), MEMORY_STYLE)

    def _drafted(self) -> None:
        """A lesson that was drafted of the last answer is said once; where it takes long, after a later line."""
        if self._last is None or self._last.id == self._told_draft:
            return
        till = monotonic() + _SECONDS_TO_DRAFT
        while self._services.is_drafting(self._last.id) and monotonic() < till:
            sleep(0.02)
        with suppress(NotedError):
            turn = self._assistant.turn(self._last.id, self._scope)
            for draft in self._services.lessons.of(turn, self._scope):
                self._told_draft = turn.id
                self._say(f"{in_a_line(draft)} (/lesson keep or /lesson drop)", MEMORY_STYLE)

    def _undo(self, _words: str) -> None:
        if not self._remembered:
            raise InputError("Nothing was remembered in this conversation that could be taken back.")
        entry = self._assistant.memory.entry(self._remembered[-1], self._scope)
        if entry.kind is PREFERENCE:
            Taking(self._assistant).take(entry.turn, None, self._scope)
        else:
            self._teaching.undo(entry.id, self._scope)
        self._remembered = self._still(self._remembered[:-1])
        self._others.clear()
        if entry.turn:
            self._last = self._assistant.turn(entry.turn, self._scope)
        self._say(f"Taken back: {entry.sentence}", MEMORY_STYLE)

    def _still(self, remembered: Sequence[str]) -> list[str]:
        """Those of these entries that count."""
        return [kept for kept in remembered if self._assistant.memory.current(kept, self._scope) is not None]

    def _memory(self, words: str) -> None:
        entries = self._assistant.memory.entries(self._scope, words, _LISTED + 1)
        for entry in entries[:_LISTED]:
            self._say(f"{day_of(entry.created)}  {entry.question}", QUIET_STYLE)
            self._say(f"            {entry.shown}{' (paused)' if entry.resting else ''}", MEMORY_STYLE)
        if len(entries) > _LISTED:
            self._say("There is more; /memory WORDS shows what contains them.", QUIET_STYLE)
        if not entries:
            self._say("Nothing remembered contains this." if words else "Nothing is remembered yet.", QUIET_STYLE)

    def _new(self, _words: str) -> None:
        self._conversation = str(uuid.uuid4())
        self._last = None
        self._remembered.clear()
        self._others.clear()
        self._say("A new conversation.", QUIET_STYLE)

    def _help(self, _words: str) -> None:
        self._say(HELP)

    def _quit(self, _words: str) -> None:
        raise _Leave

    def _answered(self) -> Turn:
        if self._last is None:
            raise InputError("There is no answer yet. Please ask something first.")
        return self._last

    def _show(self, events: Iterator[Event]) -> None:
        """Show an answer as it comes. Ctrl-C stops it; what has come stays."""
        shown = TerminalAnswer(self._console)
        with self._services.runs.begin(self._scope, _PAGE) as run, on_interrupt(run.stop) as interrupts:
            try:
                for event in chain.from_iterable(run.batches(events)):
                    shown.take(event)
                if interrupts:
                    self._console.print()
                    self._say("Stopped.", TROUBLE_STYLE)
            finally:
                shown.rest()
                run.ended(_SECONDS_TO_STOP)
        so_far = shown.so_far
        said = [*so_far.noted.values()]
        if so_far.answering and so_far.turn.state is TurnState.ANSWERED:
            for fact in facts_told_in(so_far.turn, self._assistant.memory):
                self._say(noted(fact), MEMORY_STYLE)
                said.append(fact)
        self._remembered += (entry.id for entry in said)
        self._others = [(entry, other) for entry in said for other in self._assistant.others(entry, self._scope)]
        for _, other in self._others:
            self._say(f"{said_before(other)} (/instead or /beside)", MEMORY_STYLE)
        if so_far.answering and so_far.turn.state not in {TurnState.RUNNING, TurnState.CORRECTION}:
            self._last = so_far.turn
            self._propose(self._last)
            for number in disputing(self._last):
                self._say(f"{self._last.reply.fields['because'][number - 1]} (/instead {number})", MEMORY_STYLE)

    def _say(self, text: str, style: str = "") -> None:
        say(self._console, text, style)


def lines_of_a_person() -> Iterator[str]:
    """Lines that are typed, or that come from a file or a pipe."""
    return _typed() if sys.stdin.isatty() else _piped()


def _typed() -> Iterator[str]:
    """Lines of a person, who can go back to earlier ones of this conversation; they are written down nowhere."""
    with suppress(ImportError):  # Windows edits lines by itself
        import readline  # noqa: F401  `input` does it with this
    while True:
        try:
            yield input(_PROMPT)
        except (EOFError, KeyboardInterrupt):
            sys.stdout.write("\n")
            return


def _piped() -> Iterator[str]:
    """Lines of a file, each shown before it is answered, so that what is written reads like a conversation."""
    for raw in sys.stdin.buffer:
        line = decoded(raw).rstrip("\r\n")
        sys.stdout.write(f"{_PROMPT}{printable(line)}\n")
        sys.stdout.flush()
        yield line
