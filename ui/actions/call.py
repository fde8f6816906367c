"""A caller of operations: whose memory it is, with which parts, and the run of what is being answered."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from assistant.conversation import Assistant
from assistant.errors import InputError, NotFound
from assistant.feedback.corrections import correctable
from assistant.papers.memllm.writing import ReadByModel, Reads
from assistant.papers.teachme.teaching import Teaching
from assistant.ports import Memory
from assistant.reports.listing import EntryFilter
from assistant.reports.upkeep import Progress, tell_nobody
from assistant.sharing import Curator
from assistant.turn import TurnParts
from assistant.types import Entry, Scope, Turn, TurnState
from ui.server.services import Services
from ui.streaming.runs import Run

_LENGTH_OF_AN_ID = 36
_RECENT = 50  # entries, among which the one that was saved last in a conversation is
_SECONDS_TO_STOP = 10.0


@dataclass(slots=True)
class Call:
    """One call of one user, named by the server, never by what was sent.

    Args:
        services: the parts of the app.
        scope: the memory that the call may read and change.
        parts: parts of a model that the user brought, empty where the host's model answers.
        conversation: the one that is meant where a turn or an entry is not named; empty for the latest.
        page: distinguishes the runs of a user; two calls with the same one cannot be answered at once.
        is_exact: answers and entries are named by whole ids; one that is not named is refused.
        progress: is told how far something is that takes long.
    """

    services: Services
    scope: Scope
    parts: TurnParts = field(default_factory=TurnParts)
    conversation: str = ""
    page: str = ""
    is_exact: bool = False
    progress: Progress = tell_nobody
    is_over: bool = False  # nobody waits for it any more
    _run: Run | None = None

    @property
    def assistant(self) -> Assistant:
        """Return the assistant, with the model that the user brought."""
        return self.services.assistant.with_parts(self.parts) if self.parts else self.services.assistant

    @property
    def memory(self) -> Memory:
        return self.services.assistant.memory

    @property
    def teaching(self) -> Teaching:
        return Teaching(self.assistant)

    @property
    def reads(self) -> Reads:
        """Return what reads facts in a sentence, by the model that the user brought if there is one."""
        if not self.parts:
            return self.services.reads
        words = self.services.sheet_editing.words
        return ReadByModel(self.parts["model"], self.parts["prompt_builder"], words, self.assistant.allowance)

    @property
    def curator(self) -> Curator:
        """Return the right to decide about offers. Raises NotCurator."""
        return self.services.sharing.curator(self.scope)

    def save(self, changes: int = 1) -> None:
        """Count changes of memory. Raises TooOften."""
        self.assistant.allowance.save(self.scope, changes)

    def turn(self, turn_id: str) -> Turn:
        """Return a turn; where none is named, the last answer. Raises NotFound, InputError: there is no answer yet."""
        if turn_id or self.is_exact:
            return self.assistant.turn(turn_id, self.scope)
        for turn in reversed(self._turns()):
            if turn.state is TurnState.ANSWERED:
                return turn
        raise InputError("turn.none_yet")

    def correctable(self, turn_id: str) -> str:
        """Return the id of a turn; where none is named, of the last one that can be corrected. Raises InputError."""
        if turn_id or self.is_exact:
            return turn_id
        turn = correctable(self._turns())
        if turn is None:
            raise InputError("turn.none_yet")
        return turn.id

    def entry(self, start: str, besides: Sequence[Entry] = ()) -> str:
        """Return the id of an entry.

        Args:
            start: its id, or how that begins; a number for what the last answer used; empty for what was saved last.
            besides: entries that may be meant though they are not active.

        Raises NotFound, and InputError where several begin so.
        """
        if self.is_exact:
            return start
        if not start:
            return self._saved_last()
        if start.isdecimal() and len(start) <= 2:
            used = self.turn("").from_memory
            if not 1 <= int(start) <= len(used):
                raise NotFound
            return used[int(start) - 1].entry.id
        if len(start) >= _LENGTH_OF_AN_ID:
            return start
        known = (*self.memory.find(self.scope, EntryFilter(start=start), limit=2).entries, *besides)
        ids = sorted({entry.id for entry in known if entry.id.startswith(start)})
        if len(ids) > 1:
            raise InputError("entry.several")
        return ids[0] if ids else start

    @contextmanager
    def run(self) -> Iterator[Run]:
        """Take a place among the answers that are written. Raises TooManyAnswers, StillAnswering."""
        with self.services.runs.begin(self.scope, self.page or str(id(self))) as run:
            self._run, run.stopped = run, run.stopped or self.is_over
            yield run

    def stop(self) -> None:
        """Stop what is being answered, from any thread: nobody waits for it any more."""
        self.is_over = True
        if self._run:
            self._run.stop()

    def wait(self) -> None:
        """Wait until what was stopped is recorded."""
        if self._run:
            self._run.ended(_SECONDS_TO_STOP)

    def _turns(self) -> list[Turn]:
        """Return the turns of the conversation that is meant."""
        conversation = self.conversation
        if not conversation:
            latest = self.services.conversations.conversations(self.scope, limit=1, practised=False)
            conversation = latest[0].id if latest else ""
        return [*self.assistant.turns(conversation, self.scope)] if conversation else []

    def _saved_last(self) -> str:
        """Return the id of what was saved last: in the conversation, where one is meant. Raises InputError."""
        turns = {turn.id for turn in self._turns()} if self.conversation else None
        for entry in self.memory.entries(self.scope, limit=_RECENT):
            if turns is None or entry.turn in turns:
                return entry.id
        raise InputError("entry.none_yet")
