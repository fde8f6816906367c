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
from assistant.limits import DEFAULT_LIMITS, UNLIMITED
from assistant.ports import Allowance, Memory, TurnStore
from assistant.text.cleaning import check_text
from assistant.types import Entry, Reply, Scope, Turn

_MOST_WAITING = 50  # turns to search for proposals

ProposalContent = TypeVar("ProposalContent")
"""The content of a proposal: a `Lesson`, a `Triple`."""


class State(StrEnum):
    """State of a proposal. Values are stored, and part of the API."""

    PROPOSED = "proposed"
    KEPT = "kept"
    DISCARDED = "dropped"
    GONE = "gone"  # kept, but its entry was retracted or replaced later


@dataclass(frozen=True, slots=True)
class Proposal(Generic[ProposalContent]):
    number: int  # in its turn, from 1
    proposed: ProposalContent  # the model's version
    said: ProposalContent  # the version to keep
    state: State = State.PROPOSED
    entry: Entry | None = None  # stored, if kept
    replaces: str = ""  # id of the entry that it replaces when kept


@dataclass(frozen=True, slots=True)
class Proposals(Generic[ProposalContent]):
    """Service for the proposals of one entry type; a subclass reads and writes that type.

    `keep`, `discard` and `undo` count as one change of memory each, and return the turn with the decision. Raises
    NotFound, TooOften, InputError, and as `Memory` does.
    """

    memory: Memory
    turn_store: TurnStore
    allowance: Allowance = UNLIMITED
    longest: int = DEFAULT_LIMITS.clarification  # characters of the user's words
    unknown: ClassVar[str]  # code of the message for an unknown number
    reply_field: ClassVar[str]  # of replies with proposals to decide on

    @abstractmethod
    def of(self, turn: Turn, scope: Scope) -> Sequence[Proposal[ProposalContent]]:
        """Return the proposals of a turn with their states, in order."""

    @abstractmethod
    def changed(self, said: ProposalContent, words: str) -> ProposalContent:
        """Return a proposal with the user's words."""

    @abstractmethod
    def store(self, turn: Turn, proposal: Proposal[ProposalContent], said: ProposalContent, scope: Scope) -> None:
        """Store this version, in place of a version kept before."""

    @abstractmethod
    def take_back(self, turn: Turn, proposal: Proposal[ProposalContent], scope: Scope) -> None:
        """Undo `store`."""

    @abstractmethod
    def decided(self, reply: Reply, number: int, state: State, said: ProposalContent) -> Reply:
        """Return the reply with the user's decision: kept, discarded, or proposed again."""

    def waiting(self, scope: Scope) -> Sequence[tuple[Turn, Proposal[ProposalContent]]]:
        """Return the latest undecided proposals, newest first, each with its turn."""
        turns = self.turn_store.having(self.reply_field, scope, _MOST_WAITING)
        found = ((turn, proposal) for turn in turns for proposal in self.of(turn, scope))
        return [(turn, proposal) for turn, proposal in found if proposal.state is State.PROPOSED]

    def keep(self, turn_id: str, number: int, scope: Scope, words: str = "") -> Turn:
        """Store a proposal, changed by `words` if given."""
        turn, proposal = self._found(turn_id, number, scope)
        said = self.changed(proposal.said, check_text(words, self.longest)) if words.strip() else proposal.said
        if proposal.state is State.KEPT and said == proposal.said:
            return turn
        self.allowance.save(scope)
        self.store(turn, proposal, said, scope)
        return self._record(turn, proposal, State.KEPT, said, scope)

    def keep_at_once(self, happening: TurnEvent, scope: Scope) -> None:
        """Implement `Listener`: keep the proposals of an answer without asking, and without counting changes."""
        if isinstance(happening, Answered):
            turn = happening.turn
            for proposal in self.of(turn, scope):
                if proposal.state is State.PROPOSED:
                    self.store(turn, proposal, proposal.said, scope)
                    turn = self._record(turn, proposal, State.KEPT, proposal.said, scope)

    def discard(self, turn_id: str, number: int, scope: Scope) -> Turn:
        """Discard a proposal, kept or not."""
        return self._take_back(turn_id, number, State.DISCARDED, scope)

    def undo(self, turn_id: str, number: int, scope: Scope) -> Turn:
        """Undo the decision: propose it again, and restore an entry that it replaced."""
        return self._take_back(turn_id, number, State.PROPOSED, scope)

    def _take_back(self, turn_id: str, number: int, state: State, scope: Scope) -> Turn:
        turn, proposal = self._found(turn_id, number, scope)
        self.allowance.save(scope)
        self.take_back(turn, proposal, scope)
        return self._record(turn, proposal, state, proposal.proposed, scope)

    def _found(self, turn_id: str, number: int, scope: Scope) -> tuple[Turn, Proposal[ProposalContent]]:
        turn = self.turn_store.turn(turn_id, scope)
        proposal = next((one for one in self.of(turn, scope) if one.number == number), None)
        if proposal is None:
            raise NotFound(self.unknown)
        return turn, proposal

    def _record(
        self, turn: Turn, proposal: Proposal[ProposalContent], state: State, said: ProposalContent, scope: Scope
    ) -> Turn:
        turn = replace(turn, reply=self.decided(turn.reply, proposal.number, state, said))
        self.turn_store.record(turn, scope)
        return turn
