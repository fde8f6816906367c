"""The context of an operation: user, scope, model and current run."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from assistant.conversation import Assistant
from assistant.errors import InputError, NotFound
from assistant.feedback.corrections import find_correctable_turn
from assistant.papers.memllm.writing import ReadByModel, TripleReader
from assistant.papers.teachme.teaching import Teaching
from assistant.reports.listing import EntryFilter
from assistant.reports.upkeep import Progress, ignore_progress
from assistant.sharing import Curator
from assistant.turn import TurnParts
from assistant.types import Entry, Scope, Turn, TurnState
from memory_store.memory.memory import LedgerMemory
from ui.server.services import Services
from ui.streaming.runs import Run

_LENGTH_OF_AN_ID = 36
_RECENT = 50  # entries searched for the last one of a conversation
_SECONDS_TO_STOP = 10.0


@dataclass(slots=True)
class Call:
    """Context of one call. The server determines the user, never the request."""

    services: Services
    scope: Scope  # entries that the call may read and change
    parts: TurnParts = field(default_factory=TurnParts)  # for the user's own model; empty for the host's
    conversation: str = ""  # default for turns and entries without an id; empty for the latest
    page: str = ""  # key of the user's run; two calls with the same key cannot run at once
    is_exact: bool = False  # require full ids of turns and entries
    progress: Progress = ignore_progress  # of long work
    is_over: bool = False  # the client left
    _run: Run | None = None

    @property
    def assistant(self) -> Assistant:
        """Return the assistant, with the user's own model if one is connected."""
        return self.services.assistant.with_parts(self.parts) if self.parts else self.services.assistant

    @property
    def memory(self) -> LedgerMemory:
        return self.services.memory

    @property
    def teaching(self) -> Teaching:
        return Teaching(self.assistant)

    @property
    def reads(self) -> TripleReader:
        """Return the reader of facts in sentences, by the user's own model if there is one; it stops with the call."""
        reads = self.services.reads
        if self.parts:
            words = self.services.sheet_editing.words
            reads = ReadByModel(self.parts["model"], self.parts["prompt_builder"], words, self.assistant.allowance)
        return replace(reads, is_stopped=lambda: self.is_over) if isinstance(reads, ReadByModel) else reads

    @property
    def curator(self) -> Curator:
        """Return the permission to decide about offers. Raises NotCurator."""
        return self.services.sharing.curator(self.scope)

    def save(self, changes: int = 1) -> None:
        """Count changes against the rate limit. Raises TooOften."""
        self.assistant.allowance.save(self.scope, changes)

    def turn(self, turn_id: str) -> Turn:
        """Return a turn, by default the last answer. Raises NotFound; InputError if there is no answer yet."""
        if turn_id or self.is_exact:
            return self.assistant.turn(turn_id, self.scope)
        answered = [turn for turn in self._turns() if turn.state is TurnState.ANSWERED]
        if not answered:
            raise InputError("turn.none_yet")
        return answered[-1]

    def correctable(self, turn_id: str) -> str:
        """Return the id of a turn, by default the last one that can be corrected. Raises InputError."""
        if turn_id or self.is_exact:
            return turn_id
        turn = find_correctable_turn(self._turns())
        if turn is None:
            raise InputError("turn.none_yet")
        return turn.id

    def entry(self, start: str, besides: Sequence[Entry] = ()) -> str:
        """Return the id of an entry.

        Args:
            start: id or its beginning; a number for an entry of the last answer; empty for the entry saved last.
            besides: inactive entries to search too.

        Raises NotFound; InputError if several ids begin so, or nothing was saved yet.
        """
        if self.is_exact or len(start) >= _LENGTH_OF_AN_ID:
            return start
        if not start:
            turns = {turn.id for turn in self._turns()} if self.conversation else None
            for entry in self.memory.entries(self.scope, limit=_RECENT):
                if turns is None or entry.turn in turns:
                    return entry.id
            raise InputError("entry.none_yet")
        if start.isdecimal() and len(start) <= 2:
            used = self.turn("").from_memory
            if not 1 <= int(start) <= len(used):
                raise NotFound
            return used[int(start) - 1].entry.id
        known = (*self.memory.find(self.scope, EntryFilter(start=start), limit=2).entries, *besides)
        ids = sorted({entry.id for entry in known if entry.id.startswith(start)})
        if len(ids) > 1:
            raise InputError("entry.several")
        return ids[0] if ids else start

    @contextmanager
    def run(self) -> Iterator[Run]:
        """Begin a run. Raises TooManyAnswers, StillAnswering."""
        with self.services.runs.begin(self.scope, self.page or str(id(self))) as run:
            self._run, run.stopped = run, run.stopped or self.is_over
            yield run

    def stop(self) -> None:
        """Stop the run, from any thread: its client left."""
        self.is_over = True
        if self._run:
            self._run.stop()

    def wait(self) -> None:
        """Wait until the stopped turn is recorded."""
        if self._run:
            self._run.ended(_SECONDS_TO_STOP)

    def _turns(self) -> list[Turn]:
        """Return the turns of the current conversation."""
        conversation = self.conversation
        if not conversation:
            latest = self.services.conversations.conversations(self.scope, limit=1, practised=False)
            conversation = latest[0].id if latest else ""
        return [*self.assistant.turns(conversation, self.scope)] if conversation else []
