"""One service for what a model proposes to store: list, keep, change, discard, undo, for every entry type.

A proposal stands on the turn that it was made of, and so does the user's decision: it is the same whenever the turn is
shown again. It counts for nothing until the user keeps it. How it is read from its turn, stored and taken back is
up to its entry type (`ProposedType`); who proposed it and what it replaces are data of the proposal and its entry.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import ClassVar, Generic, Protocol, TypeVar

from assistant.errors import NotFound
from assistant.events import Answered, TurnEvent
from assistant.limits import DEFAULT_LIMITS, UNLIMITED
from assistant.ports import Allowance, TurnStore
from assistant.text.cleaning import checked
from assistant.types import Entry, Reply, Scope, Turn

_MOST_WAITING = 50  # turns that are read for their proposals

Said = TypeVar("Said")
"""The content of a proposal: a `Lesson`, a `Triple`."""


class State(StrEnum):
    """State of a proposal. The values are those of stored turns and of the interfaces for programs."""

    PROPOSED = "proposed"
    KEPT = "kept"
    DISCARDED = "dropped"
    GONE = "gone"  # it was kept, and its entry was taken back or replaced since


@dataclass(frozen=True, slots=True)
class Proposal(Generic[Said]):
    """Something that may be stored."""

    number: int  # by which the user names it, from 1, among those of its turn
    proposed: Said  # as the model wrote it
    said: Said  # as it is kept, or would be
    state: State = State.PROPOSED
    entry: Entry | None = None  # that has it, where it is kept
    replaces: str = ""  # id of the entry whose place it takes once it is kept


class ProposedType(Protocol[Said]):
    """Reads and stores the proposals of one entry type. Raises as `Memory` does."""

    unknown: ClassVar[str]  # code of the message for a number that was not proposed
    field: ClassVar[str]  # of replies that have proposals to decide about

    def proposals(self, turn: Turn, scope: Scope) -> Sequence[Proposal[Said]]:
        """Return the proposals of a turn with their states, in their order."""

    def changed(self, said: Said, words: str) -> Said:
        """Return what the user's words make of a proposal. Raises InputError."""

    def store(self, turn: Turn, proposal: Proposal[Said], said: Said, scope: Scope) -> None:
        """Make this count, in the place of what is kept of the proposal."""

    def take_back(self, turn: Turn, proposal: Proposal[Said], scope: Scope) -> None:
        """Undo all that `store` did for a proposal."""

    def decided(self, reply: Reply, number: int, state: State, said: Said) -> Reply:
        """Return the reply of the turn with the user's decision: kept, discarded, or proposed again."""


@dataclass(frozen=True, slots=True)
class Proposals(Generic[Said]):
    """The service of one entry type. `keep`, `discard` and `undo` count as a change of memory each.

    They return the turn with the decision. Raises NotFound where the user has no such turn or proposal, TooOften, and
    what `ProposedType` raises.
    """

    type: ProposedType[Said]
    turn_store: TurnStore
    allowance: Allowance = UNLIMITED
    longest: int = DEFAULT_LIMITS.clarification  # characters of the user's words

    def of(self, turn: Turn, scope: Scope) -> Sequence[Proposal[Said]]:
        """Return the proposals of a turn, decided or not."""
        return self.type.proposals(turn, scope)

    def waiting(self, scope: Scope) -> Sequence[tuple[Turn, Proposal[Said]]]:
        """Return the latest proposals that wait for a decision, newest first, each with its turn."""
        turns = self.turn_store.having(self.type.field, scope, _MOST_WAITING)
        found = ((turn, proposal) for turn in turns for proposal in self.of(turn, scope))
        return [(turn, proposal) for turn, proposal in found if proposal.state is State.PROPOSED]

    def keep(self, turn_id: str, number: int, scope: Scope, words: str = "") -> Turn:
        """Store a proposal; with `words`, as they say."""
        turn, proposal = self._found(turn_id, number, scope)
        said = self.type.changed(proposal.said, checked(words, self.longest)) if words.strip() else proposal.said
        if proposal.state is State.KEPT and said == proposal.said:
            return turn
        self.allowance.save(scope)
        return self.store(turn, proposal, said, scope)

    def store(self, turn: Turn, proposal: Proposal[Said], said: Said, scope: Scope) -> Turn:
        """Keep a proposal without counting it as a change that the user made."""
        self.type.store(turn, proposal, said, scope)
        return self._recorded(turn, proposal, State.KEPT, said, scope)

    def discard(self, turn_id: str, number: int, scope: Scope) -> Turn:
        """Propose it no more, and keep it no more."""
        return self._taken_back(turn_id, number, State.DISCARDED, scope)

    def undo(self, turn_id: str, number: int, scope: Scope) -> Turn:
        """Take the decision back: it is proposed as at first, and what it had replaced counts again."""
        return self._taken_back(turn_id, number, State.PROPOSED, scope)

    def _taken_back(self, turn_id: str, number: int, state: State, scope: Scope) -> Turn:
        turn, proposal = self._found(turn_id, number, scope)
        self.allowance.save(scope)
        self.type.take_back(turn, proposal, scope)
        return self._recorded(turn, proposal, state, proposal.proposed, scope)

    def _found(self, turn_id: str, number: int, scope: Scope) -> tuple[Turn, Proposal[Said]]:
        turn = self.turn_store.turn(turn_id, scope)
        proposal = next((one for one in self.of(turn, scope) if one.number == number), None)
        if proposal is None:
            raise NotFound(self.type.unknown)
        return turn, proposal

    def _recorded(self, turn: Turn, proposal: Proposal[Said], state: State, said: Said, scope: Scope) -> Turn:
        turn = replace(turn, reply=self.type.decided(turn.reply, proposal.number, state, said))
        self.turn_store.record(turn, scope)
        return turn


@dataclass(frozen=True, slots=True)
class KeepAtOnce(Generic[Said]):
    """Implements `Listener`: keeps what an answer proposes, where the user does not want to be asked.

    Raises NotedError where a proposal may not be kept; the answer stands.
    """

    proposals: Proposals[Said]

    def __call__(self, happening: TurnEvent, scope: Scope) -> None:
        match happening:
            case Answered(turn):
                for proposal in self.proposals.of(turn, scope):
                    if proposal.state is State.PROPOSED:
                        turn = self.proposals.store(turn, proposal, proposal.said, scope)
