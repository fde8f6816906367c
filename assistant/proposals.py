"""Proposals of a model to store something: list, keep, change, discard, undo, for every entry type.

A proposal is stored on its turn, with the user's decision, and is not used until the user keeps it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import ClassVar, Generic, TypeVar

from assistant.errors import NotFound
from assistant.events import Answered, TurnEvent
from assistant.limits import DEFAULT_LIMITS, UNLIMITED, Allowance
from assistant.ports import Memory, TurnStore
from assistant.text.cleaning import check_text
from assistant.types import Entry, Reply, Scope, Turn

_MOST_WAITING = 50  # turns to search for proposals

Content = TypeVar("Content")
"""The content of a proposal: a `Lesson`, a `Triple`."""


class State(StrEnum):
    """State of a proposal. Values are stored, and part of the API."""

    PROPOSED = "proposed"
    KEPT = "kept"
    DISCARDED = "dropped"
    GONE = "gone"  # kept, but its entry was retracted or replaced later


@dataclass(frozen=True, slots=True)
class Proposal(Generic[Content]):
    number: int  # in its turn, from 1
    proposed: Content  # the model's version
    said: Content  # the version that *Keep* stores
    state: State = State.PROPOSED
    entry: Entry | None = None  # stored, if kept


@dataclass(frozen=True, slots=True)
class Proposals(Generic[Content]):
    """Service for the proposals of one entry type; a subclass reads and writes that type.

    `keep`, `discard` and `undo` count as one change of memory each, and return the turn with the decision. Raises
    NotFound, TooOften, InputError, and as `Memory` does.
    """

    memory: Memory
    turn_store: TurnStore
    allowance: Allowance = UNLIMITED
    longest: int = DEFAULT_LIMITS.clarification  # characters of the user's words
    unknown: ClassVar[str]  # code of the message for an unknown number
    reply_field: ClassVar[str]  # field of the reply that holds the proposals

    @abstractmethod
    def of(self, turn: Turn, scope: Scope) -> Sequence[Proposal[Content]]:
        """Return the proposals of a turn with their states, in order."""

    @abstractmethod
    def changed(self, said: Content, words: str) -> Content:
        """Return a proposal with the user's words."""

    @abstractmethod
    def store(self, turn: Turn, proposal: Proposal[Content], said: Content, scope: Scope) -> None:
        """Store this version, in place of a version kept before."""

    @abstractmethod
    def take_back(self, turn: Turn, proposal: Proposal[Content], scope: Scope) -> None:
        """Undo `store`."""

    @abstractmethod
    def decided(self, reply: Reply, number: int, state: State, said: Content) -> Reply:
        """Return the reply with the user's decision: kept, discarded, or proposed again."""

    def waiting(self, scope: Scope) -> Sequence[tuple[Turn, Proposal[Content]]]:
        """Return the undecided proposals of the latest turns, newest first, each with its turn."""
        turns = self.turn_store.having(self.reply_field, scope, _MOST_WAITING)
        return [(turn, one) for turn in turns for one in self.of(turn, scope) if one.state is State.PROPOSED]

    def keep(self, turn_id: str, number: int, scope: Scope, words: str = "") -> Turn:
        """Store a proposal, changed by `words` if given."""
        turn, proposal = self._found(turn_id, number, scope)
        said = self.changed(proposal.said, check_text(words, self.longest)) if words.strip() else proposal.said
        if proposal.state is State.KEPT and said == proposal.said:
            return turn
        self.allowance.save(scope)
        self.store(turn, proposal, said, scope)
        return self._record(turn, number, State.KEPT, said, scope)

    def keep_at_once(self, happening: TurnEvent, scope: Scope) -> None:
        """Implement `Listener`: keep the proposals of an answer without asking, and without counting changes."""
        turn = happening.turn
        for proposal in self.of(turn, scope) if isinstance(happening, Answered) else ():
            if proposal.state is State.PROPOSED:
                self.store(turn, proposal, proposal.said, scope)
                turn = self._record(turn, proposal.number, State.KEPT, proposal.said, scope)

    def discard(self, turn_id: str, number: int, scope: Scope, state: State = State.DISCARDED) -> Turn:
        """Discard a proposal, kept or not, and restore an entry that it replaced."""
        turn, proposal = self._found(turn_id, number, scope)
        self.allowance.save(scope)
        self.take_back(turn, proposal, scope)
        return self._record(turn, number, state, proposal.proposed, scope)

    def undo(self, turn_id: str, number: int, scope: Scope) -> Turn:
        """Undo the decision: propose it again, and restore an entry that it replaced."""
        return self.discard(turn_id, number, scope, State.PROPOSED)

    def _found(self, turn_id: str, number: int, scope: Scope) -> tuple[Turn, Proposal[Content]]:
        turn = self.turn_store.turn(turn_id, scope)
        for proposal in self.of(turn, scope):
            if proposal.number == number:
                return turn, proposal
        raise NotFound(self.unknown)

    def _record(self, turn: Turn, number: int, state: State, said: Content, scope: Scope) -> Turn:
        turn = replace(turn, reply=self.decided(turn.reply, number, state, said))
        self.turn_store.record(turn, scope)
        return turn
